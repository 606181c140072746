#include "pool.h"

#include <stdio.h>
#include <stdlib.h>

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory == NULL) {
        perror("due: no memory for the connections");
        exit(1);
    }
    return memory;
}

void pool_init(struct pool *p, unsigned connection_count) {
    *p = (struct pool){.connection_count = connection_count};
    p->connections = allocate(connection_count, sizeof *p->connections);
    p->idle = allocate(connection_count, sizeof *p->idle);
    p->waiting = allocate(connection_count, sizeof *p->waiting);
    for (unsigned i = 0; i < connection_count; i++) p->connections[i].fd = -1;
}

/* ---- idle ---- */

void pool_push_idle(struct pool *p, struct connection *c) {
    p->idle[(p->idle_first + p->idle_count++) % p->connection_count] = c;
}

struct connection *pool_pop_idle(struct pool *p) {
    struct connection *c = p->idle[p->idle_first];
    p->idle_first = (p->idle_first + 1) % p->connection_count;
    p->idle_count--;
    return c;
}

/* ---- waiting: a binary heap ---- */

void pool_push_waiting(struct pool *p, struct connection *c) {
    unsigned at = p->waiting_count++;
    while (at > 0 && p->waiting[(at - 1) / 2]->due_ns > c->due_ns) {
        p->waiting[at] = p->waiting[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    p->waiting[at] = c;
    c->state = WAITING;
}

struct connection *pool_pop_waiting(struct pool *p) {
    struct connection *first = p->waiting[0], *last = p->waiting[--p->waiting_count];
    unsigned at = 0;
    for (;;) {
        unsigned child = 2 * at + 1;
        if (child >= p->waiting_count) break;
        if (child + 1 < p->waiting_count &&
            p->waiting[child + 1]->due_ns < p->waiting[child]->due_ns)
            child++;
        if (p->waiting[child]->due_ns >= last->due_ns) break;
        p->waiting[at] = p->waiting[child];
        at = child;
    }
    p->waiting[at] = last;
    return first;
}

/* ---- under way ---- */

void pool_add_under_way(struct pool *p, struct connection *c) {
    c->older = p->newest;
    c->newer = NULL;
    if (p->newest) p->newest->newer = c;
    else p->oldest = c;
    p->newest = c;
    p->busy++;
    p->unsent++;
}

void pool_remove_under_way(struct pool *p, struct connection *c) {
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
