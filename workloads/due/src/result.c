#include "result.h"

#include <math.h>
#include <string.h>

#include "clock.h"

static double epoch_s(int64_t monotonic_ns) {
    int64_t offset = clock_ns(CLOCK_REALTIME) - now_ns();
    return (double)(monotonic_ns + offset) / 1e9;
}

/* Of steps of a second, or of as many as come closest to it. */
static void add_rates(struct histogram *rates, const struct series *s, double measured_s) {
    size_t in_a_second = s->step_ns < NS_PER_S ? (size_t)(NS_PER_S / s->step_ns) : 1;
    double second_s = (double)in_a_second * (double)s->step_ns / 1e9;
    size_t seconds = s->count ? (s->count - 1) / in_a_second + 1 : 0;
    for (size_t i = 0; i < seconds && (double)(i + 1) * second_s <= measured_s; i++) {
        int64_t completed = 0;
        for (size_t j = i * in_a_second; j < (i + 1) * in_a_second && j < s->count; j++)
            completed += s->steps[j].completed;
        histogram_record(rates, (int64_t)((double)completed / second_s));
    }
}

static void add_worker(struct result *r, const struct worker *w) {
    tally_add(&r->tally, &w->tally);
    histogram_add(r->corrected, w->corrected);
    histogram_add(r->corrected_2xx, w->corrected_2xx);
    histogram_add(r->uncorrected, w->uncorrected);
    histogram_add(r->lag, w->lag);
    add_rates(r->rate_per_s, &w->series, r->measured_s);
    r->cpu.user_s += w->cpu.user_s;
    r->cpu.system_s += w->cpu.system_s;
    r->cpu.wait_s += w->cpu.wait_s;
    if (r->measured_s <= 0) return;
    double share = (w->cpu.user_s + w->cpu.system_s) / r->measured_s;
    double wait_share = w->cpu.wait_s / r->measured_s;
    if (share + wait_share > r->cpu_share + r->cpu_wait_share) {
        r->cpu_share = share;
        r->cpu_wait_share = wait_share;
    }
}

void result_collect(struct result *r, const struct run *run, const struct worker *workers,
                    const char *stopped_by) {
    *r = (struct result){.run = run, .workers = workers, .stopped_by = stopped_by};
    r->worker_count = run->options->threads;
    r->corrected = histogram_new();
    r->corrected_2xx = histogram_new();
    r->uncorrected = histogram_new();
    r->lag = histogram_new();
    r->rate_per_s = histogram_new();
    tally_init(&r->tally);
    int64_t end = run->window_start_ns; /* the last thread's; a script can stop a single one */
    for (size_t i = 0; i < r->worker_count; i++)
        if (workers[i].window_end_ns > end) end = workers[i].window_end_ns;
    r->start_epoch_s = epoch_s(run->window_start_ns);
    r->end_epoch_s = epoch_s(end);
    r->measured_s = (double)(end - run->window_start_ns) / 1e9;
    for (size_t i = 0; i < r->worker_count; i++) add_worker(r, &workers[i]);
    if (r->measured_s > 0) r->delivered_per_s = (double)r->tally.answers_in_window / r->measured_s;
    result_judge(r);
}
