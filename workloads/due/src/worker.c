#include "worker.h"

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

#define EVENTS 256
/* The longest sleep during which answers may come in unread. */
#define CALM_NS (2 * NS_PER_MS)
/* A thread that accepts needs tens of microseconds a connection, and a short queue holds 50. */
#define OPEN_EVERY_NS (NS_PER_MS / 10)

static void die(const char *what) {
    fprintf(stderr, "due: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (memory == NULL) die("no memory for the connections");
    return memory;
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
        if (fscanf(schedstat, "%llu %llu", &run_ns, &wait_ns) == 2)
            t.wait_s = (double)wait_ns / 1e9;
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

static int64_t give_up_ns(const struct worker *w) {
    return w->stopped ? w->window_end_ns : w->window_end_ns + w->run->options->timeout_ns;
}

static bool finished(const struct worker *w, int64_t now) {
    if (now >= give_up_ns(w)) return true;
    bool all_assigned = w->own_schedules != NULL || w->schedule.exhausted;
    bool all_ended = w->pool.waiting_count == 0 && w->pool.busy == 0;
    return now >= w->window_end_ns && all_assigned && all_ended;
}

/* When the next request can be sent. */
static int64_t next_send_ns(const struct worker *w) {
    int64_t next = w->pool.waiting_count ? w->pool.waiting[0]->due_ns : NEVER;
    if (w->pool.idle_count && !w->schedule.exhausted)
        next = earlier(next, w->run->start_ns + w->schedule.next.due_ns);
    /* Waking up costs more than sending: what is due shortly after the last goes together. */
    int64_t together = w->last_sent_ns + w->run->options->batch_within_ns;
    return next > together ? next : together;
}

/* When there is something to do even if no socket has news. */
static int64_t next_wake_ns(const struct worker *w) {
    int64_t next = earlier(exchange_deadline_ns(w), give_up_ns(w));
    if (!w->window_opened) next = earlier(next, w->run->window_start_ns);
    if (!w->window_closed) next = earlier(next, w->window_end_ns);
    return earlier(next, next_send_ns(w));
}

/*
 * May answers stay unread until then? They are timed by the kernel; it must not be that a
 * request waits for the connection that one of them would set free.
 */
static bool calm_until(const struct worker *w, int64_t until, int64_t now) {
    return until - now <= CALM_NS && w->pool.unsent == 0 && w->answers_are_stamped &&
           !w->answers_end_with_connection && w->pool.idle_count > 0;
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
            else if (source != &w->timer) exchange_on_event(w, source, events[i].events);
        }
        now = now_ns();
        mark_window(w, now);
        if (w->stopped) break;
        exchange_expire(w, now);
        exchange_dispatch(w, now);
    }
    mark_window(w, now_ns());
}

/* ---- before and after ---- */

static int poll_until(struct pollfd *fds, nfds_t count, int64_t until) {
    int64_t left = until - now_ns();
    if (left < 0) left = 0;
    return ppoll(fds, count, &(struct timespec){left / NS_PER_S, left % NS_PER_S}, NULL);
}

/* Sleeps until then; true at once when the run is to end now. */
static bool stopped_by(const struct worker *w, int64_t until) {
    return poll_until(&(struct pollfd){w->run->stop_fd, POLLIN, 0}, 1, until) == 1;
}

/* Waits until it is connected, but no longer than `until`. */
static bool connected_by(struct worker *w, struct connection *c, int64_t until) {
    struct pollfd fds[] = {{c->fd, POLLOUT, 0}, {w->run->stop_fd, POLLIN, 0}};
    if (poll_until(fds, 2, until) < 1 || fds[1].revents) return false;
    return connection_error(c) == 0;
}

/*
 * Kept-alive connections are opened before anything is due, one after the other and no faster than
 * a server accepts: a burst of thousands would overflow its backlog, and each SYN dropped costs a
 * second. Those that cannot be opened are tried again when a request needs them, and count as
 * errors then.
 */
static void open_connections(struct worker *w) {
    int64_t next = now_ns();
    int64_t until = next + w->run->options->timeout_ns + w->pool.connection_count * OPEN_EVERY_NS;
    for (unsigned i = 0; i < w->pool.connection_count; i++, next = now_ns() + OPEN_EVERY_NS) {
        struct connection *c = &w->pool.connections[i];
        if (stopped_by(w, next)) return;
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
    for (unsigned i = 0; i < w->pool.connection_count; i++)
        exchange_set_free(w, &w->pool.connections[i]);
}

static void count_unsent(struct worker *w, int64_t due_ns, int64_t counted) {
    if (due_ns >= w->window_end_ns || counted == 0) return;
    w->tally.due += counted;
    w->tally.unsent_at_end += counted;
    series_at(&w->series, due_ns)->due += counted;
}

/*
 * What came due and was not sent. Counted by steps of the series: an overload leaves millions of
 * arrivals, and a stop must not wait until each has been looked at.
 */
static void count_rest(struct worker *w, struct schedule *s) {
    int64_t start = w->run->start_ns;
    schedule_skip(s, earlier(w->run->window_start_ns, w->window_end_ns) - start);
    while (s->next.due_ns < w->window_end_ns - start) {
        int64_t due_ns = start + s->next.due_ns;
        int64_t until = earlier(series_step_end(&w->series, due_ns), w->window_end_ns);
        count_unsent(w, due_ns, schedule_skip(s, until - start));
    }
}

/* What is still open when the run ends. */
static void settle(struct worker *w) {
    for (struct connection *c = w->pool.oldest; c; c = c->newer)
        w->tally.in_flight_at_end += c->counted;
    for (unsigned i = 0; i < w->pool.waiting_count; i++)
        count_unsent(w, w->pool.waiting[i]->due_ns, w->pool.waiting[i]->counted);
    if (w->own_schedules == NULL) count_rest(w, &w->schedule);
    else
        for (unsigned i = 0; i < w->pool.connection_count; i++) count_rest(w, &w->own_schedules[i]);
    for (unsigned i = 0; i < w->pool.connection_count; i++)
        connection_close(&w->pool.connections[i]);
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
    w->own_schedules = allocate(w->pool.connection_count, sizeof *w->own_schedules);
    for (unsigned i = 0; i < w->pool.connection_count; i++)
        schedule_init(&w->own_schedules[i], &o->plan, w->pool.connections[i].number,
                      o->connections);
}

static void init_connections(struct worker *w) {
    const struct options *o = w->run->options;
    /* Dealt out like cards: connection 0, threads, 2 * threads … are thread 0's. */
    pool_init(&w->pool, (unsigned)((o->connections + o->threads - 1 - w->number) / o->threads));
    for (unsigned i = 0; i < w->pool.connection_count; i++)
        w->pool.connections[i].number = (uint32_t)(i * o->threads + w->number);
}

void worker_init(struct worker *w, struct run *run, unsigned number) {
    *w = (struct worker){.run = run, .number = number, .address = run->target->address};
    tally_init(&w->tally);
    w->corrected = histogram_new();
    w->corrected_2xx = histogram_new();
    w->uncorrected = histogram_new();
    w->lag = histogram_new();
    series_init(&w->series, run->options->series_step_ns);
    w->buffer = allocate(1, RECEIVE_BYTES);
    init_connections(w);
    init_schedules(w);
    w->dialer = (struct dialer){
        .address = &w->address, .next_source = number, .epoll = epoll_create1(EPOLL_CLOEXEC)};
    w->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (w->dialer.epoll < 0 || w->timer < 0) die("epoll and timer");
    watch(w, w->timer, &w->timer, EPOLLIN | EPOLLET);
    watch(w, run->stop_fd, run, EPOLLIN);
}
