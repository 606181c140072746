#include "script.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "capture.h"
#include "clock.h"
#include "script_types.h"
#include "worker.h"

__asm__(".pushsection .rodata\n"
        "prelude_start: .incbin \"src/prelude.lua\"\n"
        "prelude_end: .byte 0\n"
        ".popsection\n");
extern const char prelude_start[], prelude_end[];

struct script {
    lua_State *L;
    const struct options *options;
    bool has_request, has_delay, has_response;
    unsigned batch;
    char *first; /* made by script_init; without a function `request` it is the only one */
    size_t first_length;
};

lua_State *script_state(const struct script *s) { return s->L; }

static void fail(const struct options *o, const char *message) {
    fprintf(stderr, "due: -s %s: %s\n", o->script, message ? message : "error without a message");
    exit(1);
}

static void call(const struct options *o, lua_State *L, int arguments, int results) {
    if (lua_pcall(L, arguments, results, 0) != 0) fail(o, lua_tostring(L, -1));
}

static bool push_function(lua_State *L, const char *name) {
    lua_getglobal(L, name);
    if (lua_isfunction(L, -1)) return true;
    lua_pop(L, 1);
    return false;
}

static bool has_function(lua_State *L, const char *name) {
    bool has = push_function(L, name);
    if (has) lua_pop(L, 1);
    return has;
}

/* Puts wrk.<name> onto the stack. */
static void push_wrk(lua_State *L, const char *name) {
    lua_getglobal(L, "wrk");
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}

/* ---- a new state ---- */

static void set_headers(lua_State *L, const struct options *o) {
    lua_getfield(L, -1, "headers");
    for (size_t i = 0; i < o->header_count; i++) {
        const char *colon = strchr(o->headers[i], ':');
        lua_pushlstring(L, o->headers[i], (size_t)(colon - o->headers[i]));
        lua_pushstring(L, colon + 1 + strspn(colon + 1, " \t"));
        lua_settable(L, -3);
    }
    lua_pop(L, 1);
}

static void set_wrk(lua_State *L, const struct run *run) {
    const struct target *t = run->target;
    lua_getglobal(L, "wrk");
    luaL_register(L, NULL, SCRIPT_FUNCTIONS);
    lua_pushstring(L, "http");
    lua_setfield(L, -2, "scheme");
    lua_pushstring(L, t->host);
    lua_setfield(L, -2, "host");
    if (t->port_given) {
        lua_pushstring(L, t->port);
        lua_setfield(L, -2, "port");
    }
    lua_pushlstring(L, t->path, strcspn(t->path, "#"));
    lua_setfield(L, -2, "path");
    set_headers(L, run->options);
    lua_pop(L, 1);
}

struct script *script_create(const struct run *run) {
    struct script *s = calloc(1, sizeof *s);
    lua_State *L = s ? luaL_newstate() : NULL;
    if (L == NULL) fail(run->options, "no memory for a Lua state");
    s->L = L;
    s->options = run->options;
    luaL_openlibs(L);
    lua_pushboolean(L, s->options->allow_remote);
    lua_setfield(L, LUA_REGISTRYINDEX, SCRIPT_ALLOW_REMOTE);
    script_register_types(L);
    size_t length = (size_t)(prelude_end - prelude_start);
    if (luaL_loadbuffer(L, prelude_start, length, "=wrk") != 0)
        fail(s->options, lua_tostring(L, -1));
    call(s->options, L, 0, 0);
    set_wrk(L, run);
    if (luaL_loadfile(L, run->options->script) != 0) fail(s->options, lua_tostring(L, -1));
    call(s->options, L, 0, 0);
    return s;
}

/* ---- setup, init ---- */

void script_setup(struct script *main_script, struct worker *w) {
    lua_State *L = main_script->L;
    push_wrk(L, "setup");
    script_push_thread(L, w);
    call(main_script->options, L, 1, 0);
}

/* The value of a request's header, up to the end of its line, or NULL. */
static const char *find_header(const char *head, const char *end, const char *name) {
    size_t length = strlen(name);
    for (const char *line = head; (line = memmem(line, (size_t)(end - line), "\r\n", 2));) {
        line += 2;
        if ((size_t)(end - line) > length && strncasecmp(line, name, length) == 0 &&
            line[length] == ':')
            return line + length + 1 + strspn(line + length + 1, " \t");
    }
    return NULL;
}

/* How many requests are in the text; 0 when the last one is not whole. */
static unsigned count_requests(const char *text, size_t length) {
    const char *at = text, *end = text + length;
    unsigned count = 0;
    while (at < end) {
        const char *head_end = memmem(at, (size_t)(end - at), "\r\n\r\n", 4);
        if (head_end == NULL) return 0;
        const char *value = find_header(at, head_end + 2, "Content-Length");
        size_t body = value ? strtoul(value, NULL, 10) : 0;
        at = head_end + 4;
        if ((size_t)(end - at) < body) return 0;
        at += body;
        count++;
    }
    return count <= UINT16_MAX ? count : 0;
}

/* The timetable gave this batch its places before it was made. */
static void check_batch(const struct script *s, const char *text, size_t length) {
    unsigned count = count_requests(text, length);
    if (count == s->batch) return;
    char message[128];
    snprintf(message, sizeof message,
             "request() must return as many whole requests each time: %u at first, now %u",
             s->batch, count);
    fail(s->options, message);
}

/* Leaves the request on the stack, whose string it points into. */
static const char *make_request(struct script *s, size_t *length) {
    if (s->has_request) lua_getglobal(s->L, "request");
    else push_wrk(s->L, "request");
    call(s->options, s->L, 0, 1);
    const char *text = lua_tolstring(s->L, -1, length);
    if (text == NULL) fail(s->options, "request() must return a string");
    return text;
}

static void make_first(struct script *s) {
    const char *text = make_request(s, &s->first_length);
    s->first = memcpy(malloc(s->first_length + 1), text, s->first_length);
    s->first[s->first_length] = '\0';
    lua_pop(s->L, 1);
    s->batch = count_requests(s->first, s->first_length);
    if (s->batch == 0)
        fail(s->options, "request() must return whole requests: a head that ends in an empty line "
                         "(\\r\\n\\r\\n), and as many bytes of body as its Content-Length says");
}

bool script_closes_connections(const struct script *s) {
    const char *end = memmem(s->first, s->first_length, "\r\n\r\n", 4) + 2;
    const char *value = find_header(s->first, end, "Connection");
    return value && strncasecmp(value, "close\r\n", 7) == 0;
}

static void capture_answers(struct worker *w) {
    for (unsigned i = 0; i < w->pool.connection_count; i++)
        w->pool.connections[i].capture = capture_new();
}

void script_init(struct worker *w) {
    struct script *s = w->script;
    lua_State *L = s->L;
    lua_getglobal(L, "wrk");
    script_push_thread(L, w);
    lua_setfield(L, -2, "thread");
    lua_pop(L, 1);
    push_wrk(L, "init");
    lua_newtable(L);
    for (int i = 0; i < s->options->script_argc; i++) {
        lua_pushstring(L, s->options->script_argv[i]);
        lua_rawseti(L, -2, i);
    }
    call(s->options, L, 1, 0);
    s->has_request = has_function(L, "request");
    s->has_delay = has_function(L, "delay");
    s->has_response = has_function(L, "response");
    if (s->has_response) capture_answers(w);
    make_first(s);
}

/* ---- while running ---- */

bool script_has_delay(const struct script *s) { return s->has_delay; }
unsigned script_batch(const struct script *s) { return s->batch; }

static void own_copy(struct connection *c, const char *text, size_t length) {
    if (length > c->own_capacity) {
        c->own_capacity = length;
        c->own_request = realloc(c->own_request, length);
        if (c->own_request == NULL) {
            perror("due: no memory for a request");
            exit(1);
        }
    }
    memcpy(c->own_request, text, length);
    c->request = c->own_request;
    c->request_length = length;
}

void script_request(struct script *s, struct connection *c) {
    if (!s->has_request) {
        c->request = s->first;
        c->request_length = s->first_length;
        return;
    }
    if (s->first) { /* made in advance, to look at it; sent all the same */
        own_copy(c, s->first, s->first_length);
        free(s->first);
        s->first = NULL;
        return;
    }
    size_t length;
    const char *text = make_request(s, &length);
    check_batch(s, text, length);
    own_copy(c, text, length);
    lua_pop(s->L, 1);
}

int64_t script_delay_ns(struct script *s) {
    lua_getglobal(s->L, "delay");
    call(s->options, s->L, 0, 1);
    double ms = lua_tonumber(s->L, -1);
    lua_pop(s->L, 1);
    return ms > 0 ? (int64_t)(ms * (double)NS_PER_MS) : 0;
}

void script_response(struct script *s, struct connection *c) {
    struct capture *seen = c->capture;
    lua_State *L = s->L;
    capture_end(seen);
    lua_getglobal(L, "response");
    lua_pushinteger(L, c->response.status);
    lua_newtable(L);
    const char *name, *value;
    for (size_t at = 0; capture_header(seen, &at, &name, &value);) {
        lua_pushstring(L, name);
        lua_pushstring(L, value);
        lua_settable(L, -3);
    }
    lua_pushlstring(L, capture_body(seen), capture_body_length(seen));
    call(s->options, L, 3, 0);
    capture_reset(seen);
}

/* ---- done ---- */

static void set_number(lua_State *L, const char *name, int64_t value) {
    lua_pushnumber(L, (double)value);
    lua_setfield(L, -2, name);
}

static void push_errors(lua_State *L, const struct tally *t) {
    const int64_t *e = t->errors;
    lua_newtable(L);
    set_number(L, "connect",
               e[ERROR_CONNECT_REFUSED] + e[ERROR_CONNECT_TIMEOUT] + e[ERROR_CONNECT_OTHER]);
    set_number(L, "read", e[ERROR_RESET] + e[ERROR_CLOSED_EARLY] + e[ERROR_MALFORMED]);
    set_number(L, "write", e[ERROR_WRITE]);
    set_number(L, "status", t->status[4] + t->status[5]);
    set_number(L, "timeout", e[ERROR_TIMEOUT]);
}

void script_done(struct script *main_script, const struct script_summary *summary) {
    lua_State *L = main_script->L;
    if (!push_function(L, "done")) return;
    lua_newtable(L);
    set_number(L, "duration", summary->duration_us);
    set_number(L, "requests", summary->requests);
    set_number(L, "bytes", summary->bytes);
    push_errors(L, summary->tally);
    lua_setfield(L, -2, "errors");
    script_push_statistics(L, summary->latency_ns, 1e3);
    script_push_statistics(L, summary->rate_per_s, 1);
    call(main_script->options, L, 3, 0);
}
