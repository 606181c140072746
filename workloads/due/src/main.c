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
static void open_outputs(const struct options *o, FILE **outputs) {
    for (int i = 0; i < OUTPUTS; i++) {
        if (o->output[i] == NULL) continue;
        outputs[i] = fopen(o->output[i], "w");
        if (outputs[i]) continue;
        fprintf(stderr, "due: %s: %s\n", o->output[i], strerror(errno));
        exit(1);
    }
}

/* In ms, by fine steps: p99 is read from these lines, not from the one after it. */
static void write_hgrm(const struct histogram *h, FILE *out) { histogram_print(h, out, 1e6, 100); }

static void write_output(const struct result *result, enum output output, FILE *out) {
    const struct run *r = result->run;
    switch (output) {
    case HGRM: write_hgrm(r->corrected, out); break;
    case HGRM_UNCORRECTED: write_hgrm(r->uncorrected, out); break;
    case HGRM_WITHOUT_LAG: write_hgrm(r->without_lag, out); break;
    case HGRM_MIXED_IN: write_hgrm(r->mixed_in, out); break;
    case SERIES: series_print(&r->series, out); break;
    case ANSWERS: answers_print(&r->answers, out); break;
    case JSON: result_write_json(result, out); break;
    case OUTPUTS: break;
    }
}

static void write_outputs(const struct result *result, FILE **outputs) {
    for (int i = 0; i < OUTPUTS; i++) {
        if (outputs[i] == NULL) continue;
        write_output(result, (enum output)i, outputs[i]);
        if (fclose(outputs[i]) != 0) {
            fprintf(stderr, "due: %s: %s\n", result->run->options->output[i], strerror(errno));
            exit(1);
        }
    }
}

int main(int argc, char **argv) {
    static struct options options;
    static struct target target;
    static struct run run;
    options_parse(&options, argc, argv);
    target_resolve(&target, &options);
    check_descriptors(&options);
    FILE *outputs[OUTPUTS] = {NULL};
    open_outputs(&options, outputs);
    listen_to_signals();
    run_init(&run, &options, &target, stop_fd);

    result_print_head(&options);
    run_to_the_end(&run);

    const char *stopped_by = stop_signal == SIGINT    ? "SIGINT"
                             : stop_signal == SIGTERM ? "SIGTERM"
                                                      : NULL;
    struct result result;
    result_collect(&result, &run, stopped_by);
    result_print(&result);
    write_outputs(&result, outputs);
    return 0;
}
