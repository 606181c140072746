/*
 * Lua scripts with wrk2's interface: the functions setup, init and request, and the table `wrk`.
 */
#ifndef DUE_SCRIPT_H
#define DUE_SCRIPT_H

#include <stddef.h>

#include "options.h"
#include "target.h"

struct connection;
struct script;

/* Loads --script, runs setup and init. On any error in a script: message, exit 1. */
struct script *script_create(const struct options *o, const struct target *t);

/* The first request: made in advance, to look at it, and sent all the same. */
const char *script_first_request(const struct script *s, size_t *length);

/* Puts the next request into c. */
void script_request(struct script *s, struct connection *c);

#endif
