/* The result for people. */
#include <stdio.h>

#include "result.h"

static void print_accounts(const struct tally *t) {
    printf("%lld due = %lld answered + %lld failed + %lld in flight at the end + %lld never sent\n",
           t->due, t->completed, tally_errors(t),
           t->in_flight_at_end, t->unsent_at_end);
    if (t->completed > t->status[2])
        printf("  not answered with 2xx: %lld\n", t->completed - t->status[2]);
    for (int i = 0; i < ERROR_KINDS; i++)
        if (t->errors[i]) printf("  failed, %s: %lld\n", ERROR_NAMES[i], t->errors[i]);
    if (t->waited_for_connection)
        printf("  %lld came due while every connection was busy, and waited for one\n",
               t->waited_for_connection);
}

static void print_latency(const char *name, const struct histogram *h) {
    static const double percentiles[] = {50, 90, 99, 99.9};
    printf("  %-12s", name);
    for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++)
        printf("%12.3f", (double)histogram_percentile(h, percentiles[i]) / 1e6);
    printf("%12.3f\n", (double)h->max / 1e6);
}

static void print_health(const struct result *r) {
    const struct run *run = r->run;
    printf("Generator: CPU %.1f%%", 100 * r->cpu_share);
    if (run->tally.completed)
        printf(", %.1f us a request",
               1e6 * (run->cpu.user_s + run->cpu.system_s) / (double)run->tally.completed);
    printf("; schedule lag p50 %.3f ms, p99 %.3f ms, max %.3f ms\n",
           (double)histogram_percentile(run->lag, 50) / 1e6,
           (double)histogram_percentile(run->lag, 99) / 1e6, (double)run->lag->max / 1e6);
    if (r->was_the_limit) printf("  THE GENERATOR WAS THE LIMIT: %s\n", r->was_the_limit_reason);
    if (r->stopped_by)
        printf("  Stopped by %s after %.2f s of the window\n", r->stopped_by, r->measured_s);
}

void result_print_head(const struct options *o) {
    printf("Running %.10g s of %.10g requests/s over %llu connections @ %s\n",
           (double)o->plan.duration_ns / 1e9, o->plan.rate_per_s,
           (unsigned long long)o->connections, o->url);
    if (o->plan.warm_up_ns)
        printf("  %.10g s of warm-up before it, not measured\n", (double)o->plan.warm_up_ns / 1e9);
    fflush(stdout);
}

void result_print(const struct result *r) {
    const struct run *run = r->run;
    print_accounts(&run->tally);
    if (run->tally.completed) {
        printf("  Latency (ms)%12s%12s%12s%12s%12s\n", "p50", "p90", "p99", "p99.9", "max");
        print_latency("corrected", run->corrected);
        print_latency("uncorrected", run->uncorrected);
        if (run->mixed_in_request) print_latency("mixed in", run->mixed_in);
    }
    printf("Requests/sec: %.2f\n", r->delivered_per_s);
    print_health(r);
}
