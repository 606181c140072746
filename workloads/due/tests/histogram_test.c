/*
 * The histogram against the values themselves. Without arguments: its own checks. With
 * `print <unit> <ticks>`: records the numbers on stdin and prints the percentile distribution.
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

static void test_index(void) {
    int last = -1;
    for (int i = 0; i < 200000; i++) {
        bool in_turn = i < 100000;
        int64_t value = in_turn ? i : random_value();
        int index = histogram_index(value);
        int64_t low = histogram_lowest_equivalent(index),
                high = histogram_highest_equivalent(index);
        CHECK(!in_turn || index == last || index == last + 1, "%d: %d after %d", i, index, last);
        CHECK(low <= value && value <= high, "%lld", (long long)value);
        CHECK((double)(high - low) <= (double)value / 1000, "%lld: %lld to %lld", (long long)value,
              (long long)low, (long long)high);
        CHECK(index < HISTOGRAM_COUNTS, "%lld", (long long)value);
        last = index;
    }
    CHECK(histogram_index(HISTOGRAM_HIGHEST) < HISTOGRAM_COUNTS, "the highest value has a place");
}

static void test_percentiles(void) {
    enum { COUNT = 10000 };
    static int64_t values[COUNT];
    struct histogram *h = histogram_new();
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

static void test_moments(void) {
    struct histogram *h = histogram_new();
    CHECK(histogram_mean(h) == 0 && histogram_stdev(h) == 0, "empty");
    CHECK(histogram_percentile(h, 99) == 0, "empty");
    for (int64_t value = 1; value <= 1000; value++) histogram_record(h, value);
    CHECK(fabs(histogram_mean(h) - 500.5) < 1e-9, "%f", histogram_mean(h));
    CHECK(fabs(histogram_stdev(h) - sqrt((1e6 - 1) / 12)) < 1e-9, "%f", histogram_stdev(h));
    histogram_clear(h);
    CHECK(h->total == 0 && histogram_percentile(h, 50) == 0, "clear");
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
    test_index();
    test_percentiles();
    test_moments();
    test_ends();
    return check_summary("histogram");
}
