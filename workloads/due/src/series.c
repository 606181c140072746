#include "series.h"

#include "clock.h"
#include "memory.h"

void series_init(struct series *s, int64_t step_ns) {
    *s = (struct series){.step_ns = step_ns, .live = histogram_new()};
}

struct series_step *series_at(struct series *s, int64_t time_ns) {
    int64_t since = time_ns - s->start_ns;
    size_t step = since < 0 ? 0 : (size_t)(since / s->step_ns);
    if (step >= s->capacity) {
        s->capacity = (step + 1) * 2;
        s->steps = needed(realloc(s->steps, s->capacity * sizeof *s->steps), "the time series");
    }
    while (s->count <= step) s->steps[s->count++] = (struct series_step){0};
    return &s->steps[step];
}

void series_finish(struct series *s) {
    if (s->live->total == 0) return;
    struct series_step *step = &s->steps[s->live_step];
    step->p50_ns = histogram_percentile(s->live, 50);
    step->p99_ns = histogram_percentile(s->live, 99);
    step->max_ns = s->live->max;
    histogram_clear(s->live);
}

void series_completed(struct series *s, int64_t time_ns, int64_t latency_ns) {
    struct series_step *step = series_at(s, time_ns);
    step->completed++;
    size_t index = (size_t)(step - s->steps);
    if (index > s->live_step) {
        series_finish(s);
        s->live_step = index;
    }
    histogram_record(s->live, latency_ns);
}

void series_print(const struct series *s, FILE *out) {
    fputs("time_s,due,sent,completed,errors,p50_us,p99_us,max_us\n", out);
    for (size_t i = 0; i < s->count; i++) {
        const struct series_step *step = &s->steps[i];
        fprintf(out, "%.10g,%lld,%lld,%lld,%lld,", (double)i * (double)s->step_ns / 1e9,
                (long long)step->due, (long long)step->sent, (long long)step->completed,
                (long long)step->errors);
        if (step->max_ns == 0) fputs(",,\n", out); /* no answer: no latency, rather than one of 0 */
        else
            fprintf(out, "%.1f,%.1f,%.1f\n", (double)step->p50_ns / 1e3, (double)step->p99_ns / 1e3,
                    (double)step->max_ns / 1e3);
    }
}
