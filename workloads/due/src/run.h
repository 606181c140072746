/* A run: its timetable, its connections, and the loop that brings them together. */
#ifndef DUE_RUN_H
#define DUE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "answers.h"
#include "histogram.h"
#include "options.h"
#include "pool.h"
#include "schedule.h"
#include "script.h"
#include "series.h"
#include "tally.h"
#include "target.h"

#define RECEIVE_BYTES 65536

/* CPU of the process: used, and spent waiting for a CPU that others used. */
struct cpu_time {
    double user_s, system_s, wait_s;
};

struct run {
    const struct options *options;
    const struct target *target;
    int stop_fd;           /* becomes readable when the run is to end now */
    struct script *script; /* or NULL: then every request is `request` */
    const char *request;
    size_t request_length;
    const char *mixed_in_request; /* of --mix, or NULL */
    size_t mixed_in_length;
    bool new_connections; /* a new connection for every request */

    struct dialer dialer;
    int timer;
    int64_t timer_set_to_ns;
    char *buffer; /* RECEIVE_BYTES */

    struct schedule schedule;
    struct pool pool;
    int64_t last_sent_ns;
    int64_t realtime_ahead_ns; /* of the clock of now_ns; the kernel stamps answers with it */
    bool answers_are_stamped;
    bool answers_end_with_connection; /* and their ends are not stamped */

    int64_t start_ns;        /* of the warm-up, on the clock of now_ns */
    int64_t window_start_ns; /* of measuring */
    int64_t window_end_ns;   /* earlier when stopped */
    bool stopped;

    struct tally tally;
    /* ns; the requests of --mix are in `mixed_in` alone */
    struct histogram *corrected, *corrected_2xx, *uncorrected, *without_lag, *mixed_in, *lag;
    struct series series;
    struct answers answers;
    struct cpu_time cpu_at_start, cpu; /* cpu: within the window */
    bool window_opened, window_closed;
};

/* Prepares the run, and its script if it has one. Exits with a message when it cannot. */
void run_init(struct run *r, const struct options *o, const struct target *t, int stop_fd);

/* Opens the connections, sends what is due, and waits for what has been sent. */
void run_to_the_end(struct run *r);

#endif
