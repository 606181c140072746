#include "series.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"

void series_init(struct series *s) { *s = (struct series){.live = histogram_new()}; }

static void *grown(void *memory, size_t bytes) {
    void *result = realloc(memory, bytes);
    if (result == NULL) {
        perror("due: no memory for the time series");
        exit(1);
    }
    return result;
}

struct series_second *series_at(struct series *s, int64_t time_ns) {
    int64_t since = time_ns - s->start_ns;
    size_t second = since < 0 ? 0 : (size_t)(since / NS_PER_S);
    if (second >= s->capacity) {
        s->capacity = (second + 1) * 2;
        s->seconds = grown(s->seconds, s->capacity * sizeof *s->seconds);
    }
    while (s->count <= second) s->seconds[s->count++] = (struct series_second){0};
    return &s->seconds[second];
}

/* Moves the latencies of the live second to where they stay. */
static void compact(struct series *s) {
    if (s->live->total == 0) return;
    struct series_second *second = &s->seconds[s->live_second];
    second->latency_max = s->live->max;
    for (int i = 0; i < HISTOGRAM_COUNTS; i++) second->bucket_count += s->live->counts[i] != 0;
    second->buckets = grown(NULL, second->bucket_count * sizeof *second->buckets);
    struct series_bucket *bucket = second->buckets;
    for (int i = 0; i < HISTOGRAM_COUNTS; i++)
        if (s->live->counts[i]) *bucket++ = (struct series_bucket){i, (int32_t)s->live->counts[i]};
    histogram_clear(s->live);
}

void series_completed(struct series *s, int64_t time_ns, int64_t latency_ns) {
    struct series_second *second = series_at(s, time_ns);
    second->completed++;
    size_t index = (size_t)(second - s->seconds);
    if (index > s->live_second) {
        compact(s);
        s->live_second = index;
    }
    histogram_record(s->live, latency_ns);
}

void series_finish(struct series *s) { compact(s); }

static void add_second(struct series_second *sum, struct histogram *latencies,
                       const struct series_second *second) {
    sum->due += second->due;
    sum->sent += second->sent;
    sum->completed += second->completed;
    sum->errors += second->errors;
    if (second->latency_max > sum->latency_max) sum->latency_max = second->latency_max;
    for (size_t i = 0; i < second->bucket_count; i++) {
        latencies->counts[second->buckets[i].index] += second->buckets[i].count;
        latencies->total += second->buckets[i].count;
    }
}

static void print_second(FILE *out, size_t time_s, const struct series_second *sum,
                         const struct histogram *latencies) {
    fprintf(out, "%zu,%lld,%lld,%lld,%lld,", time_s, (long long)sum->due, (long long)sum->sent,
            (long long)sum->completed, (long long)sum->errors);
    if (latencies->total == 0) {
        fputs(",,\n", out); /* no answer in this second: no latency, rather than one of 0 */
        return;
    }
    fprintf(out, "%.1f,%.1f,%.1f\n", (double)histogram_percentile(latencies, 50) / 1e3,
            (double)histogram_percentile(latencies, 99) / 1e3, (double)sum->latency_max / 1e3);
}

void series_print(const struct series *const *threads, size_t thread_count, FILE *out) {
    size_t seconds = 0;
    for (size_t t = 0; t < thread_count; t++)
        if (threads[t]->count > seconds) seconds = threads[t]->count;
    struct histogram *latencies = histogram_new();
    fputs("time_s,due,sent,completed,errors,p50_us,p99_us,max_us\n", out);
    for (size_t i = 0; i < seconds; i++) {
        struct series_second sum = {0};
        histogram_clear(latencies);
        for (size_t t = 0; t < thread_count; t++)
            if (i < threads[t]->count) add_second(&sum, latencies, &threads[t]->seconds[i]);
        print_second(out, i, &sum, latencies);
    }
    free(latencies);
}
