/* The text of a request. */
#ifndef DUE_REQUEST_H
#define DUE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"
#include "target.h"

/* The request without a script, of this path and with the headers of -H; memory of the caller. */
char *request_build(const struct options *o, const struct target *t, const char *path,
                    size_t *length);

/* One head that ends in an empty line, and as many bytes of body as its Content-Length says? */
bool request_is_whole(const char *request, size_t length);

/* Does a whole request say "Connection: close"? */
bool request_closes_connection(const char *request, size_t length);

#endif
