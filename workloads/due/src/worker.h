/*
 * A thread of the generator: its share of the timetable, its connections, and the loop that
 * brings them together. Threads share nothing while they run.
 */
#ifndef DUE_WORKER_H
#define DUE_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "histogram.h"
#include "options.h"
#include "pool.h"
#include "schedule.h"
#include "series.h"
#include "tally.h"
#include "target.h"

#define RECEIVE_BYTES 65536

struct script;

/* What all threads of a run have in common; not changed after `start_ns` is set. */
struct run {
    const struct options *options;
    const struct target *target;
    unsigned source_addresses;
    char *request; /* what to send when there is no script */
    size_t request_length;
    int stop_fd; /* becomes readable when the run is to end now */
    pthread_barrier_t ready;
    int64_t start_ns;        /* of the warm-up, on the clock of now_ns */
    int64_t window_start_ns; /* of measuring */
    int64_t window_end_ns;
};

/* CPU of one thread: used, and spent waiting for a CPU that others used. */
struct cpu_time {
    double user_s, system_s, wait_s;
};

struct worker {
    struct run *run;
    unsigned number;
    pthread_t thread;
    struct address address;
    struct script *script; /* NULL: the fast path */

    struct dialer dialer;
    int timer;
    int64_t timer_set_to_ns;
    char *buffer; /* RECEIVE_BYTES */

    struct pool pool;
    int64_t last_sent_ns;
    int64_t realtime_ahead_ns; /* of the clock of now_ns; the kernel stamps answers with it */
    bool answers_are_stamped;
    bool answers_end_with_connection; /* and their ends are not stamped */
    struct schedule schedule;         /* shared by the connections … */
    struct schedule *own_schedules;   /* … or one for each of them (--assign own) */

    int64_t window_end_ns; /* the run's, or earlier when stopped */
    bool stopped;

    struct tally tally;
    struct histogram *corrected, *corrected_2xx, *uncorrected, *lag; /* ns */
    struct series series;
    struct cpu_time cpu_at_start, cpu; /* cpu: within the window */
    bool window_opened, window_closed;
};

/* Gives worker number `number` its part of the run. Exits with a message when it cannot. */
void worker_init(struct worker *w, struct run *run, unsigned number);

/* A pthread function: opens the connections, waits for the other threads, runs. */
void *worker_main(void *worker);

/* From the thread itself, between two requests: ends its part of the run now. */
void worker_stop(struct worker *w);

#endif
