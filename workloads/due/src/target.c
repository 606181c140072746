#include "target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define TIME_WAIT_S 60

/* Splits http://host[:port][/path]; the path stays where it is in the URL. */
static bool parse_url(struct target *t, const char *url) {
    static const char scheme[] = "http://";
    if (strncmp(url, scheme, strlen(scheme)) != 0) return false;
    const char *host = url + strlen(scheme);
    const char *path = host + strcspn(host, "/?#");
    bool bracketed = *host == '[';
    const char *host_end = bracketed ? memchr(host, ']', (size_t)(path - host))
                                     : memchr(host, ':', (size_t)(path - host));
    if (bracketed && host_end == NULL) return false;
    if (bracketed) host++;
    if (host_end == NULL) host_end = path;
    size_t host_length = (size_t)(host_end - host);
    if (host_length == 0 || host_length >= sizeof t->host) return false;
    memcpy(t->host, host, host_length);

    const char *port = bracketed ? host_end + 1 : host_end;
    t->port_given = port < path;
    if (t->port_given) {
        size_t digits = strspn(port + 1, "0123456789");
        if (*port != ':' || digits == 0 || digits > 5 || port + 1 + digits != path) return false;
        memcpy(t->port, port + 1, digits);
        if (atoi(t->port) < 1 || atoi(t->port) > 65535) return false;
    } else {
        strcpy(t->port, "80");
    }
    t->path = *path == '/' ? path : "/";
    return *path == '/' || *path == '\0';
}

static struct address address_of(const struct addrinfo *found) {
    struct address a = {.length = found->ai_addrlen};
    memcpy(&a.socket, found->ai_addr, found->ai_addrlen);
    return a;
}

static bool is_loopback(const struct address *a) {
    if (a->socket.ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)&a->socket;
        return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
    }
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&a->socket;
    return a->socket.ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

static bool accepts_connections(const struct address *a) {
    int fd = socket(a->socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return false;
    struct timeval second = {.tv_sec = 1};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second);
    bool accepts = connect(fd, (const struct sockaddr *)&a->socket, a->length) == 0;
    close(fd);
    return accepts;
}

/*
 * The first address that accepts a connection, or else the first. One that may not be loaded is not
 * tried; a single one is taken as it is.
 */
static bool choose_address(struct target *t, const struct addrinfo *found, bool allow_remote) {
    for (const struct addrinfo *i = found; i; i = i->ai_next) {
        struct address a = address_of(i);
        if (!is_loopback(&a) && !allow_remote) continue;
        bool accepts = found->ai_next && accepts_connections(&a);
        if (accepts || t->address.length == 0) t->address = a;
        if (accepts) break;
    }
    return t->address.length > 0;
}

void target_resolve(struct target *t, const struct options *o) {
    *t = (struct target){0};
    if (strncmp(o->url, "https://", 8) == 0) {
        fprintf(stderr, "due: %s: TLS is not supported; measure the server's http:// port\n",
                o->url);
        exit(2);
    }
    if (!parse_url(t, o->url)) {
        fprintf(stderr, "due: %s: not a URL; write http://127.0.0.1:8080/path\n", o->url);
        exit(2);
    }
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found;
    int error = getaddrinfo(t->host, t->port, &hints, &found);
    if (error) {
        fprintf(stderr, "due: %s: cannot resolve %s: %s\n", o->url, t->host, gai_strerror(error));
        exit(1);
    }
    bool chosen = choose_address(t, found, o->allow_remote);
    freeaddrinfo(found);
    if (!chosen) {
        fprintf(stderr,
                "due: %s: not this machine (127.0.0.0/8 or ::1). Load on a machine that is not "
                "yours is an attack; where you may, add --allow-remote\n",
                o->url);
        exit(2);
    }
}

static unsigned ephemeral_ports(void) {
    unsigned low = 32768, high = 60999;
    FILE *range = fopen("/proc/sys/net/ipv4/ip_local_port_range", "r");
    if (range) {
        if (fscanf(range, "%u %u", &low, &high) != 2) low = 32768, high = 60999;
        fclose(range);
    }
    return high - low + 1;
}

unsigned source_addresses_needed(const struct target *t, const struct options *o,
                                 bool new_connections) {
    if (t->address.socket.ss_family != AF_INET || !is_loopback(&t->address)) return 1;
    double seconds = (double)(o->plan.warm_up_ns + o->plan.duration_ns) / 1e9;
    double ports = (double)o->connections;
    if (new_connections) ports += schedule_highest_per_s(&o->plan) * fmin(seconds, TIME_WAIT_S);
    /* Half of the ports stay free: the kernel finds one fast, and other programs have some. */
    double needed = ceil(ports / (ephemeral_ports() / 2.0));
    return (unsigned)fmin(fmax(needed, 1), 254);
}

void check_descriptors(const struct options *o) {
    /* Besides the connections: standard streams, output files, epoll, timer, signals. */
    rlim_t others = 20, needed = o->connections + others;
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max < needed) {
        fprintf(stderr,
                "due: -c %llu: needs %llu descriptors, and this process may hold %llu; use -c %llu "
                "or less, or raise the limit: as root `ulimit -n %llu`, or in "
                "/etc/security/limits.conf\n",
                (unsigned long long)o->connections, (unsigned long long)needed,
                (unsigned long long)limit.rlim_max,
                (unsigned long long)(limit.rlim_max > others ? limit.rlim_max - others : 0),
                (unsigned long long)needed);
        exit(1);
    }
    if (limit.rlim_cur < needed) {
        limit.rlim_cur = needed;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}
