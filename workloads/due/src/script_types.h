/* What a script can hold in its hands: addresses, threads and statistics; and wrk's functions. */
#ifndef DUE_SCRIPT_TYPES_H
#define DUE_SCRIPT_TYPES_H

#include <lauxlib.h>
#include <lua.h>

#include "script.h"

/* Key in the registry: may thread.addr be another machine? */
#define SCRIPT_ALLOW_REMOTE "due.allow_remote"

/* wrk.lookup, wrk.connect and wrk.time_us. */
extern const luaL_Reg SCRIPT_FUNCTIONS[];

/* To be called once in a new state. */
void script_register_types(lua_State *L);

void script_push_thread(lua_State *L, struct worker *w);

/* Values are shown divided by `unit`; the histogram must outlive the state. */
void script_push_statistics(lua_State *L, const struct histogram *values, double unit);

lua_State *script_state(const struct script *s);

#endif
