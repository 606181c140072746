#include "pool.h"

#include "memory.h"

void pool_init(struct pool *p, unsigned connection_count) {
    *p = (struct pool){.connection_count = connection_count};
    p->connections = needed(calloc(connection_count, sizeof *p->connections), "connections");
    p->idle = needed(calloc(connection_count, sizeof *p->idle), "connections");
    for (unsigned i = 0; i < connection_count; i++) {
        p->connections[i].fd = -1;
        pool_push_idle(p, &p->connections[i]);
    }
}

void pool_push_idle(struct pool *p, struct connection *c) {
    c->state = IDLE;
    p->idle[(p->idle_first + p->idle_count++) % p->connection_count] = c;
}

struct connection *pool_pop_idle(struct pool *p) {
    struct connection *c = p->idle[p->idle_first];
    p->idle_first = (p->idle_first + 1) % p->connection_count;
    p->idle_count--;
    return c;
}

void pool_add_in_flight(struct pool *p, struct connection *c) {
    c->older = p->newest;
    c->newer = NULL;
    if (p->newest) p->newest->newer = c;
    else p->oldest = c;
    p->newest = c;
    p->busy++;
    p->unsent++;
}

void pool_remove_in_flight(struct pool *p, struct connection *c) {
    if (c->state < RECEIVING) p->unsent--;
    if (c->older) c->older->newer = c->newer;
    else p->oldest = c->newer;
    if (c->newer) c->newer->older = c->older;
    else p->newest = c->older;
    p->busy--;
}

void pool_set_sent(struct pool *p, struct connection *c) {
    c->state = RECEIVING;
    p->unsent--;
}
