#include "connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <unistd.h>

#include "clock.h"

/*
 * Each pair of addresses has its own ports. With IP_BIND_ADDRESS_NO_PORT the kernel chooses
 * the port at connect, when it knows the pair, instead of one that is free for all pairs.
 */
static int bind_to_next_source(int fd, struct dialer *d) {
    struct sockaddr_in source = {.sin_family = AF_INET};
    source.sin_addr.s_addr = htonl(INADDR_LOOPBACK + d->next_source++ % d->source_addresses);
    int yes = 1;
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
    return bind(fd, (struct sockaddr *)&source, sizeof source);
}

/*
 * On loopback the handshake is over before connect returns, although connect says EINPROGRESS. A
 * second call takes less CPU time than a sleep until the socket is ready.
 */
static int connect_and_ask(int fd, const struct sockaddr_in *address) {
    const struct sockaddr *to = (const struct sockaddr *)address;
    if (connect(fd, to, sizeof *address) == 0) return 0;
    if (errno != EINPROGRESS) return errno;
    if (connect(fd, to, sizeof *address) == 0 || errno == EISCONN) return 0;
    return errno == EALREADY ? EINPROGRESS : errno;
}

static int open_socket(struct connection *c, struct dialer *d) {
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->fd < 0) return errno;
    if (d->source_addresses > 1 && bind_to_next_source(c->fd, d) != 0) return errno;
    int yes = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(c->fd, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes);
    int result = connect_and_ask(c->fd, d->address);
    if (result != 0 && result != EINPROGRESS) return result;
    /* Edge-triggered for both directions: one call for the life of the connection. */
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = c};
    return epoll_ctl(d->epoll, EPOLL_CTL_ADD, c->fd, &event) == 0 ? result : errno;
}

int connection_open(struct connection *c, struct dialer *d) {
    int result = open_socket(c, d);
    if (result != 0 && result != EINPROGRESS) connection_close(c);
    return result;
}

void connection_close(struct connection *c) {
    if (c->fd >= 0) close(c->fd);
    c->fd = -1;
}

int connection_error(const struct connection *c) {
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &length);
    return error;
}

enum error_kind connect_error_kind(int error) {
    if (error == ECONNREFUSED) return ERROR_CONNECT_REFUSED;
    if (error == ETIMEDOUT) return ERROR_CONNECT_TIMEOUT;
    if (error == EMFILE || error == ENFILE) return ERROR_DESCRIPTORS;
    if (error == EADDRNOTAVAIL || error == EADDRINUSE) return ERROR_PORTS;
    return ERROR_CONNECT_OTHER;
}

ssize_t connection_receive(struct connection *c, char *buffer, size_t size,
                           int64_t realtime_ahead_ns, int64_t *arrival_ns) {
    union {
        char bytes[CMSG_SPACE(sizeof(struct timespec))];
        struct cmsghdr alignment;
    } control;
    struct iovec into = {buffer, size};
    struct msghdr message = {.msg_iov = &into,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t n = recvmsg(c->fd, &message, 0);
    *arrival_ns = 0;
    if (n <= 0) return n;
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SO_TIMESTAMPNS) {
        struct timespec t;
        memcpy(&t, CMSG_DATA(header), sizeof t);
        *arrival_ns = (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec - realtime_ahead_ns;
    }
    return n;
}

int connection_write(struct connection *c, size_t *sent) {
    ssize_t n = send(c->fd, c->request + c->written, c->request_length - c->written, MSG_NOSIGNAL);
    *sent = n > 0 ? (size_t)n : 0;
    c->written += *sent;
    return n >= 0 || errno == EAGAIN || errno == EINTR ? 0 : errno;
}
