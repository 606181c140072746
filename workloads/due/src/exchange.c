#include "exchange.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "clock.h"
#include "script.h"

/* ---- from the timetable to connections ---- */

/* The request on it has ended. */
static void release(struct run *r, struct connection *c, bool keep_open, int64_t now) {
    pool_remove_in_flight(&r->pool, c);
    if (!keep_open) connection_close(c);
    c->free_since_ns = now;
    pool_push_idle(&r->pool, c);
}

static void fail(struct run *r, struct connection *c, enum error_kind kind) {
    int64_t now = now_ns();
    if (c->measured) {
        r->tally.errors[kind]++;
        series_at(&r->series, now)->errors++;
    } else r->tally.failed_in_warm_up++;
    c->served = false;
    release(r, c, false, now);
}

static void write_request(struct run *r, struct connection *c) {
    size_t sent;
    int error = connection_write(c, &sent);
    if (c->measured) r->tally.sent_bytes += (int64_t)sent;
    if (error) {
        fail(r, c, error == ECONNRESET ? ERROR_RESET : ERROR_WRITE);
    } else if (c->written == c->request_length) {
        pool_set_sent(&r->pool, c);
        if (c->measured) {
            r->tally.sent++;
            series_at(&r->series, now_ns())->sent++;
        }
    }
}

static void prepare_request(struct run *r, struct connection *c) {
    if (r->script) {
        script_request(r->script, c);
    } else if (c->mixed_in) {
        c->request = r->mixed_in_request;
        c->request_length = r->mixed_in_length;
    } else {
        c->request = r->request;
        c->request_length = r->request_length;
    }
    c->written = 0;
    bool to_head = c->request_length > 5 && memcmp(c->request, "HEAD ", 5) == 0;
    response_init(&c->response, to_head);
}

/*
 * By how much did the generator delay this request? A connection that it used too late comes free
 * too late: where the request had to wait for that, it inherits the delay of the one before.
 */
static int64_t lateness_ns(const struct connection *c) {
    int64_t free_without_ns = c->free_since_ns - c->late_ns;
    return c->start_ns - (free_without_ns > c->due_ns ? free_without_ns : c->due_ns);
}

static void count_begin(struct run *r, struct connection *c) {
    /* From when could it have been sent? Only what came after that is the generator's fault. */
    bool had_to_wait = c->free_since_ns > c->due_ns;
    r->tally.due++;
    r->tally.due_mixed_in += c->mixed_in;
    if (had_to_wait) r->tally.waited_for_connection++;
    series_at(&r->series, c->due_ns)->due++;
    histogram_record(r->lag, c->start_ns - (had_to_wait ? c->free_since_ns : c->due_ns));
}

static void on_connected(struct run *r, struct connection *c) {
    r->tally.connections_opened += c->measured;
    r->tally.reconnects += c->measured && c->served;
    c->state = SENDING;
    write_request(r, c);
}

/* Gives a free connection the next request of the timetable. */
static void begin(struct run *r, struct connection *c) {
    c->due_ns = r->start_ns + r->schedule.next.due_ns;
    c->measured = r->schedule.next.measured;
    c->mixed_in = r->schedule.next.mixed_in;
    schedule_advance(&r->schedule);
    prepare_request(r, c);
    c->start_ns = r->last_sent_ns = now_ns();
    c->late_ns = lateness_ns(c);
    if (c->measured) count_begin(r, c);
    pool_add_in_flight(&r->pool, c);
    if (c->fd >= 0) {
        c->state = SENDING;
        write_request(r, c);
        return;
    }
    c->state = CONNECTING;
    int result = connection_open(c, &r->dialer);
    if (result == 0) on_connected(r, c);
    else if (result != EINPROGRESS) fail(r, c, connect_error_kind(result));
}

void exchange_dispatch(struct run *r, int64_t now) {
    const struct schedule *s = &r->schedule;
    /* Each connection once: one that fails is idle again before this ends. */
    for (unsigned left = r->pool.idle_count; left > 0 && !s->exhausted; left--) {
        if (r->start_ns + s->next.due_ns > now) return;
        begin(r, pool_pop_idle(&r->pool));
    }
}

/* ---- answers ---- */

static void count_answer(struct run *r, struct connection *c, int64_t now) {
    struct tally *t = &r->tally;
    int64_t body = (int64_t)c->response.body_bytes;
    t->completed++;
    t->status[c->response.status / 100]++;
    if (c->response.status / 100 == 2) {
        if (body < t->body_bytes_min) t->body_bytes_min = body;
        if (body > t->body_bytes_max) t->body_bytes_max = body;
        t->bodies_right += body == r->options->body_bytes;
    }
    series_completed(&r->series, now, now - c->due_ns);
    if (c->mixed_in) {
        histogram_record(r->mixed_in, now - c->due_ns);
        return;
    }
    histogram_record(r->corrected, now - c->due_ns);
    if (c->response.status / 100 == 2) {
        histogram_record(r->corrected_2xx, now - c->due_ns);
        answers_record(&r->answers, c->due_ns, now - c->due_ns);
    }
    histogram_record(r->uncorrected, now - c->start_ns);
    histogram_record(r->without_lag, now - c->due_ns - c->late_ns);
}

static void on_answer(struct run *r, struct connection *c, int64_t now) {
    if (now >= r->window_start_ns && now < r->window_end_ns) r->tally.answers_in_window++;
    if (c->measured) count_answer(r, c, now);
    else r->tally.completed_in_warm_up++;
    c->served = c->response.status / 100 == 2;
}

/* Takes in bytes that came at `now`; false once the connection has no request any more. */
static bool feed(struct run *r, struct connection *c, const char *bytes, size_t length, int64_t now,
                 bool closed_by_peer) {
    size_t used;
    if (c->measured) r->tally.received_bytes += (int64_t)length;
    enum response_result result = response_feed(&c->response, bytes, length, &used);
    if (result == RESPONSE_PARTIAL) return true;
    if (result == RESPONSE_MALFORMED) {
        fail(r, c, ERROR_MALFORMED);
        return false;
    }
    on_answer(r, c, now);
    /* Edge triggering reports a FIN once: without it the connection would look open. */
    bool keep = c->response.keep_alive && !closed_by_peer && !r->new_connections;
    /* Bytes that were not requested, or a request still half unsent: not to be reused. */
    release(r, c, keep && used == length && c->written == c->request_length, now);
    return false;
}

static void on_end(struct run *r, struct connection *c) {
    if (response_end(&c->response) != RESPONSE_COMPLETE) {
        fail(r, c, ERROR_CLOSED_EARLY);
        return;
    }
    int64_t now = now_ns();
    r->answers_end_with_connection = true;
    on_answer(r, c, now);
    release(r, c, false, now);
}

/*
 * Answers are timed by when they reached this machine, where the kernel says so, not by when the
 * thread got round to reading them.
 */
static int64_t arrival_time(struct run *r, const struct connection *c, int64_t stamped_ns) {
    int64_t now = now_ns();
    if (stamped_ns == 0) return now;
    r->answers_are_stamped = true;
    /* The two clocks are read one after the other: they agree to less than a microsecond. */
    return stamped_ns < c->start_ns ? c->start_ns : earlier(stamped_ns, now);
}

static void receive(struct run *r, struct connection *c, bool closed_by_peer) {
    for (;;) {
        int64_t stamped_ns;
        ssize_t n =
            connection_receive(c, r->buffer, RECEIVE_BYTES, r->realtime_ahead_ns, &stamped_ns);
        if (n > 0) {
            int64_t arrival = arrival_time(r, c, stamped_ns);
            if (!feed(r, c, r->buffer, (size_t)n, arrival, closed_by_peer)) return;
            /* A short read has emptied the socket, and edge triggering reports what comes later. */
            if (n < RECEIVE_BYTES && !closed_by_peer) return;
        } else if (n == 0) {
            on_end(r, c);
            return;
        } else if (errno == EAGAIN) {
            return;
        } else if (errno != EINTR) {
            fail(r, c, ERROR_RESET);
            return;
        }
    }
}

static void on_connect_event(struct run *r, struct connection *c, uint32_t events) {
    int error = events & (EPOLLERR | EPOLLHUP) ? connection_error(c) : 0;
    if (error) fail(r, c, connect_error_kind(error));
    else if (events & EPOLLOUT) on_connected(r, c);
}

void exchange_on_event(struct run *r, struct connection *c, uint32_t events) {
    bool ended = events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
    bool readable = ended || events & EPOLLIN;
    if (c->state == IDLE) {
        /* Between two requests the server closes, or sends what was not requested. */
        if (readable) connection_close(c);
        return;
    }
    if (c->state == CONNECTING) on_connect_event(r, c, events);
    else if (c->state == SENDING && events & EPOLLOUT) write_request(r, c);
    /* Unless that has failed, an answer can be there already. */
    if (readable && (c->state == SENDING || c->state == RECEIVING)) receive(r, c, ended);
}

/* ---- time-outs ---- */

int64_t exchange_deadline_ns(const struct run *r) {
    return r->pool.oldest ? r->pool.oldest->start_ns + r->options->timeout_ns : NEVER;
}

void exchange_expire(struct run *r, int64_t now) {
    while (exchange_deadline_ns(r) <= now) {
        struct connection *c = r->pool.oldest;
        fail(r, c, c->state == CONNECTING ? ERROR_CONNECT_TIMEOUT : ERROR_TIMEOUT);
    }
}
