#ifndef DUE_CLOCK_H
#define DUE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)

/* A time that never comes. */
#define NEVER INT64_MAX

static inline int64_t clock_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* Every time in the program is on this clock, in nanoseconds. */
static inline int64_t now_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

static inline int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }

#endif
