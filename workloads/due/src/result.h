/* The result of a finished run, judged and written. */
#ifndef DUE_RESULT_H
#define DUE_RESULT_H

#include <stdbool.h>
#include <stdio.h>

#include "run.h"

struct result {
    const struct run *run;
    double start_epoch_s, end_epoch_s; /* of the window; its end is earlier when stopped */
    double measured_s;
    double delivered_per_s; /* answers that arrived within the window, a second */
    double cpu_share;       /* 1 is a whole CPU */
    double cpu_wait_share;  /* of the window that it wanted to run and another program did */
    const char *stopped_by; /* "SIGINT", "SIGTERM", or NULL */
    bool was_the_limit;
    char was_the_limit_reason[512];
};

void result_collect(struct result *r, const struct run *run, const char *stopped_by);

/* For people: before the run what is requested; after it the accounts, latency, and health. */
void result_print_head(const struct options *o);
void result_print(const struct result *r);

/* For programs. */
void result_write_json(const struct result *r, FILE *out);

#endif
