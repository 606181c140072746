#include "result.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"

/*
 * Was the generator the limit? A value that describes the generator must not be taken for one
 * of the server, so the generator says when it cannot vouch for itself. Late sends are no reason:
 * a limit on them as a share of the latency would refuse the faster of two servers. They have a
 * histogram (without_lag) that bounds the latency from below.
 */

/* A generator that runs, or waits to run, this much of the time cannot be on time any more. */
#define BUSY_SHARE 0.95

static void say(struct result *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct result *r, const char *format, ...) {
    size_t size = sizeof r->was_the_limit_reason;
    if (r->was_the_limit) strcat(r->was_the_limit_reason, "; ");
    size_t used = strlen(r->was_the_limit_reason);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->was_the_limit_reason + used, size - used, format, arguments);
    va_end(arguments);
    r->was_the_limit = true;
}

static void judge(struct result *r) {
    const long long *errors = r->run->tally.errors;
    if (r->cpu_share + r->cpu_wait_share >= BUSY_SHARE)
        say(r,
            "it used %.0f %% of a CPU and waited for one %.0f %% of the time: give it its own CPU, "
            "or a lower rate",
            100 * r->cpu_share, 100 * r->cpu_wait_share);
    if (errors[ERROR_DESCRIPTORS])
        say(r, "%lld requests found no descriptor: raise `ulimit -n` or lower -c",
            errors[ERROR_DESCRIPTORS]);
    if (errors[ERROR_PORTS])
        say(r,
            "%lld requests found no port: wait a minute for TIME_WAIT to end, or lower the rate",
            errors[ERROR_PORTS]);
}

static double epoch_s(int64_t monotonic_ns) {
    int64_t offset = clock_ns(CLOCK_REALTIME) - now_ns();
    return (double)(monotonic_ns + offset) / 1e9;
}

void result_collect(struct result *r, const struct run *run, const char *stopped_by) {
    *r = (struct result){.run = run, .stopped_by = stopped_by};
    int64_t measured_ns = run->window_end_ns - run->window_start_ns;
    if (measured_ns < 0) measured_ns = 0; /* stopped in the warm-up */
    r->start_epoch_s = epoch_s(run->window_start_ns);
    r->measured_s = (double)measured_ns / 1e9;
    r->end_epoch_s = r->start_epoch_s + r->measured_s;
    if (measured_ns > 0) {
        r->delivered_per_s = (double)run->tally.answers_in_window / r->measured_s;
        r->cpu_share = (run->cpu.user_s + run->cpu.system_s) / r->measured_s;
        r->cpu_wait_share = run->cpu.wait_s / r->measured_s;
    }
    judge(r);
}
