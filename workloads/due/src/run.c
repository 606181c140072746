#include "run.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "clock.h"
#include "exchange.h"
#include "memory.h"
#include "request.h"

#define EVENTS 256
/* Waking up costs more than sending: what is due so shortly after the last goes together. */
#define TOGETHER_NS (100 * NS_PER_US)
/* The longest sleep during which answers may come in unread. */
#define CALM_NS (2 * NS_PER_MS)
/* A thread that accepts needs tens of microseconds a connection, and a short queue holds 50. */
#define OPEN_EVERY_NS (NS_PER_MS / 10)

static void die(const char *what) {
    fprintf(stderr, "due: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* ---- time ---- */

static struct cpu_time cpu_now(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    struct cpu_time t = {
        .user_s = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6,
        .system_s = (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6,
    };
    unsigned long long run_ns, wait_ns;
    FILE *schedstat = fopen("/proc/self/schedstat", "r"); /* not in every kernel */
    if (schedstat) {
        if (fscanf(schedstat, "%llu %llu", &run_ns, &wait_ns) == 2)
            t.wait_s = (double)wait_ns / 1e9;
        fclose(schedstat);
    }
    return t;
}

/* CPU is accounted for the window only, as everything else is. */
static void mark_window(struct run *r, int64_t now) {
    if (!r->window_opened && now >= r->window_start_ns) {
        r->window_opened = true;
        r->cpu_at_start = cpu_now();
    }
    if (r->window_opened && !r->window_closed && now >= r->window_end_ns) {
        r->window_closed = true;
        struct cpu_time end = cpu_now();
        r->cpu.user_s = end.user_s - r->cpu_at_start.user_s;
        r->cpu.system_s = end.system_s - r->cpu_at_start.system_s;
        r->cpu.wait_s = end.wait_s - r->cpu_at_start.wait_s;
    }
}

static int64_t give_up_ns(const struct run *r) {
    return r->stopped ? r->window_end_ns : r->window_end_ns + r->options->timeout_ns;
}

static bool finished(const struct run *r, int64_t now) {
    if (now >= give_up_ns(r)) return true;
    return now >= r->window_end_ns && r->schedule.exhausted && r->pool.busy == 0;
}

/* When the next request can be sent. */
static int64_t next_send_ns(const struct run *r) {
    if (r->pool.idle_count == 0 || r->schedule.exhausted) return NEVER;
    int64_t due = r->start_ns + r->schedule.next.due_ns, together = r->last_sent_ns + TOGETHER_NS;
    return due > together ? due : together;
}

/* When there is something to do even if no socket has news. */
static int64_t next_wake_ns(const struct run *r) {
    int64_t next = earlier(exchange_deadline_ns(r), give_up_ns(r));
    if (!r->window_opened) next = earlier(next, r->window_start_ns);
    if (!r->window_closed) next = earlier(next, r->window_end_ns);
    return earlier(next, next_send_ns(r));
}

/*
 * May answers stay unread until then? They are timed by the kernel; it must not be that a
 * request waits for the connection that one of them would set free.
 */
static bool calm_until(const struct run *r, int64_t until, int64_t now) {
    return until - now <= CALM_NS && r->pool.unsent == 0 && r->answers_are_stamped &&
           !r->answers_end_with_connection && r->pool.idle_count > 0;
}

/* A timer descriptor is precise to the microsecond; epoll's own time-out counts milliseconds. */
static void set_timer(struct run *r, int64_t until) {
    if (until == r->timer_set_to_ns) return;
    struct itimerspec when = {.it_value = {until / NS_PER_S, until % NS_PER_S}};
    if (timerfd_settime(r->timer, TFD_TIMER_ABSTIME, &when, NULL) != 0) die("timerfd_settime");
    r->timer_set_to_ns = until;
}

static void sleep_until(int64_t until) {
    struct timespec when = {until / NS_PER_S, until % NS_PER_S};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
}

/* Sleeps until then, or until a socket has news that cannot wait; gives all news there are. */
static int wait_for_events(struct run *r, struct epoll_event *events, int64_t until) {
    int64_t now = now_ns();
    bool wait = until > now;
    if (wait && calm_until(r, until, now)) {
        sleep_until(until);
        wait = false;
    }
    if (wait) set_timer(r, until);
    int count = epoll_wait(r->dialer.epoll, events, EVENTS, wait ? -1 : 0);
    if (count < 0 && errno != EINTR) die("epoll_wait");
    r->realtime_ahead_ns = clock_ns(CLOCK_REALTIME) - now_ns();
    return count < 0 ? 0 : count;
}

static void stop(struct run *r) {
    r->stopped = true;
    r->window_end_ns = earlier(r->window_end_ns, now_ns());
}

static void run_loop(struct run *r) {
    struct epoll_event events[EVENTS];
    int64_t now = now_ns();
    while (!finished(r, now)) {
        int count = wait_for_events(r, events, next_wake_ns(r));
        for (int i = 0; i < count; i++) {
            void *source = events[i].data.ptr;
            if (source == r) stop(r);
            else if (source != &r->timer) exchange_on_event(r, source, events[i].events);
        }
        now = now_ns();
        mark_window(r, now);
        if (r->stopped) break;
        exchange_expire(r, now);
        exchange_dispatch(r, now);
    }
    mark_window(r, now_ns());
}

/* ---- before and after ---- */

static int poll_until(struct pollfd *fds, nfds_t count, int64_t until) {
    int64_t left = until - now_ns();
    if (left < 0) left = 0;
    return ppoll(fds, count, &(struct timespec){left / NS_PER_S, left % NS_PER_S}, NULL);
}

/* Sleeps until then; true, without delay, when the run is to end now. */
static bool stopped_by(const struct run *r, int64_t until) {
    return poll_until(&(struct pollfd){r->stop_fd, POLLIN, 0}, 1, until) == 1;
}

/* Waits until it is connected, but no longer than `until`. */
static bool connected_by(struct run *r, struct connection *c, int64_t until) {
    struct pollfd fds[] = {{c->fd, POLLOUT, 0}, {r->stop_fd, POLLIN, 0}};
    if (poll_until(fds, 2, until) < 1 || fds[1].revents) return false;
    return connection_error(c) == 0;
}

/*
 * Kept-alive connections are opened before anything is due, one after the other and no faster than
 * a server accepts: a burst of thousands would overflow its backlog, and each SYN dropped costs a
 * second. Those that cannot be opened are tried again when a request needs them, and count as
 * errors then.
 */
static void open_connections(struct run *r) {
    int64_t next = now_ns();
    int64_t until = next + r->options->timeout_ns + r->pool.connection_count * OPEN_EVERY_NS;
    for (unsigned i = 0; i < r->pool.connection_count; i++, next = now_ns() + OPEN_EVERY_NS) {
        struct connection *c = &r->pool.connections[i];
        if (stopped_by(r, next)) return;
        int result = connection_open(c, &r->dialer);
        if (result == EINPROGRESS && !connected_by(r, c, until)) connection_close(c);
        if (c->fd < 0) return;
        r->tally.connections_opened++;
    }
}

static void start(struct run *r) {
    /* Far enough ahead that the first request is not late. */
    r->start_ns = now_ns() + NS_PER_MS;
    r->window_start_ns = r->start_ns + r->options->plan.warm_up_ns;
    r->window_end_ns = r->window_start_ns + r->options->plan.duration_ns;
    r->series.start_ns = r->answers.start_ns = r->window_start_ns;
}

/* Counts what came due and was not sent. */
static void count_unsent(struct run *r) {
    struct schedule *s = &r->schedule;
    for (; s->next.due_ns < r->window_end_ns - r->start_ns; schedule_advance(s)) {
        if (!s->next.measured) continue;
        r->tally.due++;
        r->tally.unsent_at_end++;
        series_at(&r->series, r->start_ns + s->next.due_ns)->due++;
    }
}

/* Counts what is still open when the run ends, and closes it. */
static void settle(struct run *r) {
    for (struct connection *c = r->pool.oldest; c; c = c->newer) {
        r->tally.in_flight_at_end += c->measured;
        r->tally.failed_in_warm_up += !c->measured;
    }
    count_unsent(r);
    for (unsigned i = 0; i < r->pool.connection_count; i++)
        connection_close(&r->pool.connections[i]);
    series_finish(&r->series);
}

void run_to_the_end(struct run *r) {
    prctl(PR_SET_TIMERSLACK, 1); /* ns, instead of 50 us */
    if (!r->new_connections) open_connections(r);
    start(r);
    run_loop(r);
    settle(r);
}

static void watch(struct run *r, int fd, void *source, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = source};
    if (epoll_ctl(r->dialer.epoll, EPOLL_CTL_ADD, fd, &event) != 0) die("epoll_ctl");
}

static void init_request(struct run *r) {
    if (r->options->script) r->script = script_create(r->options, r->target);
    else r->request = request_build(r->options, r->target, r->target->path, &r->request_length);
    if (r->options->mixed_in_path)
        r->mixed_in_request =
            request_build(r->options, r->target, r->options->mixed_in_path, &r->mixed_in_length);
    size_t length = r->request_length;
    const char *first = r->script ? script_first_request(r->script, &length) : r->request;
    r->new_connections = request_closes_connection(first, length);
}

static void init_connections(struct run *r) {
    pool_init(&r->pool, (unsigned)r->options->connections);
    r->dialer = (struct dialer){
        .address = &r->target->address,
        .source_addresses = source_addresses_needed(r->target, r->options, r->new_connections),
        .epoll = epoll_create1(EPOLL_CLOEXEC),
    };
    if (r->dialer.epoll < 0) die("epoll");
}

void run_init(struct run *r, const struct options *o, const struct target *t, int stop_fd) {
    *r = (struct run){.options = o, .target = t, .stop_fd = stop_fd};
    init_request(r);
    init_connections(r);
    schedule_init(&r->schedule, &o->plan);
    tally_init(&r->tally);
    r->corrected = histogram_new();
    r->corrected_2xx = histogram_new();
    r->uncorrected = histogram_new();
    r->without_lag = histogram_new();
    r->mixed_in = histogram_new();
    r->lag = histogram_new();
    series_init(&r->series, o->series_step_ns);
    answers_init(&r->answers, o->output[ANSWERS] ? o->plan.duration_ns : 0);
    r->buffer = needed(malloc(RECEIVE_BYTES), "answers");
    r->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (r->timer < 0) die("timer");
    watch(r, r->timer, &r->timer, EPOLLIN | EPOLLET);
    watch(r, stop_fd, r, EPOLLIN);
}
