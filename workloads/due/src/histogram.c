#include "histogram.h"

#include <math.h>
#include <string.h>

#include "memory.h"

#define HALF (HISTOGRAM_SUB_BUCKETS / 2)
#define HALF_MAGNITUDE 10 /* log2(HALF) */

struct histogram *histogram_new(void) {
    struct histogram *h = needed(calloc(1, sizeof *h), "a histogram");
    h->min = INT64_MAX;
    return h;
}

void histogram_clear(struct histogram *h) {
    memset(h, 0, sizeof *h);
    h->min = INT64_MAX;
}

/*
 * Bucket 0 counts 0 … 2047 one by one. Each further bucket spans twice the range with counters
 * twice as wide, and its lower half is what the buckets before it already cover: it needs HALF
 * counters only.
 */
int histogram_index(int64_t value) {
    int bucket =
        63 - __builtin_clzll((uint64_t)value | (HISTOGRAM_SUB_BUCKETS - 1)) - HALF_MAGNITUDE;
    int sub_bucket = (int)(value >> bucket);
    return (bucket << HALF_MAGNITUDE) + sub_bucket;
}

static int bucket_of(int index) {
    int bucket = (index >> HALF_MAGNITUDE) - 1;
    return bucket < 0 ? 0 : bucket;
}

static int64_t histogram_lowest_equivalent(int index) {
    int bucket = bucket_of(index);
    return (int64_t)(index - (bucket << HALF_MAGNITUDE)) << bucket;
}

int64_t histogram_highest_equivalent(int index) {
    return histogram_lowest_equivalent(index) + (INT64_C(1) << bucket_of(index)) - 1;
}

static double median_equivalent(int index) {
    return (double)(histogram_lowest_equivalent(index) + ((INT64_C(1) << bucket_of(index)) >> 1));
}

void histogram_record(struct histogram *h, int64_t value) {
    if (value < 0) value = 0;
    if (value > HISTOGRAM_HIGHEST) value = HISTOGRAM_HIGHEST;
    h->counts[histogram_index(value)]++;
    h->total++;
    if (value < h->min) h->min = value;
    if (value > h->max) h->max = value;
}

int64_t histogram_percentile(const struct histogram *h, double percentile) {
    if (h->total == 0) return 0;
    /* One step towards 0, so that 99.9 % of 1000 is 999 although 0.999 has no exact double. */
    double share = nextafter(percentile, 0) / 100;
    int64_t wanted = (int64_t)fmax(ceil(share * (double)h->total), 1);
    int64_t seen = 0;
    int i = 0;
    while ((seen += h->counts[i]) < wanted) i++;
    return histogram_highest_equivalent(i);
}

double histogram_mean(const struct histogram *h) {
    if (h->total == 0) return 0;
    double sum = 0;
    for (int i = 0; i < HISTOGRAM_COUNTS; i++)
        if (h->counts[i]) sum += median_equivalent(i) * (double)h->counts[i];
    return sum / (double)h->total;
}

double histogram_stdev(const struct histogram *h) {
    if (h->total == 0) return 0;
    double mean = histogram_mean(h), sum = 0;
    for (int i = 0; i < HISTOGRAM_COUNTS; i++) {
        if (h->counts[i] == 0) continue;
        double deviation = median_equivalent(i) - mean;
        sum += deviation * deviation * (double)h->counts[i];
    }
    return sqrt(sum / (double)h->total);
}

/* The next level at which a line is due: steps halve with every halving of the rest to 100 %. */
static double next_level(double level, int ticks_per_half) {
    double halvings = floor(log(100 / (100 - level)) / log(2)) + 1;
    return level + 100 / (ticks_per_half * pow(2, halvings));
}

static void print_lines(const struct histogram *h, FILE *out, double unit, int ticks_per_half) {
    double level = 0;
    int64_t seen = 0;
    for (int i = 0; seen < h->total; i++) {
        if (h->counts[i] == 0) continue;
        seen += h->counts[i];
        double value = (double)histogram_highest_equivalent(i) / unit;
        double reached = 100.0 * (double)seen / (double)h->total;
        while (level <= reached && level < 100) {
            fprintf(out, "%12.3f %2.12f %10lld %14.2f\n", value, level / 100, (long long)seen,
                    1 / (1 - level / 100));
            level = next_level(level, ticks_per_half);
            /* Below the last counter lie endlessly many levels: one line, then 100 %. */
            if (seen == h->total) break;
        }
        /* At 100 %, 1/(1-percentile) has no value. */
        if (seen == h->total) fprintf(out, "%12.3f %2.12f %10lld\n", value, 1.0, (long long)seen);
    }
}

void histogram_print(const struct histogram *h, FILE *out, double unit, int ticks_per_half) {
    fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
            "1/(1-Percentile)");
    print_lines(h, out, unit, ticks_per_half);
    int64_t max = h->total ? histogram_highest_equivalent(histogram_index(h->max)) : 0;
    fprintf(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", histogram_mean(h) / unit,
            histogram_stdev(h) / unit);
    fprintf(out, "#[Max     = %12.3f, Total count    = %12lld]\n", (double)max / unit,
            (long long)h->total);
    fprintf(out, "#[Buckets = %12d, SubBuckets     = %12d]\n", HISTOGRAM_BUCKETS,
            HISTOGRAM_SUB_BUCKETS);
}
