#include "worker.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "capture.h"
#include "clock.h"
#include "script.h"

#define BUFFER_BYTES 65536
#define EVENTS 256
/* The longest sleep during which answers may come in unread. */
#define CALM_NS (2 * NS_PER_MS)

static void die(const char *what) {
    fprintf(stderr, "due: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (memory == NULL) die("no memory for the connections");
    return memory;
}

static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- connections without a request: the idle ring and the heap of those waiting to be due ---- */

static void idle_push(struct worker *w, struct connection *c) {
    w->idle[(w->idle_first + w->idle_count++) % w->connection_count] = c;
}

static struct connection *idle_pop(struct worker *w) {
    struct connection *c = w->idle[w->idle_first];
    w->idle_first = (w->idle_first + 1) % w->connection_count;
    w->idle_count--;
    return c;
}

static void waiting_push(struct worker *w, struct connection *c) {
    unsigned at = w->waiting_count++;
    while (at > 0 && w->waiting[(at - 1) / 2]->due_ns > c->due_ns) {
        w->waiting[at] = w->waiting[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    w->waiting[at] = c;
    c->state = WAITING;
}

static struct connection *waiting_pop(struct worker *w) {
    struct connection *first = w->waiting[0], *last = w->waiting[--w->waiting_count];
    unsigned at = 0;
    for (;;) {
        unsigned child = 2 * at + 1;
        if (child >= w->waiting_count) break;
        if (child + 1 < w->waiting_count &&
            w->waiting[child + 1]->due_ns < w->waiting[child]->due_ns)
            child++;
        if (w->waiting[child]->due_ns >= last->due_ns) break;
        w->waiting[at] = w->waiting[child];
        at = child;
    }
    w->waiting[at] = last;
    return first;
}

/* ---- requests under way, oldest first: all have the same time-out ---- */

static void under_way_add(struct worker *w, struct connection *c) {
    c->older = w->newest;
    c->newer = NULL;
    if (w->newest) w->newest->newer = c;
    else w->oldest = c;
    w->newest = c;
    w->busy++;
    w->unsent++;
}

static void under_way_remove(struct worker *w, struct connection *c) {
    if (c->state < RECEIVING) w->unsent--;
    if (c->older) c->older->newer = c->newer;
    else w->oldest = c->newer;
    if (c->newer) c->newer->older = c->older;
    else w->newest = c->older;
    w->busy--;
}

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
    waiting_push(w, c);
}

static struct schedule *own_schedule(struct worker *w, struct connection *c) {
    return &w->own_schedules[c - w->connections];
}

static void set_free(struct worker *w, struct connection *c) {
    c->state = IDLE;
    if (w->own_schedules == NULL) idle_push(w, c);
    else if (!own_schedule(w, c)->exhausted) assign(w, c, own_schedule(w, c));
}

/* The request on it has ended. */
static void release(struct worker *w, struct connection *c, bool keep_open, int64_t now) {
    under_way_remove(w, c);
    if (!keep_open) connection_close(c);
    c->free_since_ns = now;
    set_free(w, c);
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
        c->state = RECEIVING;
        w->unsent--;
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
    under_way_add(w, c);
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

/* Sends what is due by now. */
static void dispatch(struct worker *w, int64_t now) {
    struct schedule *s = &w->schedule;
    while (w->idle_count && !s->exhausted && w->run->start_ns + s->next.due_ns <= now)
        assign(w, idle_pop(w), s);
    while (w->waiting_count && w->waiting[0]->due_ns <= now) begin(w, waiting_pop(w));
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
    histogram_record(w->uncorrected, now - c->start_ns);
}

static void on_answer(struct worker *w, struct connection *c, int64_t now) {
    c->answers--;
    if (now >= w->run->window_start_ns && now < w->window_end_ns) w->tally.answers_in_window++;
    if (c->counted) count_answer(w, c, now);
    if (c->capture) script_response(w->script, c);
}

/* Takes in bytes that came at `now`; false once the connection has no request any more. */
static bool feed(struct worker *w, struct connection *c, const char *bytes, size_t length,
                 int64_t now) {
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
        bool keep = c->response.keep_alive && !w->run->options->new_connections;
        if (c->answers == 0) {
            /* Bytes that nobody asked for, or a request still half unsent: not to be reused. */
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
            connection_receive(c, w->buffer, BUFFER_BYTES, w->realtime_ahead_ns, &stamped_ns);
        if (n > 0) {
            if (!feed(w, c, w->buffer, (size_t)n, arrival_time(w, c, stamped_ns))) return;
            /* A short read has emptied the socket, and edge triggering tells of more to come. */
            if (n < BUFFER_BYTES && !closed_by_peer) return;
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

static void on_event(struct worker *w, struct connection *c, uint32_t events) {
    bool ended = events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
    bool readable = ended || events & EPOLLIN;
    if (c->state <= WAITING) {
        /* Between two requests the server closes, or sends what nobody asked for. */
        if (readable) connection_close(c);
        return;
    }
    if (c->state == CONNECTING) on_connect_event(w, c, events);
    else if (c->state == SENDING && events & EPOLLOUT) write_request(w, c);
    /* Unless that has failed, an answer can be there already. */
    if (readable && (c->state == SENDING || c->state == RECEIVING)) receive(w, c, ended);
}

/* ---- time ---- */

static struct cpu_time cpu_now(void) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    struct cpu_time t = {
        .user_s = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6,
        .system_s = (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6,
    };
    unsigned long long run_ns, wait_ns;
    FILE *schedstat = fopen("/proc/thread-self/schedstat", "r"); /* not in every kernel */
    if (schedstat) {
        if (fscanf(schedstat, "%llu %llu", &run_ns, &wait_ns) == 2) t.wait_s = (double)wait_ns / 1e9;
        fclose(schedstat);
    }
    return t;
}

/* CPU is accounted for the window only, as everything else is. */
static void mark_window(struct worker *w, int64_t now) {
    if (!w->window_opened && now >= w->run->window_start_ns) {
        w->window_opened = true;
        w->cpu_at_start = cpu_now();
    }
    if (w->window_opened && !w->window_closed && now >= w->window_end_ns) {
        w->window_closed = true;
        struct cpu_time end = cpu_now();
        w->cpu.user_s = end.user_s - w->cpu_at_start.user_s;
        w->cpu.system_s = end.system_s - w->cpu_at_start.system_s;
        w->cpu.wait_s = end.wait_s - w->cpu_at_start.wait_s;
    }
}

static int64_t deadline(const struct worker *w) {
    return w->oldest ? w->oldest->start_ns + w->run->options->timeout_ns : NEVER;
}

static void expire(struct worker *w, int64_t now) {
    while (deadline(w) <= now) {
        struct connection *c = w->oldest;
        fail(w, c, c->state == CONNECTING ? ERROR_CONNECT_TIMEOUT : ERROR_TIMEOUT);
    }
}

static int64_t give_up_ns(const struct worker *w) {
    return w->stopped ? w->window_end_ns : w->window_end_ns + w->run->options->timeout_ns;
}

static bool finished(const struct worker *w, int64_t now) {
    if (now >= give_up_ns(w)) return true;
    bool all_assigned = w->own_schedules != NULL || w->schedule.exhausted;
    return now >= w->window_end_ns && all_assigned && w->waiting_count == 0 && w->busy == 0;
}

/* When the next request can be sent. */
static int64_t next_send_ns(const struct worker *w) {
    int64_t next = w->waiting_count ? w->waiting[0]->due_ns : NEVER;
    if (w->idle_count && !w->schedule.exhausted)
        next = earlier(next, w->run->start_ns + w->schedule.next.due_ns);
    /* Waking up costs more than sending: what is due shortly after the last goes together. */
    int64_t together = w->last_sent_ns + w->run->options->batch_within_ns;
    return next > together ? next : together;
}

/* When there is something to do even if no socket has news. */
static int64_t next_wake_ns(const struct worker *w) {
    int64_t next = earlier(deadline(w), give_up_ns(w));
    if (!w->window_opened) next = earlier(next, w->run->window_start_ns);
    if (!w->window_closed) next = earlier(next, w->window_end_ns);
    return earlier(next, next_send_ns(w));
}

/*
 * May answers stay unread until then? They are timed by the kernel; it must not be that a
 * request waits for the connection that one of them would set free.
 */
static bool calm_until(const struct worker *w, int64_t until, int64_t now) {
    return until - now <= CALM_NS && w->unsent == 0 && w->answers_are_stamped &&
           !w->answers_end_with_connection && w->idle_count > 0;
}

/* A timer descriptor is precise to the microsecond; epoll's own time-out counts milliseconds. */
static void set_timer(struct worker *w, int64_t until) {
    if (until == w->timer_set_to_ns) return;
    struct itimerspec when = {.it_value = {until / NS_PER_S, until % NS_PER_S}};
    if (timerfd_settime(w->timer, TFD_TIMER_ABSTIME, &when, NULL) != 0) die("timerfd_settime");
    w->timer_set_to_ns = until;
}

static void sleep_until(int64_t until) {
    struct timespec when = {until / NS_PER_S, until % NS_PER_S};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
}

/* Sleeps until then, or until a socket has news that cannot wait; gives all news there are. */
static int wait_for_events(struct worker *w, struct epoll_event *events, int64_t until) {
    int64_t now = now_ns();
    bool wait = until > now;
    if (wait && calm_until(w, until, now)) {
        sleep_until(until);
        wait = false;
    }
    if (wait) set_timer(w, until);
    int count = epoll_wait(w->dialer.epoll, events, EVENTS, wait ? -1 : 0);
    if (count < 0 && errno != EINTR) die("epoll_wait");
    w->realtime_ahead_ns = clock_ns(CLOCK_REALTIME) - now_ns();
    return count < 0 ? 0 : count;
}

void worker_stop(struct worker *w) {
    w->stopped = true;
    w->window_end_ns = earlier(w->window_end_ns, now_ns());
}

static void run_loop(struct worker *w) {
    struct epoll_event events[EVENTS];
    int64_t now = now_ns();
    while (!finished(w, now)) {
        int count = wait_for_events(w, events, next_wake_ns(w));
        for (int i = 0; i < count; i++) {
            void *source = events[i].data.ptr;
            if (source == w->run) worker_stop(w);
            else if (source != &w->timer) on_event(w, source, events[i].events);
        }
        now = now_ns();
        mark_window(w, now);
        if (w->stopped) break;
        expire(w, now);
        dispatch(w, now);
    }
    mark_window(w, now_ns());
}

/* ---- before and after ---- */

/* Waits until it is connected or `until`; 0 when it is. */
static bool connected_by(struct worker *w, struct connection *c, int64_t until) {
    struct pollfd fds[] = {{c->fd, POLLOUT, 0}, {w->run->stop_fd, POLLIN, 0}};
    int64_t left_ms = (until - now_ns()) / NS_PER_MS;
    if (left_ms < 0 || poll(fds, 2, (int)left_ms) < 1 || fds[1].revents) return false;
    return connection_error(c) == 0;
}

/*
 * Kept-alive connections are opened before anything is due, one after the other: a burst of
 * thousands would overflow the server's backlog and be a load of its own. Those that cannot be
 * opened are tried again when a request needs them, and count as errors then.
 */
static void open_connections(struct worker *w) {
    int64_t until = now_ns() + w->run->options->timeout_ns;
    for (unsigned i = 0; i < w->connection_count; i++) {
        struct connection *c = &w->connections[i];
        int result = connection_open(c, &w->dialer);
        if (result == EINPROGRESS && !connected_by(w, c, until)) connection_close(c);
        if (c->fd < 0) return;
        w->tally.connections_opened++;
    }
}

static void start_together(struct worker *w) {
    struct run *run = w->run;
    if (pthread_barrier_wait(&run->ready) == PTHREAD_BARRIER_SERIAL_THREAD) {
        /* Far enough ahead that every thread is there when the first request is due. */
        run->start_ns = now_ns() + NS_PER_MS;
        run->window_start_ns = run->start_ns + run->options->plan.warm_up_ns;
        run->window_end_ns = run->window_start_ns + run->options->plan.duration_ns;
    }
    pthread_barrier_wait(&run->ready);
    w->series.start_ns = run->window_start_ns;
    w->window_end_ns = run->window_end_ns;
}

static void free_all(struct worker *w) {
    for (unsigned i = 0; i < w->connection_count; i++) set_free(w, &w->connections[i]);
}

static void count_unsent(struct worker *w, int64_t due_ns, int counted) {
    if (due_ns >= w->window_end_ns || counted == 0) return;
    w->tally.due += counted;
    w->tally.unsent_at_end += counted;
    series_at(&w->series, due_ns)->due += counted;
}

static void count_rest(struct worker *w, struct schedule *s) {
    for (; !s->exhausted; schedule_advance(s))
        count_unsent(w, w->run->start_ns + s->next.due_ns, s->next.measured);
}

/* What is still open when the run ends. */
static void settle(struct worker *w) {
    for (struct connection *c = w->oldest; c; c = c->newer) w->tally.in_flight_at_end += c->counted;
    for (unsigned i = 0; i < w->waiting_count; i++)
        count_unsent(w, w->waiting[i]->due_ns, w->waiting[i]->counted);
    if (w->own_schedules == NULL) count_rest(w, &w->schedule);
    else
        for (unsigned i = 0; i < w->connection_count; i++) count_rest(w, &w->own_schedules[i]);
    for (unsigned i = 0; i < w->connection_count; i++) connection_close(&w->connections[i]);
    series_finish(&w->series);
}

void *worker_main(void *argument) {
    struct worker *w = argument;
    prctl(PR_SET_TIMERSLACK, 1); /* ns, instead of 50 us */
    w->dialer.source_addresses = w->run->source_addresses;
    if (!w->run->options->new_connections) open_connections(w);
    start_together(w);
    free_all(w);
    run_loop(w);
    settle(w);
    return NULL;
}

static void watch(struct worker *w, int fd, void *source, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = source};
    if (epoll_ctl(w->dialer.epoll, EPOLL_CTL_ADD, fd, &event) != 0) die("epoll_ctl");
}

static void init_schedules(struct worker *w) {
    const struct options *o = w->run->options;
    if (!o->per_connection) {
        schedule_init(&w->schedule, &o->plan, w->number, o->threads);
        return;
    }
    w->schedule.exhausted = true; /* nothing is shared */
    w->own_schedules = allocate(w->connection_count, sizeof *w->own_schedules);
    for (unsigned i = 0; i < w->connection_count; i++)
        schedule_init(&w->own_schedules[i], &o->plan, w->connections[i].number, o->connections);
}

static void init_connections(struct worker *w) {
    const struct options *o = w->run->options;
    /* Dealt out like cards: connection 0, threads, 2 * threads … are thread 0's. */
    w->connection_count = (unsigned)((o->connections + o->threads - 1 - w->number) / o->threads);
    w->connections = allocate(w->connection_count, sizeof *w->connections);
    w->idle = allocate(w->connection_count, sizeof(struct connection *));
    w->waiting = allocate(w->connection_count, sizeof(struct connection *));
    for (unsigned i = 0; i < w->connection_count; i++) {
        w->connections[i].fd = -1;
        w->connections[i].number = (uint32_t)(i * o->threads + w->number);
    }
}

void worker_init(struct worker *w, struct run *run, unsigned number) {
    *w = (struct worker){.run = run, .number = number, .address = run->target->address};
    tally_init(&w->tally);
    w->corrected = histogram_new();
    w->uncorrected = histogram_new();
    w->lag = histogram_new();
    series_init(&w->series);
    w->buffer = allocate(1, BUFFER_BYTES);
    init_connections(w);
    init_schedules(w);
    w->dialer = (struct dialer){.address = &w->address,
                                .next_source = number,
                                .epoll = epoll_create1(EPOLL_CLOEXEC)};
    w->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (w->dialer.epoll < 0 || w->timer < 0) die("epoll and timer");
    watch(w, w->timer, &w->timer, EPOLLIN | EPOLLET);
    watch(w, run->stop_fd, run, EPOLLIN);
}
