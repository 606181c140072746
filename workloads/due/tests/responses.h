/* Responses with what a parser must make of them. */
#ifndef DUE_RESPONSES_H
#define DUE_RESPONSES_H

#include <stdbool.h>
#include <stddef.h>

#include "response.h"

struct example {
    const char *name;
    const char *bytes;
    size_t length;
    enum response_result result; /* after all bytes, and the peer's close if `closed` */
    int status;
    const char *body; /* NULL where the result is not complete */
    bool keep_alive;
    bool to_head, closed;
    size_t left_over; /* bytes at the end that do not belong to it */
};

#define BYTES(text) text, sizeof(text) - 1
#define KEPT(text, status, body) BYTES(text), RESPONSE_COMPLETE, status, body, true
#define CLOSING(text, status, body) BYTES(text), RESPONSE_COMPLETE, status, body, false
#define MALFORMED(text) BYTES(text), RESPONSE_MALFORMED, 0, NULL, false
#define PARTIAL(text) BYTES(text), RESPONSE_PARTIAL, 0, NULL, false
#define OK "HTTP/1.1 200 OK\r\n"
#define LENGTH OK "Content-Length: "
#define HI "Content-Length: 2\r\n\r\nhi"
#define CHUNKED OK "Transfer-Encoding: chunked\r\n\r\n"

static const struct example EXAMPLES[] = {
    /* Content-Length */
    {"length", KEPT(LENGTH "5\r\n\r\nhello", 200, "hello")},
    {"length 0", KEPT(LENGTH "0\r\n\r\n", 200, "")},
    {"no reason", KEPT("HTTP/1.1 200\r\n" HI, 200, "hi")},
    {"empty reason", KEPT("HTTP/1.1 503 \r\n" HI, 503, "hi")},
    {"bare LF", KEPT("HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", 200, "hi")},
    {"bare LF, no reason", KEPT("HTTP/1.1 200\nContent-Length: 2\n\nhi", 200, "hi")},
    {"name in capitals", KEPT(OK "CONTENT-LENGTH:2  \r\n\r\nhi", 200, "hi")},
    {"tabs around the value", KEPT(OK "Content-Length:\t2\t\r\n\r\nhi", 200, "hi")},
    {"same length twice", KEPT(LENGTH "2\r\n" HI, 200, "hi")},
    {"same length in a list", KEPT(LENGTH "2, 2\r\n\r\nhi", 200, "hi")},
    {"other headers", KEPT("HTTP/1.1 404 Not Found\r\nContent-Length-X: 9\r\nX-Content-Length: 9\r\nContent: 1\r\nContent-Length: 1\r\nEmpty:\r\nDate: Mon, 01 00:00\r\n\r\n!", 404, "!")},
    {"long header name", KEPT(OK "A-Header-Name-That-Is-Longer-Than-Any-Of-Interest: 1\r\n" HI, 200, "hi")},
    {"folded header", MALFORMED(OK "X: a\r\n b\r\nContent-Length:\r\n 2\r\n\r\nhi")},
    {"folded other header", KEPT(OK "X: a\r\n\tContent-Length: 9\r\n" HI, 200, "hi")},
    {"body that looks like a head", KEPT(LENGTH "19\r\n\r\nHTTP/1.1 500 X\r\n\r\nx", 200, "HTTP/1.1 500 X\r\n\r\nx")},
    {"the next response follows", KEPT(LENGTH "2\r\n\r\nhiHTTP/1.1", 200, "hi"), .left_over = 8},
    /* who closes */
    {"close", CLOSING(OK "Connection: close\r\n" HI, 200, "hi")},
    {"close in a list", CLOSING(OK "Connection: X-One , Close,y\r\n" HI, 200, "hi")},
    {"not quite close", KEPT(OK "Connection: closed, disclose, close it\r\n" HI, 200, "hi")},
    {"long connection option", KEPT(OK "Connection: close-but-very-much-longer-than-that, keep-alive\r\n" HI, 200, "hi")},
    {"1.0", CLOSING("HTTP/1.0 200 OK\r\n" HI, 200, "hi")},
    {"1.0 keep-alive", KEPT("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n" HI, 200, "hi")},
    {"until close", CLOSING(OK "\r\nhello", 200, "hello"), .closed = true},
    {"until close, empty", CLOSING(OK "\r\n", 200, ""), .closed = true},
    {"until close, not closed", PARTIAL(OK "\r\nhello")},
    {"encoding that is not chunked", CLOSING(OK "Transfer-Encoding: gzip\r\n\r\nhello", 200, "hello"), .closed = true},
    {"chunked is not last", CLOSING(OK "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n", 200, "0\r\n\r\n"), .closed = true},
    /* chunked */
    {"chunks", KEPT(OK "Transfer-Encoding: CHUNKED\r\n\r\n2\r\nhe\r\n0003\r\nllo\r\nA\r\n, world!!!\r\n000\r\n\r\n", 200, "hello, world!!!")},
    {"gzip, chunked", KEPT(OK "Transfer-Encoding: gzip, chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", 200, "x")},
    {"encodings in two headers", KEPT(OK "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", 200, "x")},
    {"chunk extensions", KEPT(CHUNKED "1;a=b\r\nx\r\n1 ; c=\"d;e\"\r\ny\r\n0;end\r\n\r\n", 200, "xy")},
    {"trailers", KEPT(CHUNKED "1\r\nx\r\n0\r\nExpires: never\r\nContent-Length: 9\r\n\r\n", 200, "x")},
    {"chunked with bare LF", KEPT("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n1\nx\n0\n\n", 200, "x")},
    {"chunked and a length", CLOSING(LENGTH "99\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", 200, "x")},
    {"chunk data with CRLF", MALFORMED(CHUNKED "6\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n")},
    {"chunk data that looks like an end", KEPT(CHUNKED "7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n", 200, "\r\n0\r\n\r\n")},
    {"chunked, the next follows", KEPT(CHUNKED "1\r\nx\r\n0\r\n\r\nHTTP", 200, "x"), .left_over = 4},
    /* no body, whatever the headers say */
    {"204 with a length", KEPT("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", 204, "")},
    {"304", KEPT("HTTP/1.1 304 Not Modified\r\nContent-Length: 1000\r\n\r\n", 304, "")},
    {"HEAD", KEPT(LENGTH "1000\r\n\r\n", 200, ""), .to_head = true},
    {"HEAD, chunked", KEPT(CHUNKED, 200, ""), .to_head = true},
    /* interim responses */
    {"100", KEPT("HTTP/1.1 100 Continue\r\n\r\n" OK HI, 200, "hi")},
    {"103 and 102", KEPT("HTTP/1.1 103 Early Hints\r\nLink: x\r\nContent-Length: 7\r\nConnection: close\r\n\r\nHTTP/1.1 102 P\r\n\r\nHTTP/1.1 201 Created\r\n" HI, 201, "hi")},
    {"101", MALFORMED("HTTP/1.1 101 X\r\n\r\n")},
    {"100 only", PARTIAL("HTTP/1.1 100 Continue\r\n\r\n"), .closed = true},
    /* cut off */
    {"nothing", PARTIAL(""), .closed = true},
    {"half a status line", PARTIAL("HTTP/1.1 20"), .closed = true},
    {"half a head", PARTIAL(LENGTH "5\r\n"), .closed = true},
    {"half a body", PARTIAL(LENGTH "5\r\n\r\nhell"), .closed = true},
    {"half a chunk", PARTIAL(CHUNKED "5\r\nhell"), .closed = true},
    {"no last chunk", PARTIAL(CHUNKED "5\r\nhello\r\n"), .closed = true},
    {"no end of trailers", PARTIAL(CHUNKED "0\r\nX: y\r\n"), .closed = true},
    /* malformed */
    {"HTTP/2", MALFORMED("HTTP/2 200\r\n\r\n")},
    {"HTTP/1.x", MALFORMED("HTTP/1.x 200 OK\r\n\r\n")},
    {"no space", MALFORMED("HTTP/1.1200 OK\r\n\r\n")},
    {"status of letters", MALFORMED("HTTP/1.1 2O0 OK\r\n\r\n")},
    {"status of 4 digits", MALFORMED("HTTP/1.1 2000 OK\r\n\r\n")},
    {"status 099", MALFORMED("HTTP/1.1 099 OK\r\n\r\n")},
    {"status 600", MALFORMED("HTTP/1.1 600 OK\r\n\r\n")},
    {"empty line first", MALFORMED("\r\nHTTP/1.1 200 OK\r\n\r\n")},
    {"header without a colon", MALFORMED(OK "nonsense\r\n\r\n")},
    {"header without a name", MALFORMED(OK ": x\r\n\r\n")},
    {"space before the colon", MALFORMED(OK "Content-Length : 5\r\n\r\nhello")},
    {"fold before any header", MALFORMED(OK " X: y\r\n\r\n")},
    {"NUL in a name", MALFORMED(OK "X\0Y: z\r\n\r\n")},
    {"CR without LF", MALFORMED(LENGTH "2\r\n\rhi")},
    {"empty length", MALFORMED(OK "Content-Length:\r\n\r\n")},
    {"negative length", MALFORMED(LENGTH "-1\r\n\r\n")},
    {"length of letters", MALFORMED(LENGTH "5x\r\n\r\n")},
    {"length of two numbers", MALFORMED(LENGTH "5 5\r\n\r\n")},
    {"lengths that differ", MALFORMED(LENGTH "5\r\nContent-Length: 6\r\n\r\n")},
    {"length beyond 64 bits", MALFORMED(LENGTH "18446744073709551617\r\n\r\n")},
    {"length longer than its buffer", MALFORMED(LENGTH "00000000000000000000000000000001\r\n\r\n")},
    {"no chunk size", MALFORMED(CHUNKED "\r\nhello")},
    {"chunk size with 0x", MALFORMED(CHUNKED "0x5\r\nhello")},
    {"chunk size beyond 64 bits", MALFORMED(CHUNKED "10000000000000001\r\nx")},
    {"chunk longer than its size", MALFORMED(CHUNKED "4\r\nhello\r\n0\r\n\r\n")},
    {"chunk size with CR only", MALFORMED(CHUNKED "5\rhello")},
};

#define EXAMPLE_COUNT (sizeof EXAMPLES / sizeof *EXAMPLES)

#endif
