/* The timetable: how many requests, when, and that streams share it without loss. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "clock.h"
#include "schedule.h"

enum { MOST = 200000 };

static int64_t due[MOST];
static size_t measured;

static int by_time(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* All arrivals of all streams, in order, into `due`; returns how many. */
static size_t timetable(const struct schedule_plan *plan, uint64_t streams) {
    size_t count = 0;
    measured = 0;
    for (uint64_t stream = 0; stream < streams; stream++) {
        struct schedule s;
        int64_t last = -1;
        for (schedule_init(&s, plan, stream, streams); !s.exhausted; schedule_advance(&s)) {
            CHECK(s.next.due_ns >= last, "stream %d goes back in time", (int)stream);
            CHECK(s.next.measured == (s.next.due_ns >= plan->warm_up_ns),
                  "warm-up is not measured");
            CHECK(s.next.due_ns < plan->warm_up_ns + plan->duration_ns, "due after the end");
            last = due[count++] = s.next.due_ns;
            measured += s.next.measured;
        }
        CHECK(s.next.due_ns == NEVER, "nothing is due after the last");
    }
    qsort(due, count, sizeof *due, by_time);
    return count;
}

static struct schedule_plan plan_of(enum schedule_kind kind, double rate, double seconds) {
    return (struct schedule_plan){.kind = kind,
                                  .rate_per_s = rate,
                                  .ramp_from_per_s = rate / 10,
                                  .seed = 7,
                                  .duration_ns = (int64_t)(seconds * 1e9)};
}

static void test_constant(void) {
    for (uint64_t streams = 1; streams <= 7; streams += 3) {
        struct schedule_plan plan = plan_of(SCHEDULE_CONSTANT, 500, 5);
        CHECK(timetable(&plan, streams) == 2500, "500/s for 5 s are 2500");
        for (int i = 0; i < 2500; i++)
            CHECK(due[i] == i * 2 * NS_PER_MS, "%d: %lld", i, (long long)due[i]);
    }
    struct schedule_plan third = plan_of(SCHEDULE_CONSTANT, 3, 5);
    CHECK(timetable(&third, 1) == 15, "a period that is no whole number of ns adds nothing up");
    CHECK(due[14] == 14 * NS_PER_S / 3, "%lld", (long long)due[14]);
    struct schedule_plan slow = plan_of(SCHEDULE_CONSTANT, 0.5, 5);
    CHECK(timetable(&slow, 1) == 3, "at 0, 2 and 4 s");
    struct schedule_plan few = plan_of(SCHEDULE_CONSTANT, 2, 2);
    CHECK(timetable(&few, 10) == 4, "more streams than requests");
}

static void test_warm_up(void) {
    struct schedule_plan plan = plan_of(SCHEDULE_CONSTANT, 100, 2);
    plan.warm_up_ns = NS_PER_S;
    CHECK(timetable(&plan, 3) == 300, "100 of warm-up and 200 measured");
    CHECK(measured == 200, "%zu", measured);
    CHECK(due[100] == NS_PER_S, "the window opens with a request");
    plan = plan_of(SCHEDULE_RAMP, 100, 2);
    plan.warm_up_ns = NS_PER_S;
    CHECK(timetable(&plan, 1) == 10 + 110, "a ramp is warmed up at its first rate");
    CHECK(measured == 110, "%zu", measured);
}

static void test_poisson(void) {
    static int64_t first[MOST];
    struct schedule_plan plan = plan_of(SCHEDULE_POISSON, 10000, 10);
    for (uint64_t streams = 1; streams <= 50; streams += 49) {
        size_t count = timetable(&plan, streams);
        CHECK(fabs((double)count - 1e5) < 5 * sqrt(1e5), "%zu requests, 100,000 expected", count);
        double sum = 0, squares = 0;
        for (size_t i = 1; i < count; i++) {
            double gap = (double)(due[i] - due[i - 1]);
            sum += gap;
            squares += gap * gap;
        }
        double mean = sum / (double)(count - 1);
        double deviation = sqrt(squares / (double)(count - 1) - mean * mean);
        CHECK(fabs(deviation / mean - 1) < 0.02, "exponential gaps: deviation/mean %f",
              deviation / mean);
    }
    size_t count = timetable(&plan, 1);
    for (size_t i = 0; i < count; i++) first[i] = due[i];
    CHECK(timetable(&plan, 1) == count, "the same seed gives the same timetable");
    for (size_t i = 0; i < count; i++) CHECK(first[i] == due[i], "at %zu", i);
    plan.seed = 8;
    timetable(&plan, 1);
    CHECK(first[0] != due[0] && first[1] != due[1], "another seed gives another");
}

static void test_ramp(void) {
    struct schedule_plan plan = plan_of(SCHEDULE_RAMP, 1000, 10);
    size_t count = timetable(&plan, 3);
    CHECK(llabs((long long)count - 5500) <= 1, "from 100/s to 1000/s in 10 s: %zu", count);
    for (int second = 0; second < 10; second++) {
        int in_second = 0;
        for (size_t i = 0; i < count; i++) in_second += due[i] / NS_PER_S == second;
        int expected = 100 + 90 * second + 45;
        CHECK(abs(in_second - expected) <= 1, "second %d: %d, expected %d", second, in_second,
              expected);
    }
    CHECK(schedule_mean_rate_per_s(&plan) == 550, "mean rate");
    plan.ramp_from_per_s = 1000;
    CHECK(timetable(&plan, 1) == 10000, "a flat ramp");
    plan.ramp_from_per_s = 2000;
    CHECK(llabs((long long)timetable(&plan, 1) - 15000) <= 1, "a falling ramp");
    plan.rate_per_s = 1e-9;
    CHECK(llabs((long long)timetable(&plan, 1) - 10000) <= 1, "a ramp down to nothing");
}

static void test_burst(void) {
    for (uint64_t streams = 1; streams <= 7; streams += 3) {
        struct schedule_plan plan = plan_of(SCHEDULE_BURST, 500, 2);
        CHECK(timetable(&plan, streams) == 1000, "500/s for 2 s are 1000 at once");
        CHECK(due[0] == 0 && due[999] == 0, "all at the start");
        plan.warm_up_ns = NS_PER_S;
        CHECK(timetable(&plan, streams) == 1500, "warmed up at its rate");
        CHECK(due[499] < NS_PER_S && due[500] == NS_PER_S && due[1499] == NS_PER_S,
              "then all at the start of the window");
    }
    struct schedule_plan third = plan_of(SCHEDULE_BURST, 5000 / 0.3, 0.3);
    CHECK(timetable(&third, 1) == 5000, "%zu", measured);
}

/* Skipping gives the counts of walking, wherever it starts and ends. */
static void test_skip(enum schedule_kind kind, double rate, uint64_t streams) {
    struct schedule_plan plan = plan_of(kind, rate, 2);
    plan.warm_up_ns = NS_PER_S / 2;
    if (streams == 4) plan.ramp_from_per_s = 3 * rate; /* a falling ramp */
    struct schedule walked, skipped;
    schedule_init(&walked, &plan, streams - 1, streams);
    schedule_init(&skipped, &plan, streams - 1, streams);
    for (int64_t until = 0; until <= 3 * NS_PER_S; until += 77 * NS_PER_MS) {
        int64_t count = 0;
        for (; walked.next.due_ns < until; schedule_advance(&walked)) count++;
        CHECK(schedule_skip(&skipped, until) == count, "not %lld", (long long)count);
        CHECK(skipped.next.due_ns == walked.next.due_ns, "the next is another");
        CHECK(skipped.exhausted == walked.exhausted, "exhausted at another time");
    }
    CHECK(skipped.exhausted, "nothing is left after the end");
}

static void test_skips(void) {
    for (uint64_t streams = 1; streams <= 7; streams += 3)
        for (int kind = SCHEDULE_CONSTANT; kind <= SCHEDULE_BURST; kind++)
            for (double rate = 0.3; rate < 1e5; rate *= 7)
                test_skip((enum schedule_kind)kind, rate, streams);
}

int main(void) {
    test_constant();
    test_warm_up();
    test_poisson();
    test_ramp();
    test_burst();
    test_skips();
    return check_summary("schedule");
}
