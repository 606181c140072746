#include "tally.h"

const char *const ERROR_NAMES[ERROR_KINDS] = {
    [ERROR_CONNECT_REFUSED] = "connect_refused",
    [ERROR_CONNECT_TIMEOUT] = "connect_timeout",
    [ERROR_CONNECT_OTHER] = "connect_other",
    [ERROR_RESET] = "reset",
    [ERROR_CLOSED_EARLY] = "closed_early",
    [ERROR_TIMEOUT] = "timeout",
    [ERROR_MALFORMED] = "malformed",
    [ERROR_WRITE] = "write",
};

void tally_init(struct tally *t) { *t = (struct tally){.body_bytes_min = INT64_MAX}; }

void tally_add(struct tally *to, const struct tally *from) {
    to->due += from->due;
    to->sent += from->sent;
    to->completed += from->completed;
    to->completed_in_warm_up += from->completed_in_warm_up;
    to->in_flight_at_end += from->in_flight_at_end;
    to->unsent_at_end += from->unsent_at_end;
    to->waited_for_connection += from->waited_for_connection;
    for (int i = 0; i < 6; i++) to->status[i] += from->status[i];
    for (int i = 0; i < ERROR_KINDS; i++) to->errors[i] += from->errors[i];
    to->answers_in_window += from->answers_in_window;
    to->connections_opened += from->connections_opened;
    to->received_bytes += from->received_bytes;
    to->sent_bytes += from->sent_bytes;
    if (from->body_bytes_min < to->body_bytes_min) to->body_bytes_min = from->body_bytes_min;
    if (from->body_bytes_max > to->body_bytes_max) to->body_bytes_max = from->body_bytes_max;
    to->no_descriptor += from->no_descriptor;
    to->no_port += from->no_port;
}

int64_t tally_errors(const struct tally *t) {
    int64_t sum = 0;
    for (int i = 0; i < ERROR_KINDS; i++) sum += t->errors[i];
    return sum;
}
