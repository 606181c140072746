#include "options.h"

#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "clock.h"
#include "memory.h"

static const char HELP[] =
    "due " DUE_VERSION " - open-loop HTTP/1.1 load, timed from when each request was due\n"
    "\n"
    "Usage: due -R <rate> [options] <url> [-- script arguments]\n"
    "\n"
    "Load:\n"
    "  -R, --rate <N>            requests a second; required (1k = 1000, 0.5 is allowed)\n"
    "  -c, --connections <N>     at most this many requests in flight [10]\n"
    "  -d, --duration <T>        length of the measured window [10s]\n"
    "  -w, --warm-up <T>         the same load before it, not measured [0s]\n"
    "  -T, --timeout <T>         longest time for a request once a connection is free for it: to\n"
    "                            open that if need be, and to be answered. Waiting for a free one\n"
    "                            does not count. Also how long after the window requests are\n"
    "                            still sent and answered [10s]\n"
    "      --schedule <S>        constant: a request every 1/rate seconds [constant]\n"
    "                            poisson:  random gaps, as of independent users\n"
    "                            burst:    all of the window's at its start, that is\n"
    "                                      rate x duration\n"
    "      --steps <F>x<T>,...   the rate in time, as factors of -R: 0.5x10s,1.5x10s,0.5x10s. The\n"
    "                            window is as long as they are together; not for a burst\n"
    "      --seed <N>            of the poisson schedule and of --mix; the same seed, the same\n"
    "                            timetable [1]\n"
    "\n"
    "Request:\n"
    "  -H, --header <H>          add a header, \"Name: value\"; may be repeated. With\n"
    "                            \"Connection: close\" each request opens a connection, and that\n"
    "                            is part of its latency\n"
    "  -s, --script <F>          a Lua script with wrk2's interface makes the requests\n"
    "      --body-bytes <N>      count the 2xx answers whose body has so many bytes\n"
    "      --mix <SHARE:PATH>    this share of the requests, drawn by --seed, asks for PATH in\n"
    "                            place of the URL's; both latencies are then of the others alone,\n"
    "                            and these have their own: --mix 0.05:/report?size=large\n"
    "      --allow-remote        load a machine other than this one: only where you may\n"
    "\n"
    "Output (a summary on stdout, with the generator's own health):\n"
    "      --json <F>            everything, for programs\n"
    "      --hgrm <F>            corrected latency, from when a request was due, as an HdrHistogram\n"
    "                            percentile file, in ms\n"
    "      --hgrm-uncorrected <F> the same from when it was sent, which hides stalls\n"
    "      --hgrm-without-lag <F> the same, corrected, without what the generator itself was late\n"
    "      --hgrm-mixed-in <F>   corrected latency of the requests that --mix adds\n"
    "      --series <F>          CSV of the run's course over time\n"
    "      --series-every <T>    a line of it for so much time [1s]\n"
    "      --answers <F>         CSV of 2xx answers: the second in which they were due, their\n"
    "                            latency, how many\n"
    "  -h, --help   -v, --version\n"
    "\n"
    "Times take us, ms, s, m, h; without a unit they are seconds.\n"
    "\n"
    "Example: due -R 500 -c 50 -d 30s -w 5s --json load.json http://127.0.0.1:8080/\n"
    "\n"
    "Exit status: 0 measured (also when the server failed: see the errors, and when stopped by\n"
    "SIGINT or SIGTERM, with what was measured so far), 1 could not run, 2 wrong command line.\n";

static void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("due: ", stderr);
    vfprintf(stderr, format, arguments);
    fputs("\nTry `due --help`.\n", stderr);
    va_end(arguments);
    exit(2);
}

struct unit {
    const char *name;
    double factor;
};

static const struct unit TIME_UNITS[] = {{"", 1e9},   {"s", 1e9},    {"ms", 1e6}, {"us", 1e3},
                                         {"m", 6e10}, {"h", 3.6e12}, {NULL, 0}};
static const struct unit METRIC_UNITS[] = {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {NULL, 0}};

/* A number with one of the units; negative when it is none. */
static double scan(const char *text, const struct unit *units) {
    char *end;
    double number = strtod(text, &end);
    if (end == text || !isfinite(number) || number < 0) return -1;
    for (const struct unit *u = units; u->name; u++)
        if (strcasecmp(end, u->name) == 0) return number * u->factor;
    return -1;
}

static double scan_within(const char *flag, const char *text, const struct unit *units,
                          double least, double most, const char *wanted) {
    double number = scan(text, units);
    if (number < least || number > most) fail("%s %s: not a %s", flag, text, wanted);
    return number;
}

static int64_t scan_time(const char *flag, const char *text, int64_t least_ns) {
    return (int64_t)scan_within(flag, text, TIME_UNITS, (double)least_ns, 30.0 * 24 * 3600e9,
                                "time; write for example 30s, 500ms or 2m");
}

static double scan_rate(const char *text) {
    return scan_within("-R", text, METRIC_UNITS, 1e-9, 1e8,
                       "rate; write requests a second, for example 500, 2k or 0.5");
}

static int64_t scan_whole(const char *flag, const char *text, double least, double most,
                          const char *wanted) {
    double number = scan_within(flag, text, METRIC_UNITS, least, most, wanted);
    if (number != floor(number)) fail("%s %s: not a %s", flag, text, wanted);
    return (int64_t)number;
}

static void scan_mix(struct options *o, const char *text) {
    char *end;
    double share = strtod(text, &end);
    if (end == text || *end != ':' || end[1] != '/' || !(share > 0 && share < 1))
        fail("--mix %s: not a mix; write a share between 0 and 1, a colon and a path, for example "
             "0.05:/report",
             text);
    o->plan.mixed_in = share;
    o->mixed_in_path = end + 1;
}

static void refuse_steps(const char *text) {
    fail("--steps %s: not steps; write up to %d of <factor>x<time>, for example "
         "0.5x10s,1.5x10s,0.5x10s",
         text, SCHEDULE_STEPS);
}

/* One of them, up to its comma or the end. */
static struct schedule_step scan_step(const char *text, size_t length, const char *all) {
    char one[64], *end;
    if (length == 0 || length >= sizeof one) refuse_steps(all);
    memcpy(one, text, length);
    one[length] = 0;
    double factor = strtod(one, &end);
    if (end == one || *end != 'x' || !(factor > 0 && factor <= 1000)) refuse_steps(all);
    double ns = scan(end + 1, TIME_UNITS);
    if (ns < 1 || ns > 24 * 3600e9) refuse_steps(all);
    return (struct schedule_step){factor, (int64_t)ns};
}

static void scan_steps(struct schedule_plan *plan, const char *text) {
    plan->step_count = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        if (plan->step_count == SCHEDULE_STEPS) refuse_steps(text);
        plan->steps[plan->step_count++] = scan_step(at, length, text);
        at += length;
        if (*at == 0) return;
    }
}

static enum schedule_kind scan_schedule(const char *text) {
    if (strcmp(text, "constant") == 0) return SCHEDULE_CONSTANT;
    if (strcmp(text, "poisson") == 0) return SCHEDULE_POISSON;
    if (strcmp(text, "burst") == 0) return SCHEDULE_BURST;
    fail("--schedule %s: unknown; choose constant, poisson or burst", text);
}

/* Options without a letter; those that name an output follow OUTPUT, in their order. */
enum { SCHEDULE = 256, BODY_BYTES, STEPS, SEED, ALLOW_REMOTE, MIX, SERIES_EVERY, OUTPUT };

#define WITH_VALUE(name, option) {name, required_argument, NULL, option}
#define ALONE(name, option) {name, no_argument, NULL, option}

static const struct option LONG_OPTIONS[] = {
    WITH_VALUE("rate", 'R'),
    WITH_VALUE("connections", 'c'),
    WITH_VALUE("duration", 'd'),
    WITH_VALUE("warm-up", 'w'),
    WITH_VALUE("timeout", 'T'),
    WITH_VALUE("schedule", SCHEDULE),
    WITH_VALUE("steps", STEPS),
    WITH_VALUE("seed", SEED),
    WITH_VALUE("header", 'H'),
    WITH_VALUE("script", 's'),
    WITH_VALUE("body-bytes", BODY_BYTES),
    WITH_VALUE("mix", MIX),
    WITH_VALUE("series-every", SERIES_EVERY),
    WITH_VALUE("hgrm", OUTPUT + HGRM),
    WITH_VALUE("hgrm-uncorrected", OUTPUT + HGRM_UNCORRECTED),
    WITH_VALUE("hgrm-without-lag", OUTPUT + HGRM_WITHOUT_LAG),
    WITH_VALUE("hgrm-mixed-in", OUTPUT + HGRM_MIXED_IN),
    WITH_VALUE("series", OUTPUT + SERIES),
    WITH_VALUE("answers", OUTPUT + ANSWERS),
    WITH_VALUE("json", OUTPUT + JSON),
    ALONE("allow-remote", ALLOW_REMOTE),
    ALONE("help", 'h'),
    ALONE("version", 'v'),
    {NULL, 0, NULL, 0},
};

static void add_header(struct options *o, const char *header) {
    const char *colon = strchr(header, ':');
    if (colon == NULL || colon == header || strpbrk(header, "\r\n"))
        fail("-H '%s': not a header; write 'Name: value'", header);
    o->headers[o->header_count++] = header;
}

static void take(struct options *o, int option, const char *value) {
    if (option >= OUTPUT) {
        o->output[option - OUTPUT] = value;
        return;
    }
    switch (option) {
    case 'R': o->plan.rate_per_s = scan_rate(value); break;
    case 'c':
        o->connections =
            (uint64_t)scan_whole("-c", value, 1, 1e7,
                                 "count; write a whole number of 1 or more, for example 50 or 1k");
        break;
    case 'd': o->plan.duration_ns = scan_time("-d", value, 1); break;
    case 'w': o->plan.warm_up_ns = scan_time("--warm-up", value, 0); break;
    case 'T': o->timeout_ns = scan_time("--timeout", value, 1); break;
    case SCHEDULE: o->plan.kind = scan_schedule(value); break;
    case STEPS: scan_steps(&o->plan, value); break;
    case SEED:
        o->plan.seed = (uint64_t)scan_whole("--seed", value, 0, 1e15,
                                            "seed; write a whole number, for example 1");
        break;
    case 'H': add_header(o, value); break;
    case 's': o->script = value; break;
    case BODY_BYTES:
        o->body_bytes = scan_whole("--body-bytes", value, 0, 1e12,
                                   "length; write a whole number of bytes, for example 42");
        break;
    case ALLOW_REMOTE: o->allow_remote = true; break;
    case MIX: scan_mix(o, value); break;
    case SERIES_EVERY: o->series_step_ns = scan_time("--series-every", value, 1); break;
    case 'h': fputs(HELP, stdout); exit(0);
    case 'v': puts("due " DUE_VERSION); exit(0);
    default: fputs("Try `due --help`.\n", stderr); exit(2);
    }
}

/* Steps say how long the window is, whatever -d says. */
static void check_steps(struct schedule_plan *plan) {
    if (plan->step_count == 0) return;
    if (plan->kind == SCHEDULE_BURST) fail("--steps: a burst has none; leave them out");
    plan->duration_ns = 0;
    for (size_t i = 0; i < plan->step_count; i++) plan->duration_ns += plan->steps[i].length_ns;
}

void options_parse(struct options *o, int argc, char **argv) {
    *o = (struct options){
        .argc = argc,
        .argv = argv,
        .connections = 10,
        .plan = {.kind = SCHEDULE_CONSTANT, .seed = 1, .duration_ns = 10 * NS_PER_S},
        .timeout_ns = 10 * NS_PER_S,
        .series_step_ns = NS_PER_S,
        .body_bytes = -1,
        .headers = needed(calloc((size_t)argc, sizeof(char *)), "headers"),
    };
    int option;
    while ((option = getopt_long(argc, argv, "R:c:d:w:T:H:s:hv", LONG_OPTIONS, NULL)) != -1)
        take(o, option, optarg);
    if (optind == argc) fail("the URL is missing, for example http://127.0.0.1:8080/");
    o->url = argv[optind];
    o->script_argv = argv + optind;
    o->script_argc = argc - optind;
    if (o->script_argc > 1 && o->script == NULL)
        fail("'%s' after the URL: only a script (-s) takes arguments", argv[optind + 1]);
    if (o->mixed_in_path && o->script) fail("--mix and -s: a script makes all requests itself");
    if (o->output[HGRM_MIXED_IN] && o->mixed_in_path == NULL)
        fail("--hgrm-mixed-in %s: nothing is mixed in without --mix", o->output[HGRM_MIXED_IN]);
    if (o->plan.rate_per_s == 0)
        fail("-R is missing: say how many requests are due a second, for example -R 500");
    check_steps(&o->plan);
}
