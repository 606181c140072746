/*
 * Percentiles against the values themselves; mean, deviation and lines: test_histogram_reference.py.
 * With `print <unit> <ticks>`: records the numbers on stdin and prints the percentile distribution.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "histogram.h"

static uint64_t random_state = 42;

/* Log-uniform between 1 and the highest value: each power of two is as likely as the next. */
static int64_t random_value(void) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    double uniform = (double)(random_state >> 11) * 0x1p-53;
    return (int64_t)exp(uniform * log((double)HISTOGRAM_HIGHEST));
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void test_percentiles(void) {
    enum { COUNT = 10000 };
    static int64_t values[COUNT];
    struct histogram *h = histogram_new();
    histogram_record(h, 1);
    histogram_clear(h);
    CHECK(histogram_percentile(h, 99) == 0, "empty");
    for (int i = 0; i < COUNT; i++) histogram_record(h, values[i] = random_value());
    qsort(values, COUNT, sizeof *values, by_value);
    static const double percentiles[] = {0.01, 1, 25, 50, 90, 95, 99, 99.9, 99.99, 100};
    for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++) {
        int64_t exact = values[(int)ceil(percentiles[i] / 100 * COUNT - 1e-9) - 1];
        int64_t got = histogram_percentile(h, percentiles[i]);
        CHECK(histogram_index(got) == histogram_index(exact), "p%g: %lld, exactly %lld",
              percentiles[i], (long long)got, (long long)exact);
    }
    CHECK(h->min == values[0] && h->max == values[COUNT - 1], "min and max are exact");
    CHECK(h->total == COUNT, "%lld", (long long)h->total);
    free(h);
}

static void test_ends(void) {
    struct histogram *h = histogram_new();
    histogram_record(h, -5);
    histogram_record(h, INT64_MAX);
    CHECK(h->min == 0 && h->max == HISTOGRAM_HIGHEST, "values beyond the ends count at the ends");
    CHECK(h->total == 2, "%lld", (long long)h->total);
    free(h);
}

static int print(double unit, int ticks) {
    struct histogram *h = histogram_new();
    long long value;
    while (scanf("%lld", &value) == 1) histogram_record(h, value);
    histogram_print(h, stdout, unit, ticks);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "print") == 0) return print(atof(argv[2]), atoi(argv[3]));
    test_percentiles();
    test_ends();
    return check_summary("histogram");
}
