/* A finished run: what the threads did, put together and judged. */
#ifndef DUE_RESULT_H
#define DUE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "worker.h"

struct result {
    const struct run *run;
    const struct worker *workers;
    size_t worker_count;
    struct tally tally;
    struct histogram *corrected, *corrected_2xx, *uncorrected, *lag; /* ns */
    struct histogram *rate_per_s;      /* answers a second, a value per thread and whole second */
    double start_epoch_s, end_epoch_s; /* of the window; its end is earlier when stopped */
    double measured_s;
    double delivered_per_s; /* answers that arrived within the window, a second */
    struct cpu_time cpu;    /* all threads */
    double cpu_share;       /* of the busiest thread; 1 is a whole CPU */
    double cpu_wait_share;  /* of the window that it wanted to run and another program did */
    const char *stopped_by; /* "SIGINT", "SIGTERM", or NULL */
    bool was_the_limit;
    char was_the_limit_reason[512];
};

/* Takes the finished workers together. */
void result_collect(struct result *r, const struct run *run, const struct worker *workers,
                    const char *stopped_by);

/* Was the generator itself what the run measured? Fills was_the_limit and its reason. */
void result_judge(struct result *r);

/* wrk2's text, then the generator's own health. */
void result_print_head(const struct run *run);
void result_print(const struct result *r);

void result_write_json(const struct result *r, FILE *out);

#endif
