#include "answers.h"

#include "clock.h"
#include "memory.h"

void answers_init(struct answers *a, int64_t duration_ns) {
    size_t count = (size_t)((duration_ns + NS_PER_S - 1) / NS_PER_S);
    *a = (struct answers){.count = count};
    if (count == 0) return;
    a->seconds = needed(malloc(count * sizeof *a->seconds), "answers by the second");
    for (size_t i = 0; i < count; i++) a->seconds[i] = histogram_new();
}

void answers_record(struct answers *a, int64_t due_ns, int64_t latency_ns) {
    if (a->count == 0) return;
    histogram_record(a->seconds[(due_ns - a->start_ns) / NS_PER_S], latency_ns);
}

void answers_print(const struct answers *a, FILE *out) {
    fputs("due_s,latency_us,count\n", out);
    for (size_t second = 0; second < a->count; second++) {
        const struct histogram *h = a->seconds[second];
        for (int i = 0; h->total > 0 && i < HISTOGRAM_COUNTS; i++)
            if (h->counts[i])
                fprintf(out, "%zu,%.3f,%lld\n", second,
                        (double)histogram_highest_equivalent(i) / 1e3, (long long)h->counts[i]);
    }
}
