/*
 * Counts of how requests ended. All are of requests due in the measured window, unless
 * it says otherwise.
 */
#ifndef DUE_TALLY_H
#define DUE_TALLY_H

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
    long long due;
    long long due_mixed_in; /* of these, those by --mix that got a connection */
    long long sent; /* written to the last byte */
    long long completed;
    long long completed_in_warm_up;
    long long failed_in_warm_up; /* or open at the end; the server may have served them */
    long long in_flight_at_end;
    long long unsent_at_end;
    long long waited_for_connection; /* when they came due, every connection was busy */
    long long status[6];             /* by class: status[2] counts 2xx */
    long long errors[ERROR_KINDS];
    long long answers_in_window;  /* arrived in the window, also those to warm-up requests */
    long long connections_opened; /* for measured requests; kept alive: and before any was due */
    long long reconnects;         /* of these, after an answer of 2xx: the server closed one */
    long long received_bytes, sent_bytes;
    long long body_bytes_min, body_bytes_max; /* of 2xx answers; min > max: there was none */
    long long bodies_right;                   /* 2xx answers as long as --body-bytes says */
};

void tally_init(struct tally *t);
long long tally_errors(const struct tally *t);

/* "connect_refused" … */
extern const char *const ERROR_NAMES[ERROR_KINDS];

#endif
