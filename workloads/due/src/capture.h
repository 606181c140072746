/* An answer kept for a script: its headers and its body. */
#ifndef DUE_CAPTURE_H
#define DUE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "response.h"

struct capture;

struct capture *capture_new(void);
void capture_reset(struct capture *c);

/* Collects into a struct capture. */
extern const struct response_sink CAPTURE_SINK;

/* The answer is whole; call before reading it. */
void capture_end(struct capture *c);

/* Header by header, `*at` starting at 0; false after the last. */
bool capture_header(const struct capture *c, size_t *at, const char **name, const char **value);
const char *capture_body(const struct capture *c);
size_t capture_body_length(const struct capture *c);

#endif
