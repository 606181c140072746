#ifndef DUE_MEMORY_H
#define DUE_MEMORY_H

#include <stdio.h>
#include <stdlib.h>

/* Gives an allocation back; where there is none, there is no run: a message, and exit 1. */
static inline void *needed(void *memory, const char *what_for) {
    if (memory) return memory;
    fprintf(stderr, "due: no memory for %s\n", what_for);
    exit(1);
}

#endif
