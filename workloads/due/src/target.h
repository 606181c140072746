/* The address to load, and whether this machine and process can hold that many connections. */
#ifndef DUE_TARGET_H
#define DUE_TARGET_H

#include <netinet/in.h>
#include <stdbool.h>

#include "options.h"

struct target {
    char host[256];
    char port[8]; /* of the URL, or "80" */
    bool port_given;
    const char *path; /* with the query; "/" when the URL has none */
    struct sockaddr_in address;
};

/* Exits with a message that says what to do when the URL or the host cannot be used. */
void target_resolve(struct target *t, const struct options *o);

/*
 * How many source addresses (127.0.0.1 …) the connections need so that ports suffice, also for
 * those that TIME_WAIT holds for a minute; 1 where the target is not in 127.0.0.0/8.
 */
unsigned source_addresses_needed(const struct target *t, const struct options *o,
                                 bool new_connections);

/* Raises the soft limit as needed; exits with the remedy when the hard limit is too low. */
void check_descriptors(const struct options *o);

#endif
