#include "schedule.h"

#include <math.h>

#include "clock.h"

/* SplitMix64 (Steele, Lea, Flood 2014): one word of state, and any two seeds will do. */
static uint64_t random_next(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* In (0, 1]: its logarithm exists. */
static double random_uniform(uint64_t *state) {
    return ((double)(random_next(state) >> 11) + 1) * 0x1p-53;
}

static double constant_due(double rate_per_s, uint64_t index) {
    return (double)index * (double)NS_PER_S / rate_per_s;
}

/*
 * After t seconds a ramp from a to b over d seconds has had a t + (b - a) t^2 / 2d requests
 * due. Solved for t, in the form that does not divide by b - a.
 */
static double ramp_due(const struct schedule_plan *p, uint64_t index) {
    double a = p->ramp_from_per_s, b = p->rate_per_s;
    double d = (double)p->duration_ns / (double)NS_PER_S;
    double k = (double)index;
    double under_root = a * a + 2 * (b - a) * k / d;
    if (under_root < 0) return (double)p->duration_ns; /* a falling ramp that has ended */
    double divisor = a + sqrt(under_root);
    return divisor == 0 ? 0 : 2 * k / divisor * (double)NS_PER_S;
}

static double deterministic_due(struct schedule *s) {
    const struct schedule_plan *p = s->plan;
    uint64_t index = s->index;
    s->index += s->streams;
    if (p->kind == SCHEDULE_RAMP && s->measured) return ramp_due(p, index);
    return constant_due(p->kind == SCHEDULE_RAMP ? p->ramp_from_per_s : p->rate_per_s, index);
}

/* Streams that are each Poisson at rate/n are together Poisson at the whole rate. */
static double poisson_due(struct schedule *s) {
    double mean_gap_ns = (double)NS_PER_S / s->plan->rate_per_s * (double)s->streams;
    return s->clock_ns -= log(random_uniform(&s->random)) * mean_gap_ns;
}

static void start_phase(struct schedule *s, bool measured) {
    s->measured = measured;
    s->index = s->stream;
    s->clock_ns = 0;
}

void schedule_advance(struct schedule *s) {
    const struct schedule_plan *p = s->plan;
    for (;;) {
        double due = p->kind == SCHEDULE_POISSON ? poisson_due(s) : deterministic_due(s);
        double length = (double)(s->measured ? p->duration_ns : p->warm_up_ns);
        if (due < length) {
            int64_t phase_start = s->measured ? p->warm_up_ns : 0;
            s->next = (struct arrival){phase_start + (int64_t)due, s->measured};
            return;
        }
        if (s->measured) {
            s->exhausted = true;
            s->next.due_ns = NEVER;
            return;
        }
        start_phase(s, true);
    }
}

void schedule_init(struct schedule *s, const struct schedule_plan *plan, uint64_t stream,
                   uint64_t streams) {
    *s = (struct schedule){.plan = plan, .stream = stream, .streams = streams};
    s->random = plan->seed * UINT64_C(0x100000001B3) + stream;
    start_phase(s, plan->warm_up_ns == 0);
    schedule_advance(s);
}

double schedule_mean_rate_per_s(const struct schedule_plan *plan) {
    if (plan->kind != SCHEDULE_RAMP) return plan->rate_per_s;
    return (plan->ramp_from_per_s + plan->rate_per_s) / 2;
}
