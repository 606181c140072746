#include "tally.h"

#include <limits.h>

const char *const ERROR_NAMES[ERROR_KINDS] = {
    [ERROR_CONNECT_REFUSED] = "connect_refused",
    [ERROR_CONNECT_TIMEOUT] = "connect_timeout",
    [ERROR_CONNECT_OTHER] = "connect_other",
    [ERROR_DESCRIPTORS] = "descriptors_exhausted",
    [ERROR_PORTS] = "ports_exhausted",
    [ERROR_RESET] = "reset",
    [ERROR_CLOSED_EARLY] = "closed_early",
    [ERROR_TIMEOUT] = "timeout",
    [ERROR_MALFORMED] = "malformed",
    [ERROR_WRITE] = "write",
};

void tally_init(struct tally *t) { *t = (struct tally){.body_bytes_min = LLONG_MAX}; }

long long tally_errors(const struct tally *t) {
    long long sum = 0;
    for (int i = 0; i < ERROR_KINDS; i++) sum += t->errors[i];
    return sum;
}
