/* The parser: every example, in one piece and in every two and three pieces, gives the same. */

#include "check.h"
#include "response.h"

struct example {
    const char *name;
    const char *bytes;
    size_t length;
    enum response_result result; /* after all bytes, and the peer's close if `closed` */
    int status;                  /* this and the next two: of a complete one */
    size_t body_bytes;
    bool keep_alive;
    bool to_head, closed;
    size_t left_over; /* bytes at the end that do not belong to it */
};

#define BYTES(text) text, sizeof(text) - 1
#define KEPT(text, status, body_bytes) BYTES(text), RESPONSE_COMPLETE, status, body_bytes, true
#define CLOSING(text, status, body_bytes) BYTES(text), RESPONSE_COMPLETE, status, body_bytes, false
#define MALFORMED(text) BYTES(text), RESPONSE_MALFORMED
#define PARTIAL(text) BYTES(text), RESPONSE_PARTIAL
#define OK "HTTP/1.1 200 OK\r\n"
#define LENGTH OK "Content-Length: "
#define HI "Content-Length: 2\r\n\r\nhi"
#define CHUNKED OK "Transfer-Encoding: chunked\r\n\r\n"

static const struct example EXAMPLES[] = {
    /* Content-Length */
    {"length", KEPT(LENGTH "5\r\n\r\nhello", 200, 5)},
    {"length 0", KEPT(LENGTH "0\r\n\r\n", 200, 0)},
    {"no reason", KEPT("HTTP/1.1 503\r\n" HI, 503, 2)},
    {"bare LF", KEPT("HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", 200, 2)},
    {"capitals and spaces", KEPT(OK "CONTENT-LENGTH:\t2 \t\r\n\r\nhi", 200, 2)},
    {"same length in a list", KEPT(LENGTH "2, 2\r\n\r\nhi", 200, 2)},
    {"other headers", KEPT(OK "Content-Length-X: 9\r\nX-Content-Length: 9\r\nContent: 1\r\nEmpty:\r\nDate: Mon, 01 00:00\r\n" HI, 200, 2)},
    {"long header name", KEPT(OK "A-Header-Name-That-Is-Longer-Than-Any-Of-Interest: 1\r\n" HI, 200, 2)},
    {"the next response follows", KEPT(LENGTH "2\r\n\r\nhiHTTP/1.1", 200, 2), .left_over = 8},
    /* who closes */
    {"close in a list", CLOSING(OK "Connection: X-One , Close,y\r\n" HI, 200, 2)},
    {"not quite close", KEPT(OK "Connection: closed, disclose, close it\r\n" HI, 200, 2)},
    {"1.0", CLOSING("HTTP/1.0 200 OK\r\n" HI, 200, 2)},
    {"1.0 keep-alive", KEPT("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n" HI, 200, 2)},
    {"until close", CLOSING(OK "\r\nhello", 200, 5), .closed = true},
    {"until close, not closed", PARTIAL(OK "\r\nhello")},
    {"encoding that is not chunked", CLOSING(OK "Transfer-Encoding: gzip\r\n\r\nhello", 200, 5), .closed = true},
    {"chunked is not last", CLOSING(OK "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n", 200, 5), .closed = true},
    /* chunked */
    {"chunks", KEPT(OK "Transfer-Encoding: CHUNKED\r\n\r\n2\r\nhe\r\n0003\r\nllo\r\nA\r\n, world!!!\r\n000\r\n\r\n", 200, 15)},
    {"gzip, chunked", KEPT(OK "Transfer-Encoding: gzip, chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", 200, 1)},
    {"chunk extensions", KEPT(CHUNKED "1;a=b\r\nx\r\n1 ; c=\"d;e\"\r\ny\r\n0;end\r\n\r\n", 200, 2)},
    {"trailers", KEPT(CHUNKED "1\r\nx\r\n0\r\nExpires: never\r\nContent-Length: 9\r\n\r\n", 200, 1)},
    {"chunked with bare LF", KEPT("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n1\nx\n0\n\n", 200, 1)},
    {"chunked and a length", CLOSING(LENGTH "99\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", 200, 1)},
    {"chunk data that looks like an end", KEPT(CHUNKED "7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n", 200, 7)},
    {"chunked, the next follows", KEPT(CHUNKED "1\r\nx\r\n0\r\n\r\nHTTP", 200, 1), .left_over = 4},
    /* no body, whatever the headers say */
    {"204 with a length", KEPT("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", 204, 0)},
    {"304", KEPT("HTTP/1.1 304 Not Modified\r\nContent-Length: 1000\r\n\r\n", 304, 0)},
    {"HEAD", KEPT(LENGTH "1000\r\n\r\n", 200, 0), .to_head = true},
    /* interim responses */
    {"103 and 102", KEPT("HTTP/1.1 103 Early Hints\r\nLink: x\r\nContent-Length: 7\r\nConnection: close\r\n\r\nHTTP/1.1 102 P\r\n\r\nHTTP/1.1 201 Created\r\n" HI, 201, 2)},
    {"101", MALFORMED("HTTP/1.1 101 X\r\n\r\n")},
    /* cut off */
    {"half a head", PARTIAL(LENGTH "5\r\n"), .closed = true},
    {"half a body", PARTIAL(LENGTH "5\r\n\r\nhell"), .closed = true},
    {"no last chunk", PARTIAL(CHUNKED "5\r\nhello\r\n"), .closed = true},
    /* malformed */
    {"HTTP/2", MALFORMED("HTTP/2 200\r\n\r\n")},
    {"HTTP/1.x", MALFORMED("HTTP/1.x 200 OK\r\n\r\n")},
    {"no space", MALFORMED("HTTP/1.1200 OK\r\n\r\n")},
    {"status of letters", MALFORMED("HTTP/1.1 2O0 OK\r\n\r\n")},
    {"status of 4 digits", MALFORMED("HTTP/1.1 2000 OK\r\n\r\n")},
    {"status 099", MALFORMED("HTTP/1.1 099 OK\r\n\r\n")},
    {"status 600", MALFORMED("HTTP/1.1 600 OK\r\n\r\n")},
    {"header without a name", MALFORMED(OK ": x\r\n\r\n")},
    {"space before the colon", MALFORMED(OK "Content-Length : 5\r\n\r\nhello")},
    {"folded header", MALFORMED(OK "X: a\r\n b\r\n" HI)},
    {"CR without LF", MALFORMED(LENGTH "2\r\n\rhi")},
    {"empty length", MALFORMED(OK "Content-Length:\r\n\r\n")},
    {"length of letters", MALFORMED(LENGTH "5x\r\n\r\n")},
    {"lengths that differ", MALFORMED(LENGTH "5\r\nContent-Length: 6\r\n\r\n")},
    {"length beyond 64 bits", MALFORMED(LENGTH "18446744073709551617\r\n\r\n")},
    {"no chunk size", MALFORMED(CHUNKED "\r\nhello")},
    {"chunk size with 0x", MALFORMED(CHUNKED "0x5\r\nhello")},
    {"chunk size beyond 64 bits", MALFORMED(CHUNKED "10000000000000001\r\nx")},
    {"chunk longer than its size", MALFORMED(CHUNKED "4\r\nhello\r\n0\r\n\r\n")},
};

struct outcome {
    enum response_result result;
    struct response response;
    size_t used;
};

static void feed(struct outcome *o, const char *bytes, size_t length) {
    size_t used = 0;
    if (o->result != RESPONSE_PARTIAL || length == 0) return;
    o->result = response_feed(&o->response, bytes, length, &used);
    o->used += used;
}

/* After all bytes of an example that was cut at `a` and `b`. */
static void check_outcome(const struct example *e, struct outcome *o, size_t a, size_t b) {
    const struct response *r = &o->response;
    if (o->result == RESPONSE_PARTIAL && e->closed) o->result = response_end(&o->response);
    bool same = o->result == e->result;
    if (same && e->result == RESPONSE_COMPLETE)
        same = r->status == e->status && r->keep_alive == e->keep_alive &&
               r->body_bytes == e->body_bytes && o->used == e->length - e->left_over;
    CHECK(same, "%s, cut at %zu %zu: result %d, status %d, keep-alive %d, body %zu, used %zu",
          e->name, a, b, o->result, r->status, r->keep_alive, (size_t)r->body_bytes, o->used);
}

static void test_every_split(const struct example *e) {
    for (size_t a = 0; a <= e->length; a++) {
        for (size_t b = a; b <= e->length; b++) {
            struct outcome o = {.result = RESPONSE_PARTIAL};
            response_init(&o.response, e->to_head);
            feed(&o, e->bytes, a);
            feed(&o, e->bytes + a, b - a);
            feed(&o, e->bytes + b, e->length - b);
            check_outcome(e, &o, a, b);
        }
    }
}

int main(void) {
    for (size_t i = 0; i < sizeof EXAMPLES / sizeof *EXAMPLES; i++) test_every_split(&EXAMPLES[i]);
    return check_summary("response");
}
