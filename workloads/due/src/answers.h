/* Latencies of 2xx answers by the second in which their requests were due. */
#ifndef DUE_ANSWERS_H
#define DUE_ANSWERS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "histogram.h"

struct answers {
    int64_t start_ns; /* of the window */
    struct histogram **seconds;
    size_t count; /* 0: nothing is recorded */
};

/* For a window of this length; 0 where they are not wanted. */
void answers_init(struct answers *a, int64_t duration_ns);

/* `due_ns` lies within the window. */
void answers_record(struct answers *a, int64_t due_ns, int64_t latency_ns);

/* CSV: due_s,latency_us,count */
void answers_print(const struct answers *a, FILE *out);

#endif
