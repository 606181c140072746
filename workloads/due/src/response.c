#include "response.h"

#include <string.h>

enum state {
    STATUS_LINE, /* position in the line is `digits` */
    REASON,
    LINE_START, /* of a header line, or the empty line after the last */
    HEAD_LF,
    HEADER_NAME,
    HEADER_VALUE,      /* of a header of interest, taken apart at commas */
    HEADER_VALUE_SKIP, /* of any other */
    BODY,
    BODY_UNTIL_CLOSE,
    CHUNK_SIZE,
    CHUNK_EXTENSION,
    CHUNK_SIZE_LF,
    CHUNK_DATA,
    CHUNK_CR,
    CHUNK_LF,
    TRAILER_START,
    TRAILER,
    TRAILER_LF,
    ENDED,
};

enum header { OTHER, CONTENT_LENGTH, TRANSFER_ENCODING, CONNECTION };

void response_init(struct response *r, bool to_head) {
    *r = (struct response){.state = STATUS_LINE, .to_head = to_head};
}

static enum response_result malformed(struct response *r) {
    r->state = ENDED;
    return RESPONSE_MALFORMED;
}

static enum response_result complete(struct response *r) {
    r->state = ENDED;
    return RESPONSE_COMPLETE;
}

static enum response_result go(struct response *r, enum state state) {
    r->state = state;
    return RESPONSE_PARTIAL;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

static int hex_value(char c) {
    if (is_digit(c)) return c - '0';
    c = lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A token that outgrows the buffer keeps a length that no name of interest has. */
static void token_append(struct response *r, char c) {
    if (r->token_length < sizeof r->token) r->token[r->token_length++] = lower(c);
}

static bool token_is(const struct response *r, const char *name) {
    return r->token_length == strlen(name) && memcmp(r->token, name, r->token_length) == 0;
}

/* "HTTP/1.1 200" and what may follow it: a space and a reason, or nothing. */
static enum response_result on_status_line(struct response *r, char c) {
    static const char version[] = "HTTP/1.";
    int at = r->digits++;
    if (at < 7) return c == version[at] ? RESPONSE_PARTIAL : malformed(r);
    if (at == 7) {
        r->http_1_0 = c == '0';
        return is_digit(c) ? RESPONSE_PARTIAL : malformed(r);
    }
    if (at == 8) return c == ' ' ? RESPONSE_PARTIAL : malformed(r);
    if (at < 12) {
        if (!is_digit(c)) return malformed(r);
        r->status = (uint16_t)(r->status * 10 + (c - '0'));
        return RESPONSE_PARTIAL;
    }
    if (r->status < 100 || r->status > 599) return malformed(r);
    if (c == '\n') return go(r, LINE_START);
    return c == ' ' || c == '\r' ? go(r, REASON) : malformed(r);
}

static enum response_result on_head_end(struct response *r) {
    /* To switch protocols was not requested; other interim responses precede the final one. */
    if (r->status == 101) return malformed(r);
    if (r->status < 200) {
        response_init(r, r->to_head);
        return RESPONSE_PARTIAL;
    }
    r->keep_alive = r->http_1_0 ? r->saw_keep_alive : true;
    if (r->saw_close || (r->has_encoding && (r->has_length || r->http_1_0))) r->keep_alive = false;
    if (r->to_head || r->status == 204 || r->status == 304) return complete(r);
    if (r->has_encoding && r->chunked_last) {
        r->number = r->digits = 0;
        return go(r, CHUNK_SIZE);
    }
    if (r->has_encoding || !r->has_length) {
        r->keep_alive = false;
        return go(r, BODY_UNTIL_CLOSE);
    }
    return r->length == 0 ? complete(r) : go(r, BODY);
}

static enum response_result on_header_name(struct response *r, char c) {
    if (c != ':') {
        token_append(r, c);
        return (unsigned char)c <= ' ' || c == 0x7f ? malformed(r) : RESPONSE_PARTIAL;
    }
    if (r->token_length == 0) return malformed(r);
    r->header = token_is(r, "content-length")      ? CONTENT_LENGTH
                : token_is(r, "transfer-encoding") ? TRANSFER_ENCODING
                : token_is(r, "connection")        ? CONNECTION
                                                   : OTHER;
    r->token_length = 0;
    return go(r, r->header == OTHER ? HEADER_VALUE_SKIP : HEADER_VALUE);
}

static enum response_result on_content_length(struct response *r) {
    uint64_t length = 0;
    /* 18 digits cannot overflow, and are an exabyte. */
    if (r->token_length == 0 || r->token_length > 18) return malformed(r);
    for (int i = 0; i < r->token_length; i++) {
        if (!is_digit(r->token[i])) return malformed(r);
        length = length * 10 + (uint64_t)(r->token[i] - '0');
    }
    if (r->has_length && r->length != length) return malformed(r);
    r->has_length = true;
    r->length = length;
    return RESPONSE_PARTIAL;
}

/* One comma-separated element of a header of interest has ended. */
static enum response_result on_element(struct response *r) {
    enum response_result result = RESPONSE_PARTIAL;
    if (r->token_length > 0 && r->token[r->token_length - 1] == ' ') r->token_length--;
    if (r->header == CONTENT_LENGTH) {
        result = on_content_length(r);
    } else if (r->header == CONNECTION) {
        r->saw_close |= token_is(r, "close");
        r->saw_keep_alive |= token_is(r, "keep-alive");
    } else if (r->token_length > 0) {
        r->has_encoding = true;
        r->chunked_last = token_is(r, "chunked");
    }
    r->token_length = 0;
    return result;
}

static enum response_result on_header_value(struct response *r, char c) {
    if (c == ',' || c == '\n') {
        if (c == '\n') r->state = LINE_START;
        return on_element(r);
    }
    /* Leading space goes, inner space counts once, trailing space goes in on_element. */
    if (!is_space(c)) {
        token_append(r, c);
    } else if (r->token_length > 0 && r->token[r->token_length - 1] != ' ') {
        token_append(r, ' ');
    }
    return RESPONSE_PARTIAL;
}

static enum response_result on_line_start(struct response *r, char c) {
    if (c == '\n') return on_head_end(r);
    if (c == '\r') return go(r, HEAD_LF);
    r->token_length = 0;
    r->state = HEADER_NAME;
    return on_header_name(r, c);
}

static enum response_result on_chunk_line_end(struct response *r) {
    if (r->number == 0) return go(r, TRAILER_START);
    r->length = r->number;
    return go(r, CHUNK_DATA);
}

static enum response_result on_chunk_size(struct response *r, char c) {
    int value = hex_value(c);
    if (value >= 0) {
        if (++r->digits > 15) return malformed(r);
        r->number = r->number * 16 + (uint64_t)value;
        return RESPONSE_PARTIAL;
    }
    if (r->digits == 0) return malformed(r);
    if (c == '\n') return on_chunk_line_end(r);
    if (c == '\r') return go(r, CHUNK_SIZE_LF);
    return c == ';' || is_space(c) ? go(r, CHUNK_EXTENSION) : malformed(r);
}

static enum response_result on_chunk_end(struct response *r) {
    r->number = r->digits = 0;
    return go(r, CHUNK_SIZE);
}

static enum response_result on_byte(struct response *r, char c) {
    switch ((enum state)r->state) {
    case STATUS_LINE: return on_status_line(r, c);
    case LINE_START: return on_line_start(r, c);
    case HEADER_NAME: return on_header_name(r, c);
    case HEADER_VALUE: return on_header_value(r, c);
    case HEAD_LF: return c == '\n' ? on_head_end(r) : malformed(r);
    case REASON: /* of this and the other skipped lines only the LF gets here */
    case HEADER_VALUE_SKIP: return go(r, LINE_START);
    case CHUNK_SIZE: return on_chunk_size(r, c);
    case CHUNK_EXTENSION: return on_chunk_line_end(r);
    case CHUNK_SIZE_LF: return c == '\n' ? on_chunk_line_end(r) : malformed(r);
    case CHUNK_CR:
        if (c == '\r') return go(r, CHUNK_LF);
        return c == '\n' ? on_chunk_end(r) : malformed(r);
    case CHUNK_LF: return c == '\n' ? on_chunk_end(r) : malformed(r);
    case TRAILER_START:
        if (c == '\n') return complete(r);
        return go(r, c == '\r' ? TRAILER_LF : TRAILER);
    case TRAILER: return go(r, TRAILER_START);
    case TRAILER_LF: return c == '\n' ? complete(r) : malformed(r);
    case BODY:
    case BODY_UNTIL_CLOSE:
    case CHUNK_DATA:
    case ENDED: break;
    }
    return malformed(r);
}

static bool in_body(const struct response *r) {
    return r->state == BODY || r->state == BODY_UNTIL_CLOSE || r->state == CHUNK_DATA;
}

/* States in which nothing matters but the end of the line. */
static bool in_skipped_line(const struct response *r) {
    return r->state == HEADER_VALUE_SKIP || r->state == REASON || r->state == CHUNK_EXTENSION ||
           r->state == TRAILER;
}

/* Takes all of the body that is there. */
static enum response_result feed_body(struct response *r, size_t available, size_t *taken) {
    *taken = available;
    if (r->state == BODY_UNTIL_CLOSE) {
        r->body_bytes += available;
        return RESPONSE_PARTIAL;
    }
    if (*taken > r->length) *taken = r->length;
    r->body_bytes += *taken;
    r->length -= *taken;
    if (r->length > 0) return RESPONSE_PARTIAL;
    return r->state == BODY ? complete(r) : go(r, CHUNK_CR);
}

enum response_result response_feed(struct response *r, const char *bytes, size_t length,
                                   size_t *used) {
    const char *at = bytes, *end = bytes + length;
    enum response_result result = RESPONSE_PARTIAL;
    while (at < end && result == RESPONSE_PARTIAL) {
        if (in_body(r)) {
            size_t taken;
            result = feed_body(r, (size_t)(end - at), &taken);
            at += taken;
            continue;
        }
        if (in_skipped_line(r)) at = memchr(at, '\n', (size_t)(end - at));
        if (at == NULL) at = end;
        else result = on_byte(r, *at++);
    }
    *used = (size_t)(at - bytes);
    return result;
}

enum response_result response_end(struct response *r) {
    return r->state == BODY_UNTIL_CLOSE ? complete(r) : RESPONSE_PARTIAL;
}
