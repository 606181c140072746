/*
 * libFuzzer: whatever the bytes are, and however they are cut, the parser stays within bounds
 * (the sanitizers watch), always ends, and comes to the same result.
 * Input: one byte that says whether it answers a HEAD, then the response.
 */
#include <stdint.h>
#include <stdlib.h>

#include "capture.h"
#include "response.h"

static enum response_result parse(struct response *r, bool to_head, const char *bytes,
                                  size_t length, size_t piece, struct capture *seen) {
    enum response_result result = RESPONSE_PARTIAL;
    response_init(r, to_head);
    capture_reset(seen);
    for (size_t at = 0, used; at < length && result == RESPONSE_PARTIAL; at += used) {
        size_t n = length - at < piece ? length - at : piece;
        result = response_feed(r, bytes + at, n, &used, &CAPTURE_SINK, seen);
        if (used > n || (result == RESPONSE_PARTIAL && used != n)) abort();
    }
    return result == RESPONSE_PARTIAL ? response_end(r) : result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct capture *seen;
    if (seen == NULL) seen = capture_new();
    if (size < 1) return 0;
    bool to_head = data[0] & 1;
    const char *bytes = (const char *)data + 1;
    struct response whole, cut;
    enum response_result result = parse(&whole, to_head, bytes, size - 1, SIZE_MAX, seen);
    static const size_t pieces[] = {1, 2, 3, 7, 16, 61};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        if (parse(&cut, to_head, bytes, size - 1, pieces[i], seen) != result) abort();
        if (result != RESPONSE_COMPLETE) continue;
        if (cut.status != whole.status || cut.keep_alive != whole.keep_alive ||
            cut.body_bytes != whole.body_bytes || capture_body_length(seen) != whole.body_bytes)
            abort();
        capture_end(seen);
        const char *name, *value;
        for (size_t at = 0; capture_header(seen, &at, &name, &value);) {}
    }
    return 0;
}
