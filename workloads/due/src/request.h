/* The request that is sent when no script makes one. */
#ifndef DUE_REQUEST_H
#define DUE_REQUEST_H

#include <stddef.h>

#include "options.h"
#include "target.h"

/* GET with a Host header and those of -H; memory of the caller. */
char *request_build(const struct options *o, const struct target *t, size_t *length);

/* --new-connections or the header "Connection: close": they mean the same, and now both hold. */
void request_settle_connection(struct options *o);

#endif
