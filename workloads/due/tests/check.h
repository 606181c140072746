/* The whole test framework: say what failed and where, go on, and fail at the end. */
#ifndef DUE_CHECK_H
#define DUE_CHECK_H

#include <stdio.h>

static int checks, failures;

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        checks++;                                                                                  \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                        \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
        }                                                                                          \
    } while (0)

static inline int check_summary(const char *name) {
    printf("%s: %d checks, %d failures\n", name, checks, failures);
    return failures || checks == 0;
}

#endif
