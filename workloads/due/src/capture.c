#include "capture.h"

#include <string.h>

#include "memory.h"

struct text {
    char *bytes;
    size_t length, capacity;
};

/* Headers are kept as name NUL value NUL name NUL value. */
struct capture {
    struct text headers, body;
    bool in_value;
};

static void append(struct text *t, const char *bytes, size_t length) {
    if (t->length + length > t->capacity) {
        t->capacity = 2 * (t->length + length);
        t->bytes = needed(realloc(t->bytes, t->capacity), "an answer");
    }
    memcpy(t->bytes + t->length, bytes, length);
    t->length += length;
}

struct capture *capture_new(void) {
    return needed(calloc(1, sizeof(struct capture)), "an answer");
}

void capture_reset(struct capture *c) {
    c->headers.length = c->body.length = 0;
    c->in_value = false;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

void capture_end(struct capture *c) {
    if (!c->in_value) return;
    struct text *t = &c->headers;
    while (is_space(t->bytes[t->length - 1])) t->length--; /* stops at the name's NUL */
    append(t, "", 1);
    c->in_value = false;
}

void capture_name(struct capture *c, const char *bytes, size_t length) {
    capture_end(c);
    append(&c->headers, bytes, length);
}

void capture_value(struct capture *c, const char *bytes, size_t length) {
    if (!c->in_value) append(&c->headers, "", 1); /* ends the name */
    c->in_value = true;
    append(&c->headers, bytes, length);
    /* NUL separates here; in a value it is as good as a space (RFC 9110, 5.5). */
    char *value = c->headers.bytes + c->headers.length - length;
    for (size_t i = 0; i < length; i++)
        if (value[i] == '\0') value[i] = ' ';
}

void capture_body_bytes(struct capture *c, const char *bytes, size_t length) {
    append(&c->body, bytes, length);
}

bool capture_header(const struct capture *c, size_t *at, const char **name, const char **value) {
    if (*at >= c->headers.length) return false;
    *name = c->headers.bytes + *at;
    *value = *name + strlen(*name) + 1;
    *at += (size_t)(*value - *name) + strlen(*value) + 1;
    while (is_space(**value)) ++*value;
    return true;
}

const char *capture_body(const struct capture *c) { return c->body.bytes ? c->body.bytes : ""; }
size_t capture_body_length(const struct capture *c) { return c->body.length; }
