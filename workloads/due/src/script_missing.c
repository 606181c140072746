/* Stands in for script.c where LuaJIT is not installed. */
#include <stdio.h>
#include <stdlib.h>

#include "script.h"
#include "worker.h"

static void missing(void) {
    fprintf(stderr, "due: -s: built without Lua; install LuaJIT's headers (Debian: apt-get install "
                    "libluajit-5.1-dev) and build again: make clean all\n");
    exit(1);
}

/* Without a script none of the others is ever called. */
struct script *script_create(const struct run *run) {
    (void)run;
    missing();
    return NULL;
}
void script_setup(struct script *main_script, struct worker *w) { (void)main_script, (void)w; }
void script_init(struct worker *w) { (void)w; }
void script_done(struct script *s, const struct script_summary *summary) { (void)s, (void)summary; }
bool script_has_delay(const struct script *s) { return (void)s, false; }
bool script_closes_connections(const struct script *s) { return (void)s, false; }
unsigned script_batch(const struct script *s) { return (void)s, 1; }
void script_request(struct script *s, struct connection *c) { (void)s, (void)c; }
int64_t script_delay_ns(struct script *s) { return (void)s, 0; }
void script_response(struct script *s, struct connection *c) { (void)s, (void)c; }
