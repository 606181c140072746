/* The command line: what it requests, its defaults, its help and its errors. */
#ifndef DUE_OPTIONS_H
#define DUE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedule.h"

#define DUE_VERSION "3.0.0"

/* Files that a run leaves, if they are named. */
enum output {
    HGRM,
    HGRM_UNCORRECTED,
    HGRM_WITHOUT_LAG,
    HGRM_MIXED_IN,
    SERIES,
    ANSWERS,
    JSON,
    OUTPUTS,
};

struct options {
    int argc; /* the command line as given, for the record */
    char **argv;
    uint64_t connections;
    struct schedule_plan plan;
    int64_t timeout_ns;
    int64_t series_step_ns;
    int64_t body_bytes; /* of a right answer; -1: of any length */
    bool allow_remote;
    const char *script;
    char **script_argv; /* the URL, then what follows it */
    int script_argc;
    const char **headers; /* "Name: value" */
    size_t header_count;
    const char *output[OUTPUTS]; /* paths */
    const char *mixed_in_path; /* of the share that the plan mixes in, or NULL */
    const char *url;
};

/* Fills *o; exits with 2 and an explanation, or with 0 after --help and --version. */
void options_parse(struct options *o, int argc, char **argv);

#endif
