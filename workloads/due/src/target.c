#include "target.h"

#include <math.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define TIME_WAIT_S 60

/* Splits http://host[:port][/path]; the path stays where it is in the URL. */
static bool parse_url(struct target *t, const char *url) {
    static const char scheme[] = "http://";
    if (strncmp(url, scheme, strlen(scheme)) != 0) return false;
    const char *host = url + strlen(scheme);
    size_t host_length = strcspn(host, ":/?#");
    if (host_length == 0 || host_length >= sizeof t->host) return false;
    memcpy(t->host, host, host_length);

    const char *path = host + host_length;
    t->port_given = *path == ':';
    strcpy(t->port, "80");
    if (t->port_given) {
        size_t digits = strspn(++path, "0123456789");
        if (digits == 0 || digits > 5) return false;
        snprintf(t->port, sizeof t->port, "%.*s", (int)digits, path);
        if (atoi(t->port) < 1 || atoi(t->port) > 65535) return false;
        path += digits;
    }
    t->path = *path == '/' ? path : "/";
    return *path == '/' || *path == '\0';
}

static bool is_loopback(const struct target *t) {
    return ntohl(t->address.sin_addr.s_addr) >> 24 == 127;
}

void target_resolve(struct target *t, const struct options *o) {
    *t = (struct target){0};
    if (!parse_url(t, o->url)) {
        fprintf(stderr, "due: %s: not a URL; write http://127.0.0.1:8080/path, without TLS\n",
                o->url);
        exit(2);
    }
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found;
    int error = getaddrinfo(t->host, t->port, &hints, &found);
    if (error) {
        fprintf(stderr, "due: %s: cannot resolve %s: %s\n", o->url, t->host, gai_strerror(error));
        exit(1);
    }
    memcpy(&t->address, found->ai_addr, sizeof t->address);
    freeaddrinfo(found);
    if (!is_loopback(t) && !o->allow_remote) {
        fprintf(stderr,
                "due: %s: not this machine (127.0.0.0/8). Load on a machine that is not yours is "
                "an attack; where you may, add --allow-remote\n",
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
    if (!is_loopback(t)) return 1;
    double seconds = (double)(o->plan.warm_up_ns + o->plan.duration_ns) / 1e9;
    double ports = (double)o->connections;
    if (new_connections) ports += schedule_highest_per_s(&o->plan) * fmin(seconds, TIME_WAIT_S);
    /* Half of the ports stay free: the kernel finds one fast, and other programs have some. */
    double needed = ceil(ports / (ephemeral_ports() / 2.0));
    return (unsigned)fmin(fmax(needed, 1), 254);
}

void check_descriptors(const struct options *o) {
    /* Besides the connections: standard streams, output files, epoll, timer, signals. */
    rlim_t needed = o->connections + 20;
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max < needed) {
        fprintf(stderr,
                "due: -c %llu: needs %llu descriptors, and this process may hold %llu; use fewer, or "
                "raise the limit: as root `ulimit -n`, or in /etc/security/limits.conf\n",
                (unsigned long long)o->connections, (unsigned long long)needed,
                (unsigned long long)limit.rlim_max);
        exit(1);
    }
    if (limit.rlim_cur < needed) {
        limit.rlim_cur = needed;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}
