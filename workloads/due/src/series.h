/* The run step by step. */
#ifndef DUE_SERIES_H
#define DUE_SERIES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "histogram.h"

struct series_step {
    int64_t due; /* by when they were due; the rest by when it happened */
    int64_t sent;
    int64_t completed;
    int64_t errors;
    int64_t p50_ns, p99_ns, max_ns; /* latency; 0 without an answer */
};

struct series {
    int64_t start_ns;
    int64_t step_ns;
    struct series_step *steps;
    size_t count, capacity;
    size_t live_step; /* whose latencies are still in `live` */
    struct histogram *live;
};

void series_init(struct series *s, int64_t step_ns);

/* The step that a time falls into; times before the start belong to the first. */
struct series_step *series_at(struct series *s, int64_t time_ns);

/*
 * A request was answered. The latency of one that comes out of order, after one of a later
 * step, is put into that step: answers are read milliseconds after each other, not more.
 */
void series_completed(struct series *s, int64_t time_ns, int64_t latency_ns);

/* Sums up the step so far; call before reading. */
void series_finish(struct series *s);

/* CSV: time_s,due,sent,completed,errors,p50_us,p99_us,max_us */
void series_print(const struct series *s, FILE *out);

#endif
