/*
 * A request's way from the timetable to its end: assigned to a connection, sent, answered or
 * failed, and counted.
 */
#ifndef DUE_EXCHANGE_H
#define DUE_EXCHANGE_H

#include <stdint.h>

#include "worker.h"

/* The connection has no request (any more): it takes the next of its own timetable, or is idle. */
void exchange_set_free(struct worker *w, struct connection *c);

/* Sends what is due by now, as far as there are free connections. */
void exchange_dispatch(struct worker *w, int64_t now);

/* epoll has news of the connection. */
void exchange_on_event(struct worker *w, struct connection *c, uint32_t events);

/* When the oldest request under way times out, or NEVER; and ends those that have. */
int64_t exchange_deadline_ns(const struct worker *w);
void exchange_expire(struct worker *w, int64_t now);

#endif
