/* Responses with what a parser must make of them: the corpus of the tests and of the fuzzer. */
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
#define COMPLETE(status, body, keep_alive) RESPONSE_COMPLETE, status, body, keep_alive
#define MALFORMED RESPONSE_MALFORMED, 0, NULL, false
#define PARTIAL RESPONSE_PARTIAL, 0, NULL, false

static const struct example EXAMPLES[] = {
    /* Content-Length */
    {"length", BYTES("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), COMPLETE(200, "hello", true)},
    {"length 0", BYTES("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), COMPLETE(200, "", true)},
    {"no reason", BYTES("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi"), COMPLETE(200, "hi", true)},
    {"empty reason", BYTES("HTTP/1.1 503 \r\nContent-Length: 2\r\n\r\nno"), COMPLETE(503, "no", true)},
    {"bare LF", BYTES("HTTP/1.1 200 OK\nContent-Length: 2\n\nhi"), COMPLETE(200, "hi", true)},
    {"bare LF, no reason", BYTES("HTTP/1.1 200\nContent-Length: 2\n\nhi"), COMPLETE(200, "hi", true)},
    {"name in capitals", BYTES("HTTP/1.1 200 OK\r\nCONTENT-LENGTH:2  \r\n\r\nhi"), COMPLETE(200, "hi", true)},
    {"tabs around the value", BYTES("HTTP/1.1 200 OK\r\nContent-Length:\t2\t\r\n\r\nhi"), COMPLETE(200, "hi", true)},
    {"same length twice", BYTES("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi"), COMPLETE(200, "hi", true)},
    {"same length in a list", BYTES("HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nhi"), COMPLETE(200, "hi", true)},
    {"other headers", BYTES("HTTP/1.1 404 Not Found\r\nServer: x\r\nContent-Length-X: 9\r\nX-Content-Length: 9\r\nContent: 1\r\nContent-Length: 1\r\nEmpty:\r\nDate: Mon, 01 Jan 2024 00:00:00 GMT\r\n\r\n!"), COMPLETE(404, "!", true)},
    {"long header name", BYTES("HTTP/1.1 200 OK\r\nA-Header-Name-That-Is-Longer-Than-Any-Of-Interest: 1\r\nContent-Length: 1\r\n\r\n!"), COMPLETE(200, "!", true)},
    {"folded header", BYTES("HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length:\r\n 2\r\n\r\nhi"), MALFORMED},
    {"folded other header", BYTES("HTTP/1.1 200 OK\r\nX: a\r\n\tContent-Length: 9\r\nContent-Length: 2\r\n\r\nhi"), COMPLETE(200, "hi", true)},
    {"body that looks like a head", BYTES("HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\nHTTP/1.1 500 X\r\n\r\nx"), COMPLETE(200, "HTTP/1.1 500 X\r\n\r\nx", true)},
    {"the next response follows", BYTES("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1"), COMPLETE(200, "hi", true), .left_over = 8},
    /* who closes */
    {"close", BYTES("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"), COMPLETE(200, "hi", false)},
    {"close in a list", BYTES("HTTP/1.1 200 OK\r\nConnection: X-One , Close,y\r\nContent-Length: 2\r\n\r\nhi"), COMPLETE(200, "hi", false)},
    {"not quite close", BYTES("HTTP/1.1 200 OK\r\nConnection: closed, disclose, close it\r\nContent-Length: 2\r\n\r\nhi"), COMPLETE(200, "hi", true)},
    {"long connection option", BYTES("HTTP/1.1 200 OK\r\nConnection: close-but-very-much-longer-than-that, keep-alive\r\nContent-Length: 2\r\n\r\nhi"), COMPLETE(200, "hi", true)},
    {"1.0", BYTES("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi"), COMPLETE(200, "hi", false)},
    {"1.0 keep-alive", BYTES("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nhi"), COMPLETE(200, "hi", true)},
    {"until close", BYTES("HTTP/1.1 200 OK\r\n\r\nhello"), COMPLETE(200, "hello", false), .closed = true},
    {"until close, empty", BYTES("HTTP/1.1 200 OK\r\n\r\n"), COMPLETE(200, "", false), .closed = true},
    {"until close, not closed", BYTES("HTTP/1.1 200 OK\r\n\r\nhello"), PARTIAL},
    {"encoding that is not chunked", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello"), COMPLETE(200, "hello", false), .closed = true},
    {"chunked is not last", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"), COMPLETE(200, "0\r\n\r\n", false), .closed = true},
    /* chunked */
    {"chunked", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), COMPLETE(200, "hello", true)},
    {"chunks", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: CHUNKED\r\n\r\n2\r\nhe\r\n0003\r\nllo\r\nA\r\n, world!!!\r\n000\r\n\r\n"), COMPLETE(200, "hello, world!!!", true)},
    {"gzip, chunked", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"), COMPLETE(200, "x", true)},
    {"encodings in two headers", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"), COMPLETE(200, "x", true)},
    {"chunk extensions", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\nx\r\n1 ; c=\"d;e\"\r\ny\r\n0;end\r\n\r\n"), COMPLETE(200, "xy", true)},
    {"trailers", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nExpires: never\r\nContent-Length: 9\r\n\r\n"), COMPLETE(200, "x", true)},
    {"chunked with bare LF", BYTES("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n1\nx\n0\n\n"), COMPLETE(200, "x", true)},
    {"chunked and a length", BYTES("HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"), COMPLETE(200, "x", false)},
    {"chunk data with CRLF", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n"), MALFORMED},
    {"chunk data that looks like an end", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n"), COMPLETE(200, "\r\n0\r\n\r\n", true), .left_over = 0},
    {"chunked, the next follows", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\nHTTP"), COMPLETE(200, "x", true), .left_over = 4},
    /* no body, whatever the headers say */
    {"204", BYTES("HTTP/1.1 204 No Content\r\n\r\n"), COMPLETE(204, "", true)},
    {"204 with a length", BYTES("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n"), COMPLETE(204, "", true)},
    {"304", BYTES("HTTP/1.1 304 Not Modified\r\nContent-Length: 1000\r\n\r\n"), COMPLETE(304, "", true)},
    {"HEAD", BYTES("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"), COMPLETE(200, "", true), .to_head = true},
    {"HEAD, chunked", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), COMPLETE(200, "", true), .to_head = true},
    /* interim responses */
    {"100", BYTES("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"), COMPLETE(200, "hi", true)},
    {"103 and 102", BYTES("HTTP/1.1 103 Early Hints\r\nLink: x\r\nContent-Length: 7\r\nConnection: close\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nhi"), COMPLETE(201, "hi", true)},
    {"101", BYTES("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"), MALFORMED},
    {"100 only", BYTES("HTTP/1.1 100 Continue\r\n\r\n"), PARTIAL, .closed = true},
    /* cut off */
    {"nothing", BYTES(""), PARTIAL, .closed = true},
    {"half a status line", BYTES("HTTP/1.1 20"), PARTIAL, .closed = true},
    {"half a head", BYTES("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"), PARTIAL, .closed = true},
    {"half a body", BYTES("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell"), PARTIAL, .closed = true},
    {"half a chunk", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhell"), PARTIAL, .closed = true},
    {"no last chunk", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), PARTIAL, .closed = true},
    {"no end of trailers", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n"), PARTIAL, .closed = true},
    /* malformed */
    {"not HTTP", BYTES("SSH-2.0-OpenSSH_9.2\r\n"), MALFORMED},
    {"HTTP/2", BYTES("HTTP/2 200\r\n\r\n"), MALFORMED},
    {"HTTP/1.x", BYTES("HTTP/1.x 200 OK\r\n\r\n"), MALFORMED},
    {"no space", BYTES("HTTP/1.1200 OK\r\n\r\n"), MALFORMED},
    {"status of letters", BYTES("HTTP/1.1 2O0 OK\r\n\r\n"), MALFORMED},
    {"status of 4 digits", BYTES("HTTP/1.1 2000 OK\r\n\r\n"), MALFORMED},
    {"status 099", BYTES("HTTP/1.1 099 OK\r\n\r\n"), MALFORMED},
    {"status 600", BYTES("HTTP/1.1 600 OK\r\n\r\n"), MALFORMED},
    {"empty line first", BYTES("\r\nHTTP/1.1 200 OK\r\n\r\n"), MALFORMED},
    {"header without a colon", BYTES("HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"), MALFORMED},
    {"header without a name", BYTES("HTTP/1.1 200 OK\r\n: x\r\n\r\n"), MALFORMED},
    {"space before the colon", BYTES("HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello"), MALFORMED},
    {"fold before any header", BYTES("HTTP/1.1 200 OK\r\n X: y\r\n\r\n"), MALFORMED},
    {"NUL in a name", BYTES("HTTP/1.1 200 OK\r\nX\0Y: z\r\n\r\n"), MALFORMED},
    {"CR without LF", BYTES("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\rhi"), MALFORMED},
    {"empty length", BYTES("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n"), MALFORMED},
    {"negative length", BYTES("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), MALFORMED},
    {"length of letters", BYTES("HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\n"), MALFORMED},
    {"length of two numbers", BYTES("HTTP/1.1 200 OK\r\nContent-Length: 5 5\r\n\r\n"), MALFORMED},
    {"lengths that differ", BYTES("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"), MALFORMED},
    {"length beyond 64 bits", BYTES("HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551617\r\n\r\n"), MALFORMED},
    {"length longer than its buffer", BYTES("HTTP/1.1 200 OK\r\nContent-Length: 00000000000000000000000000000001\r\n\r\n"), MALFORMED},
    {"no chunk size", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\nhello"), MALFORMED},
    {"chunk size of letters", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nhello"), MALFORMED},
    {"chunk size with 0x", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nhello"), MALFORMED},
    {"chunk size beyond 64 bits", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000001\r\nx"), MALFORMED},
    {"chunk longer than its size", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhello\r\n0\r\n\r\n"), MALFORMED},
    {"chunk size with CR only", BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\rhello"), MALFORMED},
};

#define EXAMPLE_COUNT (sizeof EXAMPLES / sizeof *EXAMPLES)

#endif
