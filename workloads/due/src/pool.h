/* The connections, by what they are doing: idle, or with a request in flight. */
#ifndef DUE_POOL_H
#define DUE_POOL_H

#include "connection.h"

struct pool {
    struct connection *connections;
    unsigned connection_count;
    struct connection **idle; /* ring; first in, first out, so that all are used evenly */
    unsigned idle_first, idle_count;
    struct connection *oldest, *newest; /* in flight; all have the same time-out */
    unsigned busy;                      /* how many are in flight, … */
    unsigned unsent;                    /* … and of these, how many still connect or write */
};

/* All connections closed and idle. */
void pool_init(struct pool *p, unsigned connection_count);

void pool_push_idle(struct pool *p, struct connection *c);
struct connection *pool_pop_idle(struct pool *p);

/* To the newest end; it counts as unsent until pool_set_sent. */
void pool_add_in_flight(struct pool *p, struct connection *c);
void pool_set_sent(struct pool *p, struct connection *c);
void pool_remove_in_flight(struct pool *p, struct connection *c);

#endif
