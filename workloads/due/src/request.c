#include "request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool has_header(const struct options *o, const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i < o->header_count; i++)
        if (strncasecmp(o->headers[i], name, length) == 0 && o->headers[i][length] == ':')
            return true;
    return false;
}

char *request_build(const struct options *o, const struct target *t, const char *path,
                    size_t *length) {
    char *request;
    FILE *out = open_memstream(&request, length);
    fprintf(out, "GET %.*s HTTP/1.1\r\n", (int)strcspn(path, "#"), path);
    if (!has_header(o, "Host")) {
        fprintf(out, "Host: %s", t->host);
        fprintf(out, t->port_given ? ":%s\r\n" : "\r\n", t->port);
    }
    for (size_t i = 0; i < o->header_count; i++) fprintf(out, "%s\r\n", o->headers[i]);
    fputs("\r\n", out);
    fclose(out);
    return request;
}

/* Where the body begins, or NULL. */
static const char *head_end(const char *request, size_t length) {
    const char *empty_line = memmem(request, length, "\r\n\r\n", 4);
    return empty_line ? empty_line + 4 : NULL;
}

/* The value of a header, up to the end of its line, or NULL. */
static const char *find_header(const char *request, const char *end, const char *name) {
    size_t length = strlen(name);
    for (const char *line = request; (line = memmem(line, (size_t)(end - line), "\r\n", 2));) {
        line += 2;
        if ((size_t)(end - line) > length && strncasecmp(line, name, length) == 0 &&
            line[length] == ':')
            return line + length + 1 + strspn(line + length + 1, " \t");
    }
    return NULL;
}

bool request_is_whole(const char *request, size_t length) {
    const char *body = head_end(request, length);
    if (body == NULL) return false;
    const char *value = find_header(request, body, "Content-Length");
    return (size_t)(request + length - body) == (value ? strtoul(value, NULL, 10) : 0);
}

bool request_closes_connection(const char *request, size_t length) {
    const char *value = find_header(request, head_end(request, length), "Connection");
    return value && strncasecmp(value, "close\r\n", 7) == 0;
}
