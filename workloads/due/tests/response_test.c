/*
 * The parser: every example of responses.h, in one piece and in every two and three pieces, must
 * give the same; so must examples with changed bytes, whole and in small pieces.
 */
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "check.h"
#include "responses.h"

struct outcome {
    enum response_result result;
    struct response response;
    size_t used;
};

static void feed(struct outcome *o, struct capture *seen, const char *bytes, size_t length) {
    size_t used = 0;
    if (o->result != RESPONSE_PARTIAL || length == 0) return;
    o->result = response_feed(&o->response, bytes, length, &used, seen);
    o->used += used;
}

static struct outcome begin(const struct example *e, struct capture *seen) {
    struct outcome o = {.result = RESPONSE_PARTIAL};
    capture_reset(seen);
    response_init(&o.response, e->to_head);
    return o;
}

#define AT "%s, %s %zu %zu: "
#define PLACE e->name, how, a, b

/* After all bytes; how the example was cut is for the message. */
static void check_outcome(const struct example *e, struct outcome *o, const struct capture *seen,
                          const char *how, size_t a, size_t b) {
    if (o->result == RESPONSE_PARTIAL && e->closed) o->result = response_end(&o->response);
    const struct response *r = &o->response;
    CHECK(o->result == e->result, AT "result %d, wanted %d (%s)", PLACE, o->result, e->result,
          r->error ? r->error : "");
    if (e->result == RESPONSE_MALFORMED) CHECK(r->error != NULL, "%s: no explanation", e->name);
    if (e->result != RESPONSE_COMPLETE || o->result != RESPONSE_COMPLETE) return;
    size_t body = strlen(e->body), found = (size_t)r->body_bytes;
    CHECK(r->status == e->status, AT "status %d", PLACE, r->status);
    CHECK(r->keep_alive == e->keep_alive, AT "keep-alive", PLACE);
    CHECK(found == body, AT "%zu bytes of body", PLACE, found);
    CHECK(capture_body_length(seen) == body && memcmp(capture_body(seen), e->body, body) == 0,
          AT "body", PLACE);
    CHECK(o->used == e->length - e->left_over, AT "used %zu of %zu", PLACE, o->used, e->length);
}

static void test_every_split(const struct example *e, struct capture *seen) {
    for (size_t a = 0; a <= e->length; a++) {
        for (size_t b = a; b <= e->length; b++) {
            struct outcome o = begin(e, seen);
            feed(&o, seen, e->bytes, a);
            feed(&o, seen, e->bytes + a, b - a);
            feed(&o, seen, e->bytes + b, e->length - b);
            check_outcome(e, &o, seen, "cut at", a, b);
        }
    }
}

/* head + filler * count + tail, whole and in pieces of `piece` bytes. */
static enum response_result parse_long(const char *head, const char *filler, size_t count,
                                       const char *tail, size_t piece) {
    char *text;
    size_t length, used;
    FILE *out = open_memstream(&text, &length);
    fputs(head, out);
    for (size_t i = 0; i < count; i++) fputs(filler, out);
    fputs(tail, out);
    fclose(out);
    struct response r;
    response_init(&r, false);
    enum response_result result = RESPONSE_PARTIAL;
    for (size_t at = 0; at < length && result == RESPONSE_PARTIAL; at += piece) {
        size_t n = length - at < piece ? length - at : piece;
        result = response_feed(&r, text + at, n, &used, NULL);
    }
    free(text);
    return result;
}

static void test_limits(void) {
    static const size_t pieces[] = {1, 7, 4096, 1 << 20};
    static const struct {
        const char *what, *head, *filler;
        size_t count;
        const char *tail;
        enum response_result result;
    } cases[] = {
        {"a long header", OK "X: ", "x", 60000, "\r\n" HI, RESPONSE_COMPLETE},
        {"an endless header", OK "X: ", "x", 70000, "\r\n" HI, RESPONSE_MALFORMED},
        {"endless headers", OK, "X: y\r\n", 20000, "\r\n", RESPONSE_MALFORMED},
        {"an endless name", OK, "x", 70000, "", RESPONSE_MALFORMED},
        {"an endless reason", "HTTP/1.1 200 ", "x", 70000, "\r\n" HI, RESPONSE_MALFORMED},
        {"interim responses", "", "HTTP/1.1 100 X\r\n\r\n", 5000, "", RESPONSE_MALFORMED},
        {"many extensions", CHUNKED, "1;e\r\nx\r\n", 100000, "0\r\n\r\n", RESPONSE_COMPLETE},
        {"an endless extension", CHUNKED "1;", "x", 70000, "\r\nx\r\n0\r\n\r\n", RESPONSE_MALFORMED},
        {"endless trailers", CHUNKED "0\r\n", "X: y\r\n", 20000, "\r\n", RESPONSE_MALFORMED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t j = 0; j < sizeof pieces / sizeof *pieces; j++)
            CHECK(parse_long(cases[i].head, cases[i].filler, cases[i].count, cases[i].tail,
                             pieces[j]) == cases[i].result,
                  "%s in pieces of %zu", cases[i].what, pieces[j]);
}

static void test_captured_headers(struct capture *seen) {
    static const char text[] = "HTTP/1.1 100 Continue\r\nInterim: 1\r\n\r\n"
                               "HTTP/1.1 200 OK\r\nOne:1\r\nEmpty:\r\nContent-Length:  0 \r\n"
                               "Spaces: \t a b \t\r\nConnection: x,y\r\nZero: a\0b\0\r\n\r\n";
    static const char *const wanted[][2] = {
        {"One", "1"},      {"Empty", ""},         {"Content-Length", "0"},
        {"Spaces", "a b"}, {"Connection", "x,y"}, {"Zero", "a b"}};
    for (size_t cut = 0; cut < sizeof text; cut++) {
        struct outcome o = begin(&(struct example){0}, seen);
        feed(&o, seen, text, cut);
        feed(&o, seen, text + cut, sizeof text - 1 - cut);
        CHECK(o.result == RESPONSE_COMPLETE, "cut at %zu", cut);
        capture_end(seen);
        size_t at = 0, n = 0;
        const char *name, *value;
        for (; capture_header(seen, &at, &name, &value); n++) {
            CHECK(n < 6 && strcmp(name, wanted[n][0]) == 0 && strcmp(value, wanted[n][1]) == 0,
                  "cut at %zu, header %zu: %s=%s", cut, n, name, value);
        }
        CHECK(n == 6, "cut at %zu: %zu headers", cut, n);
    }
}

/* These bytes in place of the example's, in pieces of that size. */
static struct outcome parse_changed(const struct example *e, struct capture *seen,
                                    const char *bytes, size_t piece) {
    struct outcome o = begin(e, seen);
    for (size_t at = 0; at < e->length; at += piece)
        feed(&o, seen, bytes + at, e->length - at < piece ? e->length - at : piece);
    if (o.result == RESPONSE_PARTIAL) o.result = response_end(&o.response);
    return o;
}

/* Whatever the bytes are, and however they are cut, the parser comes to the same result. */
static void test_changed_bytes(const struct example *e, struct capture *seen) {
    static const char marks[] = "\r\n\0 \t:,;019afTx\xff";
    char bytes[512];
    for (int round = 0; round < 300 && e->length > 0; round++) {
        memcpy(bytes, e->bytes, e->length);
        for (int i = 0; i < round % 4; i++)
            bytes[(size_t)rand() % e->length] = marks[(size_t)rand() % sizeof marks];
        struct outcome whole = parse_changed(e, seen, bytes, e->length);
        for (size_t piece = 1; piece <= 16; piece *= 2) {
            struct outcome cut = parse_changed(e, seen, bytes, piece);
            CHECK(cut.result == whole.result && cut.used == whole.used, "%s, changed: %.*s",
                  e->name, (int)e->length, bytes);
            if (cut.result != RESPONSE_COMPLETE) continue;
            CHECK(cut.response.status == whole.response.status &&
                      cut.response.keep_alive == whole.response.keep_alive &&
                      cut.response.body_bytes == whole.response.body_bytes &&
                      capture_body_length(seen) == whole.response.body_bytes,
                  "%s, changed: %.*s", e->name, (int)e->length, bytes);
        }
    }
}

int main(void) {
    struct capture *seen = capture_new();
    for (size_t i = 0; i < EXAMPLE_COUNT; i++) {
        test_every_split(&EXAMPLES[i], seen);
        test_changed_bytes(&EXAMPLES[i], seen);
    }
    test_limits();
    test_captured_headers(seen);
    return check_summary("response");
}
