/*
 * Was the generator the limit? A value that describes the generator must not be taken for one
 * of the server, so the generator says when it cannot vouch for itself. Late sends are no reason:
 * a limit on them as a share of the latency would refuse the faster of two servers. They have a
 * histogram (without_lag) that bounds the latency from below.
 */
#include <stdio.h>

#include "result.h"

/* A generator that runs, or waits to run, this much of the time cannot be on time any more. */
#define BUSY_SHARE 0.95

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

static void judge_resources(struct result *r) {
    const long long *errors = r->run->tally.errors;
    char reason[200];
    if (errors[ERROR_DESCRIPTORS]) {
        snprintf(reason, sizeof reason,
                 "%lld requests found no descriptor: raise `ulimit -n` or lower -c",
                 errors[ERROR_DESCRIPTORS]);
        say(r, reason);
    }
    if (errors[ERROR_PORTS]) {
        snprintf(reason, sizeof reason,
                 "%lld requests found no port: wait a minute for TIME_WAIT to end, or lower the "
                 "rate",
                 errors[ERROR_PORTS]);
        say(r, reason);
    }
}

void result_judge(struct result *r) {
    judge_cpu(r);
    judge_resources(r);
}
