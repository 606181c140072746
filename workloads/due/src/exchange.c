#include "exchange.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "capture.h"
#include "clock.h"
#include "script.h"

/* ---- from the timetable to connections ---- */

/* Gives a free connection the next request of the timetable: as many arrivals as it answers. */
static void assign(struct worker *w, struct connection *c, struct schedule *schedule) {
    c->answers = w->script ? (uint16_t)script_batch(w->script) : 1;
    c->due_ns = w->run->start_ns + schedule->next.due_ns;
    c->counted = 0;
    for (int i = 0; i < c->answers && !schedule->exhausted; i++) {
        c->counted += schedule->next.measured;
        schedule_advance(schedule);
    }
    if (w->script && script_has_delay(w->script)) c->due_ns += script_delay_ns(w->script);
    pool_push_waiting(&w->pool, c);
}

static struct schedule *own_schedule(struct worker *w, struct connection *c) {
    return &w->own_schedules[c - w->pool.connections];
}

void exchange_set_free(struct worker *w, struct connection *c) {
    c->state = IDLE;
    if (w->own_schedules == NULL) pool_push_idle(&w->pool, c);
    else if (!own_schedule(w, c)->exhausted) assign(w, c, own_schedule(w, c));
}

/* The request on it has ended. */
static void release(struct worker *w, struct connection *c, bool keep_open, int64_t now) {
    pool_remove_under_way(&w->pool, c);
    if (!keep_open) connection_close(c);
    c->free_since_ns = now;
    exchange_set_free(w, c);
}

static void fail(struct worker *w, struct connection *c, enum error_kind kind) {
    int64_t now = now_ns();
    if (c->counted) {
        w->tally.errors[kind] += c->counted;
        series_at(&w->series, now)->errors += c->counted;
    }
    release(w, c, false, now);
}

static void fail_connect(struct worker *w, struct connection *c, int error) {
    if (error == EMFILE || error == ENFILE) w->tally.no_descriptor += c->counted;
    if (error == EADDRNOTAVAIL || error == EADDRINUSE) w->tally.no_port += c->counted;
    fail(w, c, connect_error_kind(error));
}

static void write_request(struct worker *w, struct connection *c) {
    size_t sent;
    int error = connection_write(c, &sent);
    if (c->counted) w->tally.sent_bytes += (int64_t)sent;
    if (error) {
        fail(w, c, error == ECONNRESET ? ERROR_RESET : ERROR_WRITE);
    } else if (c->written == c->request_length) {
        pool_set_sent(&w->pool, c);
        if (c->counted) {
            w->tally.sent += c->counted;
            series_at(&w->series, now_ns())->sent += c->counted;
        }
    }
}

static void prepare_request(struct worker *w, struct connection *c) {
    if (w->script) {
        script_request(w->script, c);
    } else {
        c->request = w->run->request;
        c->request_length = w->run->request_length;
    }
    c->written = 0;
    bool to_head = c->request_length > 5 && memcmp(c->request, "HEAD ", 5) == 0;
    response_init(&c->response, to_head);
}

static void count_begin(struct worker *w, struct connection *c) {
    /* From when could it have been sent? Only what came after that is the generator's fault. */
    bool had_to_wait = c->free_since_ns > c->due_ns;
    w->tally.due += c->counted;
    if (had_to_wait) w->tally.waited_for_connection += c->counted;
    series_at(&w->series, c->due_ns)->due += c->counted;
    histogram_record(w->lag, c->start_ns - (had_to_wait ? c->free_since_ns : c->due_ns));
}

static void on_connected(struct worker *w, struct connection *c) {
    w->tally.connections_opened += c->counted > 0 || !w->run->options->new_connections;
    c->state = SENDING;
    write_request(w, c);
}

static void begin(struct worker *w, struct connection *c) {
    prepare_request(w, c);
    c->start_ns = w->last_sent_ns = now_ns();
    if (c->counted) count_begin(w, c);
    pool_add_under_way(&w->pool, c);
    if (c->fd >= 0) {
        c->state = SENDING;
        write_request(w, c);
        return;
    }
    c->state = CONNECTING;
    int result = connection_open(c, &w->dialer);
    if (result == 0) on_connected(w, c);
    else if (result != EINPROGRESS) fail_connect(w, c, result);
}

void exchange_dispatch(struct worker *w, int64_t now) {
    struct pool *p = &w->pool;
    struct schedule *s = &w->schedule;
    while (p->idle_count && !s->exhausted && w->run->start_ns + s->next.due_ns <= now)
        assign(w, pool_pop_idle(p), s);
    /* Each connection once: where every one fails at once, others are due again before this ends.
     */
    for (unsigned left = p->waiting_count; left > 0 && p->waiting[0]->due_ns <= now; left--)
        begin(w, pool_pop_waiting(p));
}

/* ---- answers ---- */

static void count_answer(struct worker *w, struct connection *c, int64_t now) {
    struct tally *t = &w->tally;
    int64_t body = (int64_t)c->response.body_bytes;
    c->counted--;
    t->completed++;
    t->status[c->response.status / 100]++;
    if (c->response.status / 100 == 2) {
        if (body < t->body_bytes_min) t->body_bytes_min = body;
        if (body > t->body_bytes_max) t->body_bytes_max = body;
    }
    series_completed(&w->series, now, now - c->due_ns);
    if (w->run->options->batch_latency && c->answers > 0) return;
    histogram_record(w->corrected, now - c->due_ns);
    if (c->response.status / 100 == 2) histogram_record(w->corrected_2xx, now - c->due_ns);
    histogram_record(w->uncorrected, now - c->start_ns);
}

static void on_answer(struct worker *w, struct connection *c, int64_t now) {
    c->answers--;
    if (now >= w->run->window_start_ns && now < w->window_end_ns) w->tally.answers_in_window++;
    if (c->counted) count_answer(w, c, now);
    else w->tally.completed_in_warm_up++;
    if (c->capture) script_response(w->script, c);
}

/* Takes in bytes that came at `now`; false once the connection has no request any more. */
static bool feed(struct worker *w, struct connection *c, const char *bytes, size_t length,
                 int64_t now, bool closed_by_peer) {
    const struct response_sink *sink = c->capture ? &CAPTURE_SINK : NULL;
    if (c->counted) w->tally.received_bytes += (int64_t)length;
    while (length > 0) {
        size_t used;
        enum response_result result =
            response_feed(&c->response, bytes, length, &used, sink, c->capture);
        bytes += used;
        length -= used;
        if (result == RESPONSE_PARTIAL) return true;
        if (result == RESPONSE_MALFORMED) {
            fail(w, c, ERROR_MALFORMED);
            return false;
        }
        on_answer(w, c, now);
        /* Edge triggering reports a FIN once: without it the connection would look open. */
        bool keep = c->response.keep_alive && !closed_by_peer && !w->run->options->new_connections;
        if (c->answers == 0) {
            /* Bytes that were not requested, or a request still half unsent: not to be reused. */
            release(w, c, keep && length == 0 && c->written == c->request_length, now);
            return false;
        }
        if (!c->response.keep_alive) {
            fail(w, c, ERROR_CLOSED_EARLY);
            return false;
        }
        response_init(&c->response, c->response.to_head);
    }
    return true;
}

static void on_end(struct worker *w, struct connection *c) {
    if (response_end(&c->response) == RESPONSE_COMPLETE) {
        int64_t now = now_ns();
        w->answers_end_with_connection = true;
        on_answer(w, c, now);
        if (c->answers == 0) {
            release(w, c, false, now);
            return;
        }
    }
    fail(w, c, ERROR_CLOSED_EARLY);
}

/*
 * Answers are timed by when they reached this machine, where the kernel says so, not by when the
 * thread got round to reading them.
 */
static int64_t arrival_time(struct worker *w, const struct connection *c, int64_t stamped_ns) {
    int64_t now = now_ns();
    if (stamped_ns == 0) return now;
    w->answers_are_stamped = true;
    /* The two clocks are read one after the other: they agree to less than a microsecond. */
    return stamped_ns < c->start_ns ? c->start_ns : earlier(stamped_ns, now);
}

static void receive(struct worker *w, struct connection *c, bool closed_by_peer) {
    for (;;) {
        int64_t stamped_ns;
        ssize_t n =
            connection_receive(c, w->buffer, RECEIVE_BYTES, w->realtime_ahead_ns, &stamped_ns);
        if (n > 0) {
            int64_t arrival = arrival_time(w, c, stamped_ns);
            if (!feed(w, c, w->buffer, (size_t)n, arrival, closed_by_peer)) return;
            /* A short read has emptied the socket, and edge triggering reports what comes later. */
            if (n < RECEIVE_BYTES && !closed_by_peer) return;
        } else if (n == 0) {
            on_end(w, c);
            return;
        } else if (errno == EAGAIN) {
            return;
        } else if (errno != EINTR) {
            fail(w, c, ERROR_RESET);
            return;
        }
    }
}

static void on_connect_event(struct worker *w, struct connection *c, uint32_t events) {
    int error = events & (EPOLLERR | EPOLLHUP) ? connection_error(c) : 0;
    if (error) fail_connect(w, c, error);
    else if (events & EPOLLOUT) on_connected(w, c);
}

void exchange_on_event(struct worker *w, struct connection *c, uint32_t events) {
    bool ended = events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
    bool readable = ended || events & EPOLLIN;
    if (c->state <= WAITING) {
        /* Between two requests the server closes, or sends what was not requested. */
        if (readable) connection_close(c);
        return;
    }
    if (c->state == CONNECTING) on_connect_event(w, c, events);
    else if (c->state == SENDING && events & EPOLLOUT) write_request(w, c);
    /* Unless that has failed, an answer can be there already. */
    if (readable && (c->state == SENDING || c->state == RECEIVING)) receive(w, c, ended);
}

/* ---- time-outs ---- */

int64_t exchange_deadline_ns(const struct worker *w) {
    return w->pool.oldest ? w->pool.oldest->start_ns + w->run->options->timeout_ns : NEVER;
}

void exchange_expire(struct worker *w, int64_t now) {
    while (exchange_deadline_ns(w) <= now) {
        struct connection *c = w->pool.oldest;
        fail(w, c, c->state == CONNECTING ? ERROR_CONNECT_TIMEOUT : ERROR_TIMEOUT);
    }
}
