#include "connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <unistd.h>

#ifndef IP_BIND_ADDRESS_NO_PORT
#define IP_BIND_ADDRESS_NO_PORT 24
#endif

/*
 * Each pair of addresses has ports of its own. With IP_BIND_ADDRESS_NO_PORT the kernel chooses
 * the port at connect, when it knows the pair, instead of one that is free for all pairs.
 */
static int bind_to_next_source(int fd, struct dialer *d) {
    struct sockaddr_in source = {.sin_family = AF_INET};
    source.sin_addr.s_addr = htonl(INADDR_LOOPBACK + d->next_source++ % d->source_addresses);
    int yes = 1;
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
    return bind(fd, (struct sockaddr *)&source, sizeof source);
}

static int begin_connect(struct connection *c, struct dialer *d) {
    c->fd = socket(d->address->socket.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->fd < 0) return errno;
    if (d->source_addresses > 1 && bind_to_next_source(c->fd, d) != 0) return errno;
    int yes = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connect(c->fd, (const struct sockaddr *)&d->address->socket, d->address->length) != 0 &&
        errno != EINPROGRESS)
        return errno;
    /* Edge-triggered for both directions: one call for the life of the connection. */
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                                .data.ptr = c};
    return epoll_ctl(d->epoll, EPOLL_CTL_ADD, c->fd, &event) == 0 ? 0 : errno;
}

int connection_open(struct connection *c, struct dialer *d) {
    int error = begin_connect(c, d);
    if (error) connection_close(c);
    return error;
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
    return ERROR_CONNECT_OTHER;
}

int connection_write(struct connection *c, size_t *sent) {
    ssize_t n = send(c->fd, c->request + c->written, c->request_length - c->written, MSG_NOSIGNAL);
    *sent = n > 0 ? (size_t)n : 0;
    c->written += *sent;
    return n >= 0 || errno == EAGAIN || errno == EINTR ? 0 : errno;
}
