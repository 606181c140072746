/*
 * When requests are due. The schedule knows nothing of connections or answers: it is the
 * timetable that the server is held against.
 */
#ifndef DUE_SCHEDULE_H
#define DUE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum schedule_kind {
    SCHEDULE_CONSTANT, /* every 1/rate */
    SCHEDULE_POISSON,  /* exponential gaps with mean 1/rate: users who know nothing of each other */
    SCHEDULE_BURST,    /* rate * duration of them, all at the start of the window */
};

#define SCHEDULE_STEPS 16

struct schedule_step {
    double factor; /* of the plan's rate */
    int64_t length_ns;
};

struct schedule_plan {
    enum schedule_kind kind;
    double rate_per_s;
    uint64_t seed;      /* draws the gaps of SCHEDULE_POISSON, and which requests are mixed in */
    double mixed_in;    /* share of the requests that ask for the second path */
    int64_t warm_up_ns; /* requests due before this are not measured; a burst starts after it */
    int64_t duration_ns;
    /* Steps of the window, together as long as that; none: the rate stays the same. */
    struct schedule_step steps[SCHEDULE_STEPS];
    size_t step_count;
};

struct arrival {
    int64_t due_ns; /* since the start of the warm-up */
    bool measured;
    bool mixed_in;
};

struct schedule {
    const struct schedule_plan *plan;
    uint64_t index;  /* of the next request within the phase; constant and burst */
    double clock_ns; /* of the last request within the phase; poisson */
    uint64_t random, choices; /* one each: a mix leaves the times as they are */
    bool measured; /* which phase: warm-up or measured */
    bool exhausted;
    struct arrival next; /* valid unless exhausted */
};

/* The rate of the fastest step. */
double schedule_highest_per_s(const struct schedule_plan *plan);

void schedule_init(struct schedule *s, const struct schedule_plan *plan);

/* Steps to the next arrival, in order of time. */
void schedule_advance(struct schedule *s);

#endif
