/*
 * An incremental parser of HTTP/1.1 responses (RFC 9112). It takes the bytes in pieces of any
 * size, down to one at a time, keeps no copy of them, and asks for nothing but its own struct.
 */
#ifndef DUE_RESPONSE_H
#define DUE_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum response_result {
    RESPONSE_PARTIAL,   /* give it more bytes, or response_end */
    RESPONSE_COMPLETE,  /* one final response has ended; bytes may be left over */
    RESPONSE_MALFORMED, /* not HTTP/1.x */
};

struct response {
    /* results, valid once complete */
    uint16_t status;
    bool keep_alive;
    uint64_t body_bytes;

    /* the rest is the parser's own */
    uint8_t state;
    uint8_t header; /* which header of interest the current line is */
    bool to_head;
    bool http_1_0, saw_close, saw_keep_alive;
    bool has_length, has_encoding, chunked_last;
    uint8_t token_length;
    uint8_t digits;
    char token[24];
    uint64_t length;   /* Content-Length, then what is left of the body or chunk */
    uint64_t number;   /* the number that is being read */
};

/* `to_head`: the response answers a HEAD request and has no body whatever its headers say. */
void response_init(struct response *r, bool to_head);

/* Reads up to `length` bytes, and says in *used how many belonged to this response. */
enum response_result response_feed(struct response *r, const char *bytes, size_t length,
                                   size_t *used);

/* The peer has closed: complete if the body was delimited by that, else partial. */
enum response_result response_end(struct response *r);

#endif
