/*
 * Lua scripts with wrk2's interface: the globals setup, init, delay, request, response and done,
 * and the table `wrk`. Each thread has its own Lua state, and there is one more for setup
 * and done. Built without LuaJIT, script_create says how to get it.
 */
#ifndef DUE_SCRIPT_H
#define DUE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histogram.h"
#include "tally.h"

struct connection;
struct run;
struct script;
struct worker;

/* What `done` is given. */
struct script_summary {
    int64_t duration_us, requests, bytes;
    const struct tally *tally;
    const struct histogram *latency_ns, *rate_per_s; /* the latter: a value per thread and second */
};

/* Loads --script into a new state. On any error in a script: message, exit 1. */
struct script *script_create(const struct run *run);
/* `setup` in the main state, then `init` in the worker's. */
void script_setup(struct script *main_script, struct worker *w);
void script_init(struct worker *w);
void script_done(struct script *main_script, const struct script_summary *summary);

/* Valid after script_init. */
bool script_has_delay(const struct script *s);
/* Do its requests say "Connection: close"? */
bool script_closes_connections(const struct script *s);

/* How many requests each of its request strings holds. */
unsigned script_batch(const struct script *s);

/* Puts the next request(s) into c. */
void script_request(struct script *s, struct connection *c);
int64_t script_delay_ns(struct script *s);
/* Shows it a complete answer; then the capture starts again. */
void script_response(struct script *s, struct connection *c);

#endif
