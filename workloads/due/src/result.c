#include "result.h"

#include "clock.h"

static double epoch_s(int64_t monotonic_ns) {
    int64_t offset = clock_ns(CLOCK_REALTIME) - now_ns();
    return (double)(monotonic_ns + offset) / 1e9;
}

void result_collect(struct result *r, const struct run *run, const char *stopped_by) {
    *r = (struct result){.run = run, .stopped_by = stopped_by};
    int64_t measured_ns = run->window_end_ns - run->window_start_ns;
    if (measured_ns < 0) measured_ns = 0; /* stopped in the warm-up */
    r->start_epoch_s = epoch_s(run->window_start_ns);
    r->measured_s = (double)measured_ns / 1e9;
    r->end_epoch_s = r->start_epoch_s + r->measured_s;
    if (measured_ns > 0) {
        r->delivered_per_s = (double)run->tally.answers_in_window / r->measured_s;
        r->cpu_share = (run->cpu.user_s + run->cpu.system_s) / r->measured_s;
        r->cpu_wait_share = run->cpu.wait_s / r->measured_s;
    }
    result_judge(r);
}
