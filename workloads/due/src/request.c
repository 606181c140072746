#include "request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *value_of(const struct options *o, const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i < o->header_count; i++) {
        const char *header = o->headers[i];
        if (strncasecmp(header, name, length) == 0 && header[length] == ':') {
            const char *value = header + length + 1;
            return value + strspn(value, " \t");
        }
    }
    return NULL;
}

void request_settle_connection(struct options *o) {
    const char *connection = value_of(o, "Connection");
    if (connection && strcasecmp(connection, "close") == 0) o->new_connections = true;
    if (connection == NULL && o->new_connections)
        o->headers[o->header_count++] = "Connection: close";
}

char *request_build(const struct options *o, const struct target *t, size_t *length) {
    char *request;
    FILE *out = open_memstream(&request, length);
    fprintf(out, "GET %.*s HTTP/1.1\r\n", (int)strcspn(t->path, "#"), t->path);
    if (value_of(o, "Host") == NULL) {
        const char *format = strchr(t->host, ':') ? "Host: [%s]" : "Host: %s";
        fprintf(out, format, t->host);
        fprintf(out, t->port_given ? ":%s\r\n" : "\r\n", t->port);
    }
    for (size_t i = 0; i < o->header_count; i++) fprintf(out, "%s\r\n", o->headers[i]);
    fputs("\r\n", out);
    fclose(out);
    return request;
}
