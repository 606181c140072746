#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "clock.h"
#include "result.h"

static int stop_fd;
static volatile sig_atomic_t stop_signal;

static void on_signal(int signal_number) {
    const uint64_t one = 1;
    if (stop_signal) _exit(128 + signal_number); /* a second one: now */
    stop_signal = signal_number;
    if (write(stop_fd, &one, sizeof one) < 0) _exit(1);
}

/* An event descriptor that is never read wakes the run, now and whenever it looks. */
static void listen_to_signals(void) {
    stop_fd = eventfd(0, EFD_CLOEXEC);
    if (stop_fd < 0) {
        perror("due: eventfd");
        exit(1);
    }
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* Opened before the run: minutes of measuring must not end in "no such directory". */
static FILE *open_output(const char *flag, const char *path) {
    if (path == NULL) return NULL;
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        fprintf(stderr, "due: %s %s: %s; choose a file in a folder that can be written to\n", flag,
                path, strerror(errno));
        exit(1);
    }
    return out;
}

static void close_output(FILE *out, const char *path) {
    if (fclose(out) != 0) {
        fprintf(stderr, "due: %s: %s\n", path, strerror(errno));
        exit(1);
    }
}

struct outputs {
    FILE *json, *hgrm, *hgrm_uncorrected, *hgrm_without_lag, *hgrm_mixed_in, *series, *answers;
};

static struct outputs open_outputs(const struct options *o) {
    return (struct outputs){
        .json = open_output("--json", o->json_path),
        .hgrm = open_output("--hgrm", o->hgrm_path),
        .hgrm_uncorrected = open_output("--hgrm-uncorrected", o->hgrm_uncorrected_path),
        .hgrm_without_lag = open_output("--hgrm-without-lag", o->hgrm_without_lag_path),
        .hgrm_mixed_in = open_output("--hgrm-mixed-in", o->hgrm_mixed_in_path),
        .series = open_output("--series", o->series_path),
        .answers = open_output("--answers", o->answers_path),
    };
}

static void write_hgrm(const struct histogram *h, FILE *out, const char *path) {
    if (out == NULL) return;
    /* Fine steps: p99 is read from these lines, not from the one after it. */
    histogram_print(h, out, 1e6, 100);
    close_output(out, path);
}

static void write_outputs(const struct result *result, const struct outputs *out) {
    const struct run *r = result->run;
    const struct options *o = r->options;
    result_print(result);
    write_hgrm(r->corrected, out->hgrm, o->hgrm_path);
    write_hgrm(r->uncorrected, out->hgrm_uncorrected, o->hgrm_uncorrected_path);
    write_hgrm(r->without_lag, out->hgrm_without_lag, o->hgrm_without_lag_path);
    write_hgrm(r->mixed_in, out->hgrm_mixed_in, o->hgrm_mixed_in_path);
    if (out->series) {
        series_print(&r->series, out->series);
        close_output(out->series, o->series_path);
    }
    if (out->answers) {
        answers_print(&r->answers, out->answers);
        close_output(out->answers, o->answers_path);
    }
    if (out->json) {
        result_write_json(result, out->json);
        close_output(out->json, o->json_path);
    }
}

int main(int argc, char **argv) {
    static struct options options;
    static struct target target;
    static struct run run;
    options_parse(&options, argc, argv);
    target_resolve(&target, &options);
    check_descriptors(&options);
    struct outputs outputs = open_outputs(&options);
    listen_to_signals();
    run_init(&run, &options, &target, stop_fd);

    result_print_head(&options);
    run_to_the_end(&run);

    const char *stopped_by = stop_signal == SIGINT    ? "SIGINT"
                             : stop_signal == SIGTERM ? "SIGTERM"
                                                      : NULL;
    struct result result;
    result_collect(&result, &run, stopped_by);
    write_outputs(&result, &outputs);
    return 0;
}
