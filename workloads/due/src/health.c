/*
 * Was the generator the limit? A value that describes the generator must not be taken for one
 * of the server, so the generator says when it cannot vouch for itself.
 */
#include <stdio.h>

#include "result.h"

/* A generator that runs, or waits to run, this much of the time cannot be on time any more. */
#define BUSY_SHARE 0.95
/* Own lateness that matters: over 1 ms and over a tenth of the latency that it is part of. */
#define LAG_NS 1e6
#define LAG_SHARE 0.1

static void say(struct result *r, const char *reason) {
    size_t used = 0;
    while (r->was_the_limit_reason[used]) used++;
    snprintf(r->was_the_limit_reason + used, sizeof r->was_the_limit_reason - used, "%s%s",
             used ? "; " : "", reason);
    r->was_the_limit = true;
}

static void judge_cpu(struct result *r) {
    if (r->cpu_share + r->cpu_wait_share < BUSY_SHARE) return;
    char reason[200];
    snprintf(reason, sizeof reason,
             "it used %.0f %% of a CPU and waited for one %.0f %% of the time: give it its own "
             "CPU, or a lower rate",
             100 * r->cpu_share, 100 * r->cpu_wait_share);
    say(r, reason);
}

static void judge_lag(struct result *r) {
    /* The lag of a burst says how long it took to send. */
    if (r->run->options->plan.kind == SCHEDULE_BURST) return;
    double lag = (double)histogram_percentile(r->run->lag, 99);
    double latency = (double)histogram_percentile(r->run->corrected, 99);
    if (lag <= LAG_NS || lag <= LAG_SHARE * latency) return;
    char reason[200];
    snprintf(reason, sizeof reason,
             "its own sends were up to %.1f ms late at p99, %.0f %% of the latency there: give it "
             "its own CPU",
             lag / 1e6, latency > 0 ? 100 * lag / latency : 100);
    say(r, reason);
}

static void judge_resources(struct result *r) {
    const int64_t *errors = r->run->tally.errors;
    char reason[200];
    if (errors[ERROR_DESCRIPTORS]) {
        snprintf(reason, sizeof reason,
                 "%lld requests found no descriptor: raise `ulimit -n` or lower -c",
                 (long long)errors[ERROR_DESCRIPTORS]);
        say(r, reason);
    }
    if (errors[ERROR_PORTS]) {
        snprintf(reason, sizeof reason,
                 "%lld requests found no port: wait a minute for TIME_WAIT to end, or lower the "
                 "rate",
                 (long long)errors[ERROR_PORTS]);
        say(r, reason);
    }
}

void result_judge(struct result *r) {
    judge_cpu(r);
    judge_lag(r);
    judge_resources(r);
}
