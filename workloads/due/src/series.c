#include "series.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"

void series_init(struct series *s, int64_t step_ns) {
    *s = (struct series){.step_ns = step_ns, .live = histogram_new()};
}

static void *grown(void *memory, size_t bytes) {
    void *result = realloc(memory, bytes);
    if (result == NULL) {
        perror("due: no memory for the time series");
        exit(1);
    }
    return result;
}

struct series_step *series_at(struct series *s, int64_t time_ns) {
    int64_t since = time_ns - s->start_ns;
    size_t step = since < 0 ? 0 : (size_t)(since / s->step_ns);
    if (step >= s->capacity) {
        s->capacity = (step + 1) * 2;
        s->steps = grown(s->steps, s->capacity * sizeof *s->steps);
    }
    while (s->count <= step) s->steps[s->count++] = (struct series_step){0};
    return &s->steps[step];
}

int64_t series_step_end(const struct series *s, int64_t time_ns) {
    int64_t step = (time_ns - s->start_ns) / s->step_ns;
    return s->start_ns + (step + 1) * s->step_ns;
}

/* Moves the latencies of the live step to where they stay. */
static void compact(struct series *s) {
    if (s->live->total == 0) return;
    struct series_step *step = &s->steps[s->live_step];
    step->latency_max = s->live->max;
    for (int i = 0; i < HISTOGRAM_COUNTS; i++) step->bucket_count += s->live->counts[i] != 0;
    step->buckets = grown(NULL, step->bucket_count * sizeof *step->buckets);
    struct series_bucket *bucket = step->buckets;
    for (int i = 0; i < HISTOGRAM_COUNTS; i++)
        if (s->live->counts[i]) *bucket++ = (struct series_bucket){i, (int32_t)s->live->counts[i]};
    histogram_clear(s->live);
}

void series_completed(struct series *s, int64_t time_ns, int64_t latency_ns) {
    struct series_step *step = series_at(s, time_ns);
    step->completed++;
    size_t index = (size_t)(step - s->steps);
    if (index > s->live_step) {
        compact(s);
        s->live_step = index;
    }
    histogram_record(s->live, latency_ns);
}

void series_finish(struct series *s) { compact(s); }

static void add_step(struct series_step *sum, struct histogram *latencies,
                     const struct series_step *step) {
    sum->due += step->due;
    sum->sent += step->sent;
    sum->completed += step->completed;
    sum->errors += step->errors;
    if (step->latency_max > sum->latency_max) sum->latency_max = step->latency_max;
    for (size_t i = 0; i < step->bucket_count; i++) {
        latencies->counts[step->buckets[i].index] += step->buckets[i].count;
        latencies->total += step->buckets[i].count;
    }
}

static void print_step(FILE *out, double time_s, const struct series_step *sum,
                       const struct histogram *latencies) {
    fprintf(out, "%.10g,%lld,%lld,%lld,%lld,", time_s, (long long)sum->due, (long long)sum->sent,
            (long long)sum->completed, (long long)sum->errors);
    if (latencies->total == 0) {
        fputs(",,\n", out); /* no answer in this step: no latency, rather than one of 0 */
        return;
    }
    fprintf(out, "%.1f,%.1f,%.1f\n", (double)histogram_percentile(latencies, 50) / 1e3,
            (double)histogram_percentile(latencies, 99) / 1e3, (double)sum->latency_max / 1e3);
}

void series_print(const struct series *const *threads, size_t thread_count, FILE *out) {
    size_t steps = 0;
    for (size_t t = 0; t < thread_count; t++)
        if (threads[t]->count > steps) steps = threads[t]->count;
    double step_s = (double)threads[0]->step_ns / 1e9;
    struct histogram *latencies = histogram_new();
    fputs("time_s,due,sent,completed,errors,p50_us,p99_us,max_us\n", out);
    for (size_t i = 0; i < steps; i++) {
        struct series_step sum = {0};
        histogram_clear(latencies);
        for (size_t t = 0; t < thread_count; t++)
            if (i < threads[t]->count) add_step(&sum, latencies, &threads[t]->steps[i]);
        print_step(out, (double)i * step_s, &sum, latencies);
    }
    free(latencies);
}
