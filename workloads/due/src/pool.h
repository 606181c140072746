/*
 * A thread's connections, by what they are doing: idle, waiting for their request to be due, or
 * with a request under way.
 */
#ifndef DUE_POOL_H
#define DUE_POOL_H

#include "connection.h"

struct pool {
    struct connection *connections;
    unsigned connection_count;
    struct connection **idle; /* ring; first in, first out, so that all are used evenly */
    unsigned idle_first, idle_count;
    struct connection **waiting; /* the one that is due first is at 0 */
    unsigned waiting_count;
    struct connection *oldest, *newest; /* under way; all have the same time-out */
    unsigned busy;                      /* how many are under way, … */
    unsigned unsent;                    /* … and of these, how many still connect or write */
};

/* Closed connections, in none of the three yet. Exits with a message when memory is short. */
void pool_init(struct pool *p, unsigned connection_count);

void pool_push_idle(struct pool *p, struct connection *c);
struct connection *pool_pop_idle(struct pool *p);

/* By due_ns. */
void pool_push_waiting(struct pool *p, struct connection *c);
struct connection *pool_pop_waiting(struct pool *p);

/* To the newest end; it counts as unsent until pool_set_sent. */
void pool_add_under_way(struct pool *p, struct connection *c);
void pool_set_sent(struct pool *p, struct connection *c);
void pool_remove_under_way(struct pool *p, struct connection *c);

#endif
