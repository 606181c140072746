#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "clock.h"
#include "request.h"
#include "result.h"
#include "script.h"

static int stop_fd;
static volatile sig_atomic_t stop_signal;

static void on_signal(int signal_number) {
    const uint64_t one = 1;
    if (stop_signal) _exit(128 + signal_number); /* asked twice: now */
    stop_signal = signal_number;
    if (write(stop_fd, &one, sizeof one) < 0) _exit(1);
}

/* An event descriptor that is never read wakes all threads, now and whenever they look. */
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
    FILE *json, *hgrm, *hgrm_uncorrected, *series;
};

static struct outputs open_outputs(const struct options *o) {
    return (struct outputs){
        .json = open_output("--json", o->json_path),
        .hgrm = open_output("--hgrm", o->hgrm_path),
        .hgrm_uncorrected = open_output("--hgrm-uncorrected", o->hgrm_uncorrected_path),
        .series = open_output("--series", o->series_path),
    };
}

static void write_hgrm(const struct histogram *h, FILE *out, const char *path) {
    if (out == NULL) return;
    /* Finer steps than wrk2's text has: p99 is read from these lines, not from the one after it. */
    histogram_print(h, out, 1e6, 100, &PERCENTILE_STYLE_JAVA);
    close_output(out, path);
}

static void write_series(const struct result *r, FILE *out, const char *path) {
    if (out == NULL) return;
    const struct series **threads = calloc(r->worker_count, sizeof *threads);
    for (size_t i = 0; i < r->worker_count; i++) threads[i] = &r->workers[i].series;
    series_print(threads, r->worker_count, out);
    free(threads);
    close_output(out, path);
}

static void write_outputs(const struct result *r, const struct outputs *out) {
    const struct options *o = r->run->options;
    result_print(r);
    write_hgrm(r->corrected, out->hgrm, o->hgrm_path);
    write_hgrm(r->uncorrected, out->hgrm_uncorrected, o->hgrm_uncorrected_path);
    write_series(r, out->series, o->series_path);
    if (out->json) {
        result_write_json(r, out->json);
        close_output(out->json, o->json_path);
    }
}

static void start_threads(struct worker *workers, const struct options *o) {
    /* Signals go to the main thread. */
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    for (uint64_t i = 0; i < o->threads; i++) {
        int error = pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]);
        if (error) {
            fprintf(stderr, "due: -t %llu: cannot start thread %llu: %s; use fewer threads\n",
                    (unsigned long long)o->threads, (unsigned long long)i + 1, strerror(error));
            exit(1);
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void prepare_script(struct script *main_script, struct worker *w, struct options *o) {
    w->script = script_create(w->run);
    script_setup(main_script, w);
    script_init(w);
    /* The same meaning whether the command line or the script says it. */
    if (script_closes_connections(w->script)) o->new_connections = true;
}

static struct worker *prepare_workers(struct run *run, struct options *o,
                                      struct script *main_script) {
    struct worker *workers = calloc(o->threads, sizeof *workers);
    if (workers == NULL) {
        perror("due: no memory for the threads");
        exit(1);
    }
    for (uint64_t i = 0; i < o->threads; i++) {
        worker_init(&workers[i], run, (unsigned)i);
        if (main_script) prepare_script(main_script, &workers[i], o);
    }
    return workers;
}

static void tell_script(struct script *main_script, const struct result *r) {
    script_done(main_script, &(struct script_summary){
                                 .duration_us = (int64_t)(r->measured_s * 1e6),
                                 .requests = r->tally.completed,
                                 .bytes = r->tally.received_bytes,
                                 .tally = &r->tally,
                                 .latency_ns = r->corrected,
                                 .rate_per_s = r->rate_per_s,
                             });
}

int main(int argc, char **argv) {
    static struct options options;
    static struct target target;
    options_parse(&options, argc, argv);
    request_settle_connection(&options);
    target_resolve(&target, &options);
    check_descriptors(&options);
    check_cpus(&options);
    struct outputs outputs = open_outputs(&options);
    listen_to_signals();

    struct run run = {.options = &options, .target = &target, .stop_fd = stop_fd};
    run.request = request_build(&options, &target, &run.request_length);
    pthread_barrier_init(&run.ready, NULL, (unsigned)options.threads);
    struct script *main_script = options.script ? script_create(&run) : NULL;
    struct worker *workers = prepare_workers(&run, &options, main_script);
    run.source_addresses = source_addresses_needed(&target, &options);

    result_print_head(&run);
    start_threads(workers, &options);
    for (uint64_t i = 0; i < options.threads; i++) pthread_join(workers[i].thread, NULL);

    const char *stopped_by = stop_signal == SIGINT    ? "SIGINT"
                             : stop_signal == SIGTERM ? "SIGTERM"
                                                      : NULL;
    struct result result;
    result_collect(&result, &run, workers, stopped_by);
    write_outputs(&result, &outputs);
    if (main_script) tell_script(main_script, &result);
    return 0;
}
