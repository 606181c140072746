/* An answer kept for a script: its headers and its body. */
#ifndef DUE_CAPTURE_H
#define DUE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

struct capture;

struct capture *capture_new(void);
void capture_reset(struct capture *c);

/* In pieces of any size: of a header's name, then of its value, and of the body. */
void capture_name(struct capture *c, const char *bytes, size_t length);
void capture_value(struct capture *c, const char *bytes, size_t length);
void capture_body_bytes(struct capture *c, const char *bytes, size_t length);

/* The answer is whole; call before reading it. */
void capture_end(struct capture *c);

/* Header by header, `*at` starting at 0; false after the last. */
bool capture_header(const struct capture *c, size_t *at, const char **name, const char **value);
const char *capture_body(const struct capture *c);
size_t capture_body_length(const struct capture *c);

#endif
