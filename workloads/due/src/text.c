/* The result for people, in wrk2's words and columns, so that what reads wrk2 reads this. */
#include <stdio.h>
#include <string.h>

#include "result.h"

struct scale {
    double step; /* from one unit to the next */
    const char *units[6];
};

static const struct scale MICROSECONDS = {1000, {"us", "ms", "s", NULL}};
static const struct scale SECONDS = {60, {"s", "m", "h", NULL}};
static const struct scale BYTES = {1024, {"", "K", "M", "G", "T", NULL}};
static const struct scale COUNT = {1000, {"", "k", "M", "G", "T", NULL}};

/* "1.23ms": goes to the next unit at 0.85 of it, as wrk2 does. */
static const char *scaled(char text[32], double value, const struct scale *s, int decimals) {
    int unit = 0;
    while (s->units[unit + 1] && value >= 0.85 * s->step) {
        value /= s->step;
        unit++;
    }
    snprintf(text, 32, "%.*f%s", decimals, value, s->units[unit]);
    return text;
}

/* Right-aligned so that the digits stand under each other whatever the length of the unit. */
static void print_cell(double value, const struct scale *s, int width) {
    char text[32];
    scaled(text, value, s, 2);
    size_t letters = strlen(text) - strspn(text, "0123456789.");
    int pad = 2 - (int)letters;
    printf("%*s%*s", width - pad, text, pad, "");
}

static void print_row(const char *name, const struct histogram *h, double unit,
                      const struct scale *s) {
    printf("    %-10s", name);
    print_cell(histogram_mean(h) / unit, s, 8);
    print_cell(histogram_stdev(h) / unit, s, 10);
    print_cell((double)h->max / unit, s, 9);
    printf("%8.2f%%\n", 100 * histogram_within_stdev(h));
}

static void print_distribution(const struct histogram *h, const char *title) {
    static const double percentiles[] = {50, 75, 90, 99, 99.9, 99.99, 99.999, 100};
    printf("  Latency Distribution (HdrHistogram - %s)\n", title);
    for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++) {
        printf("%7.3f%%", percentiles[i]);
        print_cell((double)histogram_percentile(h, percentiles[i]) / 1e3, &MICROSECONDS, 10);
        printf("\n");
    }
    printf("\n  Detailed Percentile spectrum:\n");
    histogram_print(h, stdout, 1e6, 5, &PERCENTILE_STYLE_WRK2);
    printf("----------------------------------------------------------\n");
}

/* wrk2 knows four kinds of socket errors. */
static void print_errors(const struct tally *t) {
    const int64_t *e = t->errors;
    long long connect =
        e[ERROR_CONNECT_REFUSED] + e[ERROR_CONNECT_TIMEOUT] + e[ERROR_CONNECT_OTHER];
    long long read = e[ERROR_RESET] + e[ERROR_CLOSED_EARLY] + e[ERROR_MALFORMED];
    if (tally_errors(t))
        printf("  Socket errors: connect %lld, read %lld, write %lld, timeout %lld\n", connect,
               read, (long long)e[ERROR_WRITE], (long long)e[ERROR_TIMEOUT]);
    if (t->status[4] + t->status[5])
        printf("  Non-2xx or 3xx responses: %lld\n", (long long)(t->status[4] + t->status[5]));
}

static void print_accounts(const struct result *r) {
    const struct tally *t = &r->tally;
    printf("Accounts: %lld due = %lld answered + %lld failed + %lld under way at the end + %lld "
           "never sent\n",
           (long long)t->due, (long long)t->completed, (long long)tally_errors(t),
           (long long)t->in_flight_at_end, (long long)t->unsent_at_end);
    for (int i = 0; i < ERROR_KINDS; i++)
        if (t->errors[i]) printf("  failed, %s: %lld\n", ERROR_NAMES[i], (long long)t->errors[i]);
    if (t->waited_for_connection)
        printf("  %lld came due while every connection was busy, and waited for one\n",
               (long long)t->waited_for_connection);
}

static void print_health(const struct result *r) {
    char p50[32], p99[32], max[32];
    double offered = schedule_mean_rate_per_s(&r->run->options->plan);
    printf("Generator: %.2f/s asked, %.2f/s delivered; CPU %.1f%%", offered, r->delivered_per_s,
           100 * r->cpu_share);
    if (r->tally.completed)
        printf(", %.1f us a request",
               1e6 * (r->cpu.user_s + r->cpu.system_s) / (double)r->tally.completed);
    printf("; schedule lag p50 %s, p99 %s, max %s\n",
           scaled(p50, (double)histogram_percentile(r->lag, 50) / 1e3, &MICROSECONDS, 2),
           scaled(p99, (double)histogram_percentile(r->lag, 99) / 1e3, &MICROSECONDS, 2),
           scaled(max, (double)r->lag->max / 1e3, &MICROSECONDS, 2));
    if (r->was_the_limit) printf("  THE GENERATOR WAS THE LIMIT: %s\n", r->was_the_limit_reason);
    if (r->stopped_by)
        printf("  Stopped by %s after %.2fs of the window\n", r->stopped_by, r->measured_s);
}

void result_print_head(const struct run *run) {
    const struct options *o = run->options;
    char duration[32], warm_up[32];
    bool whole = o->plan.duration_ns % 1000000000 == 0;
    printf("Running %s test @ %s\n",
           scaled(duration, (double)o->plan.duration_ns / 1e9, &SECONDS, whole ? 0 : 2), o->url);
    printf("  %llu threads and %llu connections\n", (unsigned long long)o->threads,
           (unsigned long long)o->connections);
    if (o->plan.warm_up_ns)
        printf("  %s of warm-up before it, not measured\n",
               scaled(warm_up, (double)o->plan.warm_up_ns / 1e9, &SECONDS, 2));
    fflush(stdout);
}

void result_print(const struct result *r) {
    const struct options *o = r->run->options;
    char duration[32], bytes[32];
    printf("  Thread Stats%6s%11s%8s%12s\n", "Avg", "Stdev", "Max", "+/- Stdev");
    print_row("Latency", r->corrected, 1e3, &MICROSECONDS);
    print_row("Req/Sec", r->rate_per_s, 1, &COUNT);
    if (o->print_latency) print_distribution(r->corrected, "Recorded Latency");
    if (o->print_uncorrected) {
        printf("\n");
        print_distribution(r->uncorrected, "Uncorrected Latency (measured without taking delayed "
                                           "starts into account)");
    }
    printf("  %lld requests in %s, %sB read\n", (long long)r->tally.completed,
           scaled(duration, r->measured_s * 1e6, &MICROSECONDS, 2),
           scaled(bytes, (double)r->tally.received_bytes, &BYTES, 2));
    print_errors(&r->tally);
    printf("Requests/sec: %9.2f\n", r->delivered_per_s);
    double per_s = r->measured_s > 0 ? (double)r->tally.received_bytes / r->measured_s : 0;
    printf("Transfer/sec: %10sB\n", scaled(bytes, per_s, &BYTES, 2));
    print_accounts(r);
    print_health(r);
}
