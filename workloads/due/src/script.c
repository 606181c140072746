#include "script.h"

#include <arpa/inet.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <unistd.h>

#include "capture.h"
#include "clock.h"
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

/* Under this key of the registry a state knows its script. */
static const char SELF[] = "due.script";

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

/* ---- addresses: what wrk.lookup returns and thread.addr takes ---- */

static void push_address(lua_State *L, const struct address *a) {
    struct address *copy = lua_newuserdata(L, sizeof *copy);
    *copy = *a;
    luaL_getmetatable(L, "wrk.addr");
    lua_setmetatable(L, -2);
}

static struct script *self(lua_State *L) {
    lua_getfield(L, LUA_REGISTRYINDEX, SELF);
    struct script *s = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return s;
}

/* A script is held to this machine as the command line is. */
static struct address *check_address(lua_State *L, int index) {
    struct address *a = luaL_checkudata(L, index, "wrk.addr");
    if (!address_is_loopback(a) && !self(L)->options->allow_remote)
        luaL_error(L, "not an address of this machine; where you may, add --allow-remote");
    return a;
}

static int address_tostring(lua_State *L) {
    const struct address *a = luaL_checkudata(L, 1, "wrk.addr");
    char host[64], port[16];
    int error = getnameinfo((const struct sockaddr *)&a->socket, a->length, host, sizeof host, port,
                            sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
    if (error) return luaL_error(L, "address: %s", gai_strerror(error));
    lua_pushfstring(L, "%s:%s", host, port);
    return 1;
}

static int wrk_lookup(lua_State *L) {
    const char *host = luaL_checkstring(L, 1), *service = luaL_checkstring(L, 2);
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found;
    int error = getaddrinfo(host, service, &hints, &found);
    if (error) return luaL_error(L, "cannot resolve %s:%s: %s", host, service, gai_strerror(error));
    lua_newtable(L);
    int n = 0;
    for (const struct addrinfo *i = found; i; i = i->ai_next) {
        struct address a = {.length = i->ai_addrlen};
        memcpy(&a.socket, i->ai_addr, i->ai_addrlen);
        push_address(L, &a);
        lua_rawseti(L, -2, ++n);
    }
    freeaddrinfo(found);
    return 1;
}

static int wrk_connect(lua_State *L) {
    const struct address *a = check_address(L, 1);
    int fd = socket(a->socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    lua_pushboolean(L, fd >= 0 &&
                           connect(fd, (const struct sockaddr *)&a->socket, a->length) == 0);
    if (fd >= 0) close(fd);
    return 1;
}

static int wrk_time_us(lua_State *L) {
    lua_pushnumber(L, (double)(clock_ns(CLOCK_REALTIME) / NS_PER_US));
    return 1;
}

/* ---- threads: thread:get, :set, :stop and thread.addr ---- */

static struct worker *check_thread(lua_State *L) {
    return *(struct worker **)luaL_checkudata(L, 1, "wrk.thread");
}

static void push_thread(lua_State *L, struct worker *w) {
    *(struct worker **)lua_newuserdata(L, sizeof w) = w;
    luaL_getmetatable(L, "wrk.thread");
    lua_setmetatable(L, -2);
}

/* Copies the value at the top of one state onto another: plain data and tables of it. */
static void copy_value(lua_State *from, lua_State *to) {
    size_t length;
    switch (lua_type(from, -1)) {
    case LUA_TNIL: lua_pushnil(to); break;
    case LUA_TBOOLEAN: lua_pushboolean(to, lua_toboolean(from, -1)); break;
    case LUA_TNUMBER: lua_pushnumber(to, lua_tonumber(from, -1)); break;
    case LUA_TSTRING: {
        const char *text = lua_tolstring(from, -1, &length);
        lua_pushlstring(to, text, length);
        break;
    }
    case LUA_TTABLE:
        luaL_checkstack(from, 4, "table too deep");
        luaL_checkstack(to, 4, "table too deep");
        lua_newtable(to);
        lua_pushnil(from);
        while (lua_next(from, -2)) {
            lua_pushvalue(from, -2); /* key above its value: lua_next must find the key again */
            copy_value(from, to);
            lua_pop(from, 1);
            copy_value(from, to);
            lua_pop(from, 1);
            lua_settable(to, -3);
        }
        break;
    default: luaL_error(from, "a %s cannot go to another thread", luaL_typename(from, -1));
    }
}

static int thread_get(lua_State *L) {
    lua_State *its = check_thread(L)->script->L;
    lua_getglobal(its, luaL_checkstring(L, 2));
    if (its == L) return 1;
    copy_value(its, L);
    lua_pop(its, 1);
    return 1;
}

static int thread_set(lua_State *L) {
    lua_State *its = check_thread(L)->script->L;
    const char *name = luaL_checkstring(L, 2);
    lua_settop(L, 3);
    if (its == L) lua_pushvalue(L, 3);
    else copy_value(L, its);
    lua_setglobal(its, name);
    return 0;
}

static int thread_stop(lua_State *L) {
    worker_stop(check_thread(L));
    return 0;
}

static int thread_index(lua_State *L) {
    struct worker *w = check_thread(L);
    const char *name = luaL_checkstring(L, 2);
    if (strcmp(name, "get") == 0) lua_pushcfunction(L, thread_get);
    else if (strcmp(name, "set") == 0) lua_pushcfunction(L, thread_set);
    else if (strcmp(name, "stop") == 0) lua_pushcfunction(L, thread_stop);
    else if (strcmp(name, "addr") == 0) push_address(L, &w->address);
    else lua_pushnil(L);
    return 1;
}

static int thread_newindex(lua_State *L) {
    struct worker *w = check_thread(L);
    const char *name = luaL_checkstring(L, 2);
    if (strcmp(name, "addr") != 0) return luaL_error(L, "thread.%s cannot be set", name);
    w->address = *check_address(L, 3);
    return 0;
}

/* ---- statistics, as `done` gets them: latency in us, requests a second ---- */

struct statistics {
    const struct histogram *values;
    double unit;
};

static const struct statistics *check_statistics(lua_State *L) {
    return luaL_checkudata(L, 1, "wrk.stats");
}

static void push_statistics(lua_State *L, const struct histogram *values, double unit) {
    struct statistics *s = lua_newuserdata(L, sizeof *s);
    *s = (struct statistics){values, unit};
    luaL_getmetatable(L, "wrk.stats");
    lua_setmetatable(L, -2);
}

static int statistics_percentile(lua_State *L) {
    const struct statistics *s = check_statistics(L);
    double percentile = luaL_checknumber(L, 2);
    lua_pushnumber(L, (double)histogram_percentile(s->values, percentile) / s->unit);
    return 1;
}

/* statistics[i]: the i-th smallest value; or one of the named figures. */
static int statistics_index(lua_State *L) {
    const struct statistics *s = check_statistics(L);
    const struct histogram *h = s->values;
    if (lua_isnumber(L, 2)) {
        double percentile = h->total ? 100 * lua_tonumber(L, 2) / (double)h->total : 0;
        lua_pushnumber(L, (double)histogram_percentile(h, percentile) / s->unit);
        return 1;
    }
    const char *name = luaL_checkstring(L, 2);
    if (strcmp(name, "percentile") == 0) lua_pushcfunction(L, statistics_percentile);
    else if (strcmp(name, "min") == 0) lua_pushnumber(L, h->total ? (double)h->min / s->unit : 0);
    else if (strcmp(name, "max") == 0) lua_pushnumber(L, (double)h->max / s->unit);
    else if (strcmp(name, "mean") == 0) lua_pushnumber(L, histogram_mean(h) / s->unit);
    else if (strcmp(name, "stdev") == 0) lua_pushnumber(L, histogram_stdev(h) / s->unit);
    else lua_pushnil(L);
    return 1;
}

static int statistics_length(lua_State *L) {
    lua_pushnumber(L, (double)check_statistics(L)->values->total);
    return 1;
}

/* statistics(i): the i-th value that occurs, and how often; wrk's way to walk over them. */
static int statistics_call(lua_State *L) {
    const struct statistics *s = check_statistics(L);
    long long wanted = luaL_checkinteger(L, 2);
    for (int i = 0; i < HISTOGRAM_COUNTS; i++) {
        if (s->values->counts[i] == 0 || --wanted > 0) continue;
        lua_pushnumber(L, (double)histogram_highest_equivalent(i) / s->unit);
        lua_pushnumber(L, (double)s->values->counts[i]);
        return 2;
    }
    return 0;
}

/* ---- a new state ---- */

static void register_type(lua_State *L, const char *name, const luaL_Reg *functions) {
    luaL_newmetatable(L, name);
    luaL_register(L, NULL, functions);
    lua_pop(L, 1);
}

static void register_types(lua_State *L) {
    register_type(L, "wrk.addr", (luaL_Reg[]){{"__tostring", address_tostring}, {NULL, NULL}});
    register_type(L, "wrk.thread", (luaL_Reg[]){{"__index", thread_index},
                                                {"__newindex", thread_newindex},
                                                {NULL, NULL}});
    register_type(L, "wrk.stats", (luaL_Reg[]){{"__index", statistics_index},
                                               {"__len", statistics_length},
                                               {"__call", statistics_call},
                                               {NULL, NULL}});
}

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
    luaL_Reg functions[] = {{"lookup", wrk_lookup}, {"connect", wrk_connect},
                            {"time_us", wrk_time_us}, {NULL, NULL}};
    lua_getglobal(L, "wrk");
    luaL_register(L, NULL, functions);
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
    lua_pushlightuserdata(L, s);
    lua_setfield(L, LUA_REGISTRYINDEX, SELF);
    register_types(L);
    size_t length = (size_t)(prelude_end - prelude_start);
    if (luaL_loadbuffer(L, prelude_start, length, "=wrk") != 0) fail(s->options, lua_tostring(L, -1));
    call(s->options, L, 0, 0);
    set_wrk(L, run);
    push_wrk(L, "resolve");
    lua_pushstring(L, run->target->host);
    lua_pushstring(L, run->target->port);
    call(s->options, L, 2, 0);
    if (luaL_loadfile(L, run->options->script) != 0) fail(s->options, lua_tostring(L, -1));
    call(s->options, L, 0, 0);
    return s;
}

/* ---- setup, init ---- */

void script_setup(struct script *main_script, struct worker *w) {
    lua_State *L = main_script->L;
    push_wrk(L, "setup");
    push_thread(L, w);
    call(main_script->options, L, 1, 0);
}

/* The value of a request's header, up to the end of its line, or NULL. */
static const char *find_header(const char *head, const char *end, const char *name) {
    size_t length = strlen(name);
    for (const char *line = head; (line = memmem(line, (size_t)(end - line), "\r\n", 2)); ) {
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
    for (unsigned i = 0; i < w->connection_count; i++) w->connections[i].capture = capture_new();
}

void script_init(struct worker *w) {
    struct script *s = w->script;
    lua_State *L = s->L;
    lua_getglobal(L, "wrk");
    push_thread(L, w);
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
    for (size_t at = 0; capture_header(seen, &at, &name, &value); ) {
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
    push_statistics(L, summary->latency_ns, 1e3);
    push_statistics(L, summary->rate_per_s, 1);
    call(main_script->options, L, 3, 0);
}
