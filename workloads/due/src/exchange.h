/*
 * A request's way from the timetable to its end: given to a connection, sent, answered or
 * failed, and counted.
 */
#ifndef DUE_EXCHANGE_H
#define DUE_EXCHANGE_H

#include <stdint.h>

#include "run.h"

/* Sends what is due by now, as far as there are free connections. */
void exchange_dispatch(struct run *r, int64_t now);

/* epoll has news of the connection. */
void exchange_on_event(struct run *r, struct connection *c, uint32_t events);

/* When the oldest request in flight times out, or NEVER; and ends those that have. */
int64_t exchange_deadline_ns(const struct run *r);
void exchange_expire(struct run *r, int64_t now);

#endif
