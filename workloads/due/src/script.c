#include "script.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connection.h"
#include "memory.h"
#include "request.h"

__asm__(".pushsection .rodata\n"
        "prelude_start: .incbin \"src/prelude.lua\"\n"
        "prelude_end: .byte 0\n"
        ".popsection\n");
extern const char prelude_start[], prelude_end[];

struct script {
    lua_State *L;
    const char *path;
    bool has_request;
    char *first; /* without a function `request` it is the only one */
    size_t first_length;
};

static void fail(const struct script *s, const char *message) {
    fprintf(stderr, "due: -s %s: %s\n", s->path, message ? message : "error without a message");
    exit(1);
}

static void call(struct script *s, int arguments, int results) {
    if (lua_pcall(s->L, arguments, results, 0) != 0) fail(s, lua_tostring(s->L, -1));
}

static bool has_function(lua_State *L, const char *name) {
    lua_getglobal(L, name);
    bool has = lua_isfunction(L, -1);
    lua_pop(L, 1);
    return has;
}

/* Puts wrk.<name> onto the stack. */
static void push_wrk(lua_State *L, const char *name) {
    lua_getglobal(L, "wrk");
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}

/* ---- before the run ---- */

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

static void set_wrk(lua_State *L, const struct options *o, const struct target *t) {
    lua_getglobal(L, "wrk");
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
    set_headers(L, o);
    lua_pop(L, 1);
}

static void call_init(struct script *s, const struct options *o) {
    push_wrk(s->L, "init");
    lua_newtable(s->L);
    for (int i = 0; i < o->script_argc; i++) {
        lua_pushstring(s->L, o->script_argv[i]);
        lua_rawseti(s->L, -2, i);
    }
    call(s, 1, 0);
}

/* Leaves the request on the stack, whose string it points into. */
static const char *make_request(struct script *s, size_t *length) {
    if (s->has_request) lua_getglobal(s->L, "request");
    else push_wrk(s->L, "request");
    call(s, 0, 1);
    const char *text = lua_tolstring(s->L, -1, length);
    if (text == NULL) fail(s, "request() must return a string");
    if (!request_is_whole(text, *length))
        fail(s, "request() must return one whole request: a head that ends in an empty line "
                "(\\r\\n\\r\\n), and as many bytes of body as its Content-Length says; several "
                "requests in a string (pipelining) are not supported");
    return text;
}

struct script *script_create(const struct options *o, const struct target *t) {
    struct script *s = needed(calloc(1, sizeof *s), "the script");
    lua_State *L = s->L = needed(luaL_newstate(), "the script");
    s->path = o->script;
    luaL_openlibs(L);
    size_t length = (size_t)(prelude_end - prelude_start);
    if (luaL_loadbuffer(L, prelude_start, length, "=wrk") != 0) fail(s, lua_tostring(L, -1));
    call(s, 0, 0);
    set_wrk(L, o, t);
    if (luaL_loadfile(L, s->path) != 0) fail(s, lua_tostring(L, -1));
    call(s, 0, 0);
    call_init(s, o);
    s->has_request = has_function(L, "request");
    const char *first = make_request(s, &s->first_length);
    s->first = memcpy(needed(malloc(s->first_length), "a request"), first, s->first_length);
    lua_pop(L, 1);
    return s;
}

const char *script_first_request(const struct script *s, size_t *length) {
    *length = s->first_length;
    return s->first;
}

/* ---- while running ---- */

static void own_copy(struct connection *c, const char *text, size_t length) {
    if (length > c->own_capacity) {
        c->own_capacity = length;
        c->own_request = needed(realloc(c->own_request, length), "a request");
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
    if (s->first) {
        own_copy(c, s->first, s->first_length);
        free(s->first);
        s->first = NULL;
        return;
    }
    size_t length;
    const char *text = make_request(s, &length);
    own_copy(c, text, length);
    lua_pop(s->L, 1);
}
