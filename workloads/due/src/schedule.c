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

/* Half a request for rounding: a rate that is no whole number is a whole number of requests. */
static double burst_due(const struct schedule_plan *p, uint64_t index) {
    double count = p->rate_per_s * (double)p->duration_ns / (double)NS_PER_S;
    return (double)index + 0.5 < count ? 0 : (double)p->duration_ns;
}

static double deterministic_due(const struct schedule *s, uint64_t index) {
    const struct schedule_plan *p = s->plan;
    if (p->kind == SCHEDULE_BURST && s->measured) return burst_due(p, index);
    return (double)index * (double)NS_PER_S / p->rate_per_s;
}

static double poisson_due(struct schedule *s) {
    double mean_gap_ns = (double)NS_PER_S / s->plan->rate_per_s;
    return s->clock_ns -= log(random_uniform(&s->random)) * mean_gap_ns;
}

/*
 * When a request is due that would be due then at the plan's own rate: at half of it, after twice
 * the time. Poisson arrivals stay Poisson arrivals, each step with its rate (time rescaling). The
 * warm-up has the rate of the first step.
 */
static double stretched(const struct schedule *s, double even_ns) {
    const struct schedule_plan *p = s->plan;
    if (p->step_count == 0) return even_ns;
    if (!s->measured) return even_ns / p->steps[0].factor;
    double began_ns = 0;
    for (const struct schedule_step *step = p->steps; step < p->steps + p->step_count; step++) {
        double holds_ns = step->factor * (double)step->length_ns;
        if (even_ns < holds_ns) return began_ns + even_ns / step->factor;
        even_ns -= holds_ns;
        began_ns += (double)step->length_ns;
    }
    return began_ns; /* the end of the window */
}

static double next_due(struct schedule *s) {
    double even_ns = s->plan->kind == SCHEDULE_POISSON ? poisson_due(s)
                                                       : deterministic_due(s, s->index++);
    return stretched(s, even_ns);
}

static int64_t phase_start_ns(const struct schedule *s) {
    return s->measured ? s->plan->warm_up_ns : 0;
}

static double phase_length_ns(const struct schedule *s) {
    return (double)(s->measured ? s->plan->duration_ns : s->plan->warm_up_ns);
}

static void start_phase(struct schedule *s, bool measured) {
    s->measured = measured;
    s->index = 0;
    s->clock_ns = 0;
}

static bool chosen(struct schedule *s) {
    return s->plan->mixed_in > 0 && random_uniform(&s->choices) <= s->plan->mixed_in;
}

void schedule_advance(struct schedule *s) {
    for (;;) {
        double due = next_due(s);
        if (due < phase_length_ns(s)) {
            s->next = (struct arrival){phase_start_ns(s) + (int64_t)due, s->measured, chosen(s)};
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

double schedule_highest_per_s(const struct schedule_plan *plan) {
    double factor = plan->step_count ? 0 : 1;
    for (size_t i = 0; i < plan->step_count; i++) factor = fmax(factor, plan->steps[i].factor);
    return factor * plan->rate_per_s;
}

void schedule_init(struct schedule *s, const struct schedule_plan *plan) {
    const uint64_t random = plan->seed * UINT64_C(0x100000001B3);
    *s = (struct schedule){.plan = plan, .random = random, .choices = ~random};
    start_phase(s, plan->warm_up_ns == 0);
    schedule_advance(s);
}
