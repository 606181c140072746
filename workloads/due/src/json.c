/* The result for programs. One object, flat where it can be; times in epoch seconds. */
#include <stdio.h>

#include "result.h"

static void print_string(FILE *out, const char *text) {
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\') fprintf(out, "\\%c", *c);
        else if (*c < 0x20) fprintf(out, "\\u%04x", *c);
        else fputc(*c, out);
    }
    fputc('"', out);
}

static void print_argv(FILE *out, const struct options *o) {
    fputs("  \"argv\": [", out);
    for (int i = 0; i < o->argc; i++) {
        if (i) fputs(", ", out);
        print_string(out, o->argv[i]);
    }
    fputs("],\n", out);
}

static double us(const struct histogram *h, double percentile) {
    return (double)histogram_percentile(h, percentile) / 1e3;
}

struct field {
    const char *name;
    double value;
};

/* Without a single value there is no mean of 0, there is none. */
static void print_object(FILE *out, const struct field *fields, size_t count, bool known) {
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s\"%s\": ", i ? ", " : "{", fields[i].name);
        if (known) fprintf(out, "%.3f", fields[i].value);
        else fputs("null", out);
    }
    fputc('}', out);
}

#define PRINT_OBJECT(out, fields, known)                                                           \
    print_object(out, fields, sizeof fields / sizeof *fields, known)

static void print_latency(FILE *out, const char *name, const struct histogram *h, const char *end) {
    const struct field fields[] = {
        {"mean", histogram_mean(h) / 1e3}, {"stdev", histogram_stdev(h) / 1e3},
        {"min", (double)h->min / 1e3},     {"max", (double)h->max / 1e3},
        {"p50", us(h, 50)},                {"p90", us(h, 90)},
        {"p95", us(h, 95)},                {"p99", us(h, 99)},
        {"p99_9", us(h, 99.9)},
    };
    fprintf(out, "    \"%s\": ", name);
    PRINT_OBJECT(out, fields, h->total);
    fprintf(out, "%s\n", end);
}

static void print_steps(FILE *out, const struct schedule_plan *p) {
    fputs("  \"steps\": [", out);
    for (size_t i = 0; i < p->step_count; i++)
        fprintf(out, "%s[%.10g, %.10g]", i ? ", " : "", p->steps[i].factor,
                (double)p->steps[i].length_ns / 1e9);
    fputs("],\n", out);
}

static void print_load(FILE *out, const struct run *r) {
    static const char *const schedules[] = {"constant", "poisson", "burst"};
    const struct options *o = r->options;
    fprintf(out,
            "  \"offered_per_s\": %.10g,\n  \"connections\": %llu,\n  \"warm_up_s\": %.10g,\n"
            "  \"duration_s\": %.10g,\n  \"timeout_s\": %.10g,\n  \"schedule\": \"%s\",\n"
            "  \"seed\": %llu,\n  \"new_connections\": %s,\n",
            o->plan.rate_per_s, (unsigned long long)o->connections,
            (double)o->plan.warm_up_ns / 1e9, (double)o->plan.duration_ns / 1e9,
            (double)o->timeout_ns / 1e9, schedules[o->plan.kind],
            (unsigned long long)o->plan.seed, r->new_connections ? "true" : "false");
}

static void print_count(FILE *out, const char *name, bool known, long long count) {
    if (known) fprintf(out, "  \"%s\": %lld,\n", name, count);
    else fprintf(out, "  \"%s\": null,\n", name);
}

static void print_tally(FILE *out, const struct run *r) {
    const struct tally *t = &r->tally;
    fprintf(out,
            "  \"requests\": {\"due\": %lld, \"sent\": %lld, \"completed\": %lld, "
            "\"in_flight_at_end\": %lld, \"unsent_at_end\": %lld, "
            "\"completed_in_warm_up\": %lld, \"failed_in_warm_up\": %lld},\n",
            t->due, t->sent, t->completed, t->in_flight_at_end, t->unsent_at_end,
            t->completed_in_warm_up, t->failed_in_warm_up);
    fprintf(out, "  \"waited_for_connection\": %lld,\n", t->waited_for_connection);
    fprintf(out, "  \"status\": {\"2xx\": %lld, \"3xx\": %lld, \"4xx\": %lld, \"5xx\": %lld},\n",
            t->status[2], t->status[3], t->status[4], t->status[5]);
    fputs("  \"errors\": {", out);
    for (int i = 0; i < ERROR_KINDS; i++)
        fprintf(out, "%s\"%s\": %lld", i ? ", " : "", ERROR_NAMES[i], t->errors[i]);
    fputs("},\n", out);
    if (t->body_bytes_min <= t->body_bytes_max)
        fprintf(out, "  \"body_bytes\": {\"min\": %lld, \"max\": %lld},\n", t->body_bytes_min,
                t->body_bytes_max);
    else fputs("  \"body_bytes\": {\"min\": null, \"max\": null},\n", out);
    print_count(out, "bodies_right", r->options->body_bytes >= 0, t->bodies_right);
    print_count(out, "reconnects", !r->new_connections, t->reconnects);
    fprintf(out,
            "  \"received_bytes\": %lld,\n  \"sent_bytes\": %lld,\n"
            "  \"connections_opened\": %lld,\n",
            t->received_bytes, t->sent_bytes, t->connections_opened);
}

static void print_mix(FILE *out, const struct run *r) {
    if (r->mixed_in_request == NULL) return;
    fputs("  \"mixed_in\": {\n    \"path\": ", out);
    print_string(out, r->options->mixed_in_path);
    fprintf(out, ",\n    \"share\": %.10g,\n    \"due\": %lld,\n    \"completed\": %lld,\n",
            r->options->plan.mixed_in, r->tally.due_mixed_in,
            (long long)r->mixed_in->total);
    print_latency(out, "latency_us", r->mixed_in, "");
    fputs("  },\n", out);
}

static void print_health(FILE *out, const struct result *r) {
    const struct histogram *lag = r->run->lag;
    const struct field fields[] = {
        {"mean", histogram_mean(lag) / 1e3},
        {"p50", us(lag, 50)},
        {"p99", us(lag, 99)},
        {"max", (double)lag->max / 1e3},
    };
    fputs("  \"schedule_lag_us\": ", out);
    PRINT_OBJECT(out, fields, lag->total);
    fprintf(out, ",\n  \"cpu_s\": {\"user\": %.6f, \"system\": %.6f, \"wait\": %.6f},\n",
            r->run->cpu.user_s, r->run->cpu.system_s, r->run->cpu.wait_s);
    fprintf(out, "  \"cpu_share\": %.4f,\n  \"cpu_wait_share\": %.4f,\n", r->cpu_share,
            r->cpu_wait_share);
    fprintf(out, "  \"was_the_limit\": %s,\n  \"was_the_limit_reason\": ",
            r->was_the_limit ? "true" : "false");
    print_string(out, r->was_the_limit_reason);
    fputc('\n', out);
}

void result_write_json(const struct result *r, FILE *out) {
    fputs("{\n  \"schema\": 2,\n  \"generator\": \"due\",\n  \"version\": \"" DUE_VERSION "\",\n",
          out);
    print_argv(out, r->run->options);
    print_load(out, r->run);
    print_steps(out, &r->run->options->plan);
    fprintf(out, "  \"start_epoch_s\": %.6f,\n  \"end_epoch_s\": %.6f,\n  \"measured_s\": %.6f,\n",
            r->start_epoch_s, r->end_epoch_s, r->measured_s);
    fputs("  \"stopped_by\": ", out);
    if (r->stopped_by) print_string(out, r->stopped_by);
    else fputs("null", out);
    fputs(",\n", out);
    print_tally(out, r->run);
    fprintf(out, "  \"delivered_per_s\": %.4f,\n  \"latency_us\": {\n", r->delivered_per_s);
    print_latency(out, "corrected", r->run->corrected, ",");
    print_latency(out, "corrected_2xx", r->run->corrected_2xx, ",");
    print_latency(out, "uncorrected", r->run->uncorrected, ",");
    print_latency(out, "without_lag", r->run->without_lag, "");
    fputs("  },\n", out);
    print_mix(out, r->run);
    print_health(out, r);
    fputs("}\n", out);
}
