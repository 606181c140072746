/*
 * A log-linear histogram of 64-bit values after Gil Tene's HdrHistogram, three significant
 * digits, 1 ns to 1 h: same bucket layout, same definition of a percentile, same text output as
 * HdrHistogram's Java class `Histogram(1, 3600000000000, 3)`, against which the tests hold it.
 */
#ifndef DUE_HISTOGRAM_H
#define DUE_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define HISTOGRAM_HIGHEST INT64_C(3600000000000)
#define HISTOGRAM_SUB_BUCKETS 2048
/* 2048 * 2^31 is the first power of two step above the highest value: 32 buckets. */
#define HISTOGRAM_BUCKETS 32
#define HISTOGRAM_COUNTS ((HISTOGRAM_BUCKETS + 1) * (HISTOGRAM_SUB_BUCKETS / 2))

struct histogram {
    int64_t total;
    int64_t min; /* exact, not rounded to a bucket */
    int64_t max;
    int64_t counts[HISTOGRAM_COUNTS];
};

struct histogram *histogram_new(void);
void histogram_clear(struct histogram *h);

/* Values outside 0 … HISTOGRAM_HIGHEST are recorded as the nearest end. */
void histogram_record(struct histogram *h, int64_t value);

/* Which counter a value falls into, and the values that share a counter. */
int histogram_index(int64_t value);
int64_t histogram_highest_equivalent(int index);

/* The largest value that is equivalent to the one at this percentile (0 … 100); 0 when empty. */
int64_t histogram_percentile(const struct histogram *h, double percentile);
double histogram_mean(const struct histogram *h);
double histogram_stdev(const struct histogram *h);

/* The standard .hgrm file: values divided by `unit`, with `ticks_per_half` lines per halving of the
 * distance to 100 %. */
void histogram_print(const struct histogram *h, FILE *out, double unit, int ticks_per_half);

#endif
