/* One connection and the request on it: opening, writing, failing. */
#ifndef DUE_CONNECTION_H
#define DUE_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "response.h"
#include "tally.h"
#include "target.h"

enum connection_state {
    IDLE,       /* has no request; its socket may be open, closed or never opened */
    CONNECTING, /* from here on: has a request in flight */
    SENDING,
    RECEIVING,
};

struct connection {
    int fd; /* -1: closed; opened again for the next request */
    uint8_t state;
    bool measured; /* the request is due in the window, not in the warm-up */
    bool served;   /* the request before it was answered with 2xx */
    bool mixed_in; /* it asks for the second path */
    int64_t due_ns;
    int64_t start_ns; /* when the generator began to act on the request */
    int64_t free_since_ns;
    /* how much earlier the generator could have started this request or, idle, the one before */
    int64_t late_ns;
    const char *request;
    size_t request_length, written;
    char *own_request; /* memory for a request that a script made */
    size_t own_capacity;
    struct response response;
    struct connection *older, *newer; /* requests in flight, by start */
};

/* How connections are made; the same for all. */
struct dialer {
    const struct sockaddr_in *address;
    unsigned source_addresses; /* 1: leave the choice to the kernel */
    unsigned next_source;
    int epoll;
};

/* 0: connected; EINPROGRESS: epoll will tell; another errno: failed, and closed. */
int connection_open(struct connection *c, struct dialer *d);
void connection_close(struct connection *c);

/* The result of connecting: 0, or an errno. */
int connection_error(const struct connection *c);

/* Which error a failed connect is. */
enum error_kind connect_error_kind(int error);

/*
 * Receives into `buffer`, as recv does. *arrival_ns is when the last of these bytes reached this
 * machine's TCP, by the kernel's own clock reading, on the clock of now_ns (from which
 * CLOCK_REALTIME is `realtime_ahead_ns` ahead); 0 where the kernel does not tell.
 */
ssize_t connection_receive(struct connection *c, char *buffer, size_t size,
                           int64_t realtime_ahead_ns, int64_t *arrival_ns);

/* Writes what it can. Returns 0 when there was no error, else errno; *sent is what went out. */
int connection_write(struct connection *c, size_t *sent);

#endif
