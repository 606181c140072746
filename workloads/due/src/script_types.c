#include "script_types.h"

#include <netdb.h>
#include <string.h>

#include "clock.h"
#include "worker.h"

/* ---- addresses: what wrk.lookup returns and thread.addr takes ---- */

static void push_address(lua_State *L, const struct address *a) {
    struct address *copy = lua_newuserdata(L, sizeof *copy);
    *copy = *a;
    luaL_getmetatable(L, "wrk.addr");
    lua_setmetatable(L, -2);
}

/* A script is held to this machine as the command line is. */
static struct address *check_address(lua_State *L, int index) {
    struct address *a = luaL_checkudata(L, index, "wrk.addr");
    lua_getfield(L, LUA_REGISTRYINDEX, SCRIPT_ALLOW_REMOTE);
    bool allow_remote = lua_toboolean(L, -1);
    lua_pop(L, 1);
    if (!address_is_loopback(a) && !allow_remote)
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
        struct address a = address_of(i);
        push_address(L, &a);
        lua_rawseti(L, -2, ++n);
    }
    freeaddrinfo(found);
    return 1;
}

static int wrk_connect(lua_State *L) {
    lua_pushboolean(L, address_accepts(check_address(L, 1)));
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

void script_push_thread(lua_State *L, struct worker *w) {
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
    lua_State *its = script_state(check_thread(L)->script);
    lua_getglobal(its, luaL_checkstring(L, 2));
    if (its == L) return 1;
    copy_value(its, L);
    lua_pop(its, 1);
    return 1;
}

static int thread_set(lua_State *L) {
    lua_State *its = script_state(check_thread(L)->script);
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

void script_push_statistics(lua_State *L, const struct histogram *values, double unit) {
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

/* statistics[i]: the i-th smallest value; or one of the named statistics. */
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

/* ---- registering ---- */

const luaL_Reg SCRIPT_FUNCTIONS[] = {
    {"lookup", wrk_lookup}, {"connect", wrk_connect}, {"time_us", wrk_time_us}, {NULL, NULL}};

static void register_type(lua_State *L, const char *name, const luaL_Reg *functions) {
    luaL_newmetatable(L, name);
    luaL_register(L, NULL, functions);
    lua_pop(L, 1);
}

void script_register_types(lua_State *L) {
    register_type(L, "wrk.addr", (luaL_Reg[]){{"__tostring", address_tostring}, {NULL, NULL}});
    register_type(
        L, "wrk.thread",
        (luaL_Reg[]){{"__index", thread_index}, {"__newindex", thread_newindex}, {NULL, NULL}});
    register_type(L, "wrk.stats",
                  (luaL_Reg[]){{"__index", statistics_index},
                               {"__len", statistics_length},
                               {"__call", statistics_call},
                               {NULL, NULL}});
}
