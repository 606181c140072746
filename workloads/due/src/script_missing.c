/* Stands in for script.c where LuaJIT is not installed. */
#include <stdio.h>
#include <stdlib.h>

#include "script.h"

struct script *script_create(const struct options *o, const struct target *t) {
    (void)o, (void)t;
    fprintf(stderr, "due: -s: built without Lua; install LuaJIT's headers (Debian: apt-get install "
                    "libluajit-5.1-dev) and build again: make clean all\n");
    exit(1);
}

/* Without a script none of the others is ever called. */
const char *script_first_request(const struct script *s, size_t *length) {
    return (void)s, (void)length, NULL;
}
void script_request(struct script *s, struct connection *c) { (void)s, (void)c; }
bool script_wants_answers(const struct script *s) { return (void)s, false; }
void script_response(struct script *s, struct connection *c) { (void)s, (void)c; }
