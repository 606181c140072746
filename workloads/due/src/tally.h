/*
 * Counts of how requests ended. All are of requests due in the measured window, unless
 * it says otherwise.
 */
#ifndef DUE_TALLY_H
#define DUE_TALLY_H

#include <stdint.h>

enum error_kind {
    ERROR_CONNECT_REFUSED,
    ERROR_CONNECT_TIMEOUT,
    ERROR_CONNECT_OTHER,
    ERROR_DESCRIPTORS,  /* this side had no descriptor for another connection */
    ERROR_PORTS,        /* this side had no port for one */
    ERROR_RESET,        /* the connection was reset before the answer was whole */
    ERROR_CLOSED_EARLY, /* it was closed in good order before the answer was whole */
    ERROR_TIMEOUT,      /* no whole answer within --timeout of getting a connection */
    ERROR_MALFORMED,    /* what came is not an HTTP/1.x response */
    ERROR_WRITE,        /* the request could not be written */
    ERROR_KINDS,
};

/* due = completed + all errors + in_flight_at_end + unsent_at_end, always. */
struct tally {
    int64_t due;
    int64_t due_mixed_in; /* of these, by --mix; what was never sent is not told apart */
    int64_t sent; /* written to the last byte */
    int64_t completed;
    int64_t completed_in_warm_up;
    int64_t failed_in_warm_up; /* or open at the end; the server may have served them */
    int64_t in_flight_at_end;
    int64_t unsent_at_end;
    int64_t waited_for_connection; /* when they came due, every connection was busy */
    int64_t status[6];             /* by class: status[2] counts 2xx */
    int64_t errors[ERROR_KINDS];
    int64_t answers_in_window;  /* arrived in the window, also those to warm-up requests */
    int64_t connections_opened; /* for measured requests; kept alive: and before any was due */
    int64_t reconnects;         /* of these, after an answer of 2xx: the server closed one */
    int64_t received_bytes, sent_bytes;
    int64_t body_bytes_min, body_bytes_max; /* of 2xx answers; min > max: there was none */
    int64_t bodies_right;                   /* 2xx answers as long as --body-bytes says */
};

void tally_init(struct tally *t);
int64_t tally_errors(const struct tally *t);

/* "connect_refused" … */
extern const char *const ERROR_NAMES[ERROR_KINDS];

#endif
