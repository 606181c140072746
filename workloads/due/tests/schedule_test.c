/* The timetable: how many requests, and when. */
#include <math.h>

#include "check.h"
#include "clock.h"
#include "schedule.h"

enum { MOST = 200000 };

static int64_t due[MOST];
static size_t measured;

/* All arrivals, into `due`; returns how many. */
static size_t timetable(const struct schedule_plan *plan) {
    size_t count = 0;
    struct schedule s;
    int64_t last = -1;
    measured = 0;
    for (schedule_init(&s, plan); !s.exhausted; schedule_advance(&s)) {
        CHECK(s.next.due_ns >= last, "goes back in time");
        CHECK(s.next.measured == (s.next.due_ns >= plan->warm_up_ns), "warm-up is not measured");
        CHECK(s.next.due_ns < plan->warm_up_ns + plan->duration_ns, "due after the end");
        last = due[count++] = s.next.due_ns;
        measured += s.next.measured;
    }
    CHECK(s.next.due_ns == NEVER, "nothing is due after the last");
    return count;
}

static struct schedule_plan plan_of(enum schedule_kind kind, double rate, double seconds) {
    return (struct schedule_plan){.kind = kind,
                                  .rate_per_s = rate,
                                  .seed = 7,
                                  .duration_ns = (int64_t)(seconds * 1e9)};
}

static void test_constant(void) {
    struct schedule_plan plan = plan_of(SCHEDULE_CONSTANT, 500, 5);
    CHECK(timetable(&plan) == 2500, "500/s for 5 s are 2500");
    for (int i = 0; i < 2500; i++)
        CHECK(due[i] == i * 2 * NS_PER_MS, "%d: %lld", i, (long long)due[i]);
    plan.rate_per_s = 3;
    CHECK(timetable(&plan) == 15, "a period that is no whole number of ns adds nothing up");
    CHECK(due[14] == 14 * NS_PER_S / 3, "%lld", (long long)due[14]);
    plan.rate_per_s = 0.5;
    CHECK(timetable(&plan) == 3, "at 0, 2 and 4 s");
    plan = plan_of(SCHEDULE_CONSTANT, 100, 2);
    plan.warm_up_ns = NS_PER_S;
    CHECK(timetable(&plan) == 300, "100 of warm-up and 200 measured");
    CHECK(measured == 200, "%zu", measured);
    CHECK(due[100] == NS_PER_S, "the window opens with a request");
}

static void test_poisson(void) {
    struct schedule_plan plan = plan_of(SCHEDULE_POISSON, 10000, 10);
    size_t count = timetable(&plan);
    CHECK(fabs((double)count - 1e5) < 5 * sqrt(1e5), "%zu requests, 100,000 expected", count);
    double sum = 0, squares = 0;
    for (size_t i = 1; i < count; i++) {
        double gap = (double)(due[i] - due[i - 1]);
        sum += gap;
        squares += gap * gap;
    }
    double mean = sum / (double)(count - 1);
    double deviation = sqrt(squares / (double)(count - 1) - mean * mean) / mean;
    CHECK(fabs(deviation - 1) < 0.02, "exponential gaps: deviation/mean %f", deviation);
    int64_t first = due[0], second = due[1];
    plan.seed = 8;
    timetable(&plan);
    CHECK(first != due[0] && second != due[1], "another seed gives another");
}

/* A share of the requests is mixed in, at random, and no request is due at another time for that. */
static void test_mix(void) {
    static int64_t without[MOST];
    struct schedule_plan plan = plan_of(SCHEDULE_POISSON, 10000, 10);
    size_t count = timetable(&plan), mixed_in = 0, adjacent = 0;
    for (size_t i = 0; i < count; i++) without[i] = due[i];
    plan.mixed_in = 0.05;
    CHECK(timetable(&plan) == count, "as many requests as without");
    for (size_t i = 0; i < count; i++) CHECK(without[i] == due[i], "at %zu", i);
    struct schedule s;
    bool last = false;
    for (schedule_init(&s, &plan); !s.exhausted; schedule_advance(&s)) {
        mixed_in += s.next.mixed_in;
        adjacent += s.next.mixed_in && last;
        last = s.next.mixed_in;
    }
    double wanted = 0.05 * (double)count, pairs = 0.05 * wanted;
    CHECK(fabs((double)mixed_in - wanted) < 5 * sqrt(wanted), "%zu of %zu", mixed_in, count);
    CHECK(fabs((double)adjacent - pairs) < 5 * sqrt(pairs), "%zu follow another", adjacent);
}

static void test_burst(void) {
    struct schedule_plan plan = plan_of(SCHEDULE_BURST, 500, 2);
    CHECK(timetable(&plan) == 1000, "500/s for 2 s are 1000 in a burst");
    CHECK(due[0] == 0 && due[999] == 0, "all at the start");
    plan.warm_up_ns = NS_PER_S;
    CHECK(timetable(&plan) == 1500, "warmed up at its rate");
    CHECK(due[499] < NS_PER_S && due[500] == NS_PER_S && due[1499] == NS_PER_S,
          "then all at the start of the window");
    plan = plan_of(SCHEDULE_BURST, 5000 / 0.3, 0.3);
    CHECK(timetable(&plan) == 5000, "%zu", measured);
}

static void in_steps(struct schedule_plan *plan) {
    plan->steps[0] = (struct schedule_step){0.5, NS_PER_S};
    plan->steps[1] = (struct schedule_step){3, NS_PER_S / 2};
    plan->steps[2] = (struct schedule_step){0.5, NS_PER_S / 2};
    plan->step_count = 3;
}

/* How many are due in [from, to), in seconds. */
static int64_t due_between(size_t count, double from, double to) {
    int64_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += (double)due[i] >= from * 1e9 && (double)due[i] < to * 1e9;
    return found;
}

static void test_steps(void) {
    static const double wanted[] = {20000, 60000, 10000}, from[] = {0, 1, 1.5}, to[] = {1, 1.5, 2};
    struct schedule_plan plan = plan_of(SCHEDULE_CONSTANT, 40000, 2);
    CHECK(schedule_highest_per_s(&plan) == 40000, "without steps, its rate");
    in_steps(&plan);
    CHECK(schedule_highest_per_s(&plan) == 120000, "with steps, the highest");
    for (int kind = SCHEDULE_CONSTANT; kind <= SCHEDULE_POISSON; kind++) {
        plan.kind = (enum schedule_kind)kind;
        size_t count = timetable(&plan);
        for (int i = 0; i < 3; i++) {
            double off = fabs((double)due_between(count, from[i], to[i]) - wanted[i]);
            CHECK(off <= (kind == SCHEDULE_CONSTANT ? 0 : 5 * sqrt(wanted[i])), "%d: %f", i, off);
        }
    }
    plan.kind = SCHEDULE_CONSTANT;
    plan.warm_up_ns = NS_PER_S;
    CHECK(timetable(&plan) == 20000 + 90000, "warmed up at the rate of the first");
    CHECK(due[1] == NS_PER_S / 20000, "%lld", (long long)due[1]);
}

int main(void) {
    test_constant();
    test_poisson();
    test_mix();
    test_burst();
    test_steps();
    return check_summary("schedule");
}
