/*
 * A server whose latency is known: it answers every request with 42 bytes
 *   immediately,                                server
 *   one after the other, each taking a while,   server --service-us 2000
 *   not at all for a part of every period,      server --stall-ms 500 --period-ms 5000
 * One thread, kept-alive and closed connections. Prints "listening on 127.0.0.1:<port>".
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"

static const char ANSWER[] = "HTTP/1.1 200 OK\r\nContent-Type: text/html;charset=utf-8\r\n"
                             "Content-Length: 42\r\n\r\n"
                             "forty-two bytes that answer all questions.";
#define ANSWER_LENGTH (sizeof ANSWER - 1)
#define MOST_CONNECTIONS 65536

static int64_t service_ns, stall_ns, period_ns;
static int epoll;

/* For each connection: how much of a head's end was seen, and whether it ends after the answer. */
static uint8_t matched[MOST_CONNECTIONS];
static bool closes[MOST_CONNECTIONS];

static void sleep_until(int64_t time_ns) {
    struct timespec t = {time_ns / NS_PER_S, time_ns % NS_PER_S};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {}
}

static void answer(int fd) {
    /* The answers are small and read soon: a full socket would be a fault of the client. */
    if (send(fd, ANSWER, ANSWER_LENGTH, MSG_NOSIGNAL) < 0 || closes[fd]) close(fd);
}

/* Back to back without drift, so that what it can serve a second is known exactly. */
static void serve_for_a_while(void) {
    static int64_t busy_until;
    /* Woken a little late, it catches up; after a pause it starts again. */
    if (busy_until < now_ns() - service_ns) busy_until = now_ns();
    sleep_until(busy_until += service_ns);
}

static void on_readable(int fd) {
    static char bytes[65536];
    ssize_t n = recv(fd, bytes, sizeof bytes, 0);
    if (n <= 0) {
        if (n == 0 || errno != EAGAIN) close(fd);
        return;
    }
    if (memmem(bytes, (size_t)n, "Connection: close", 17)) closes[fd] = true;
    for (ssize_t i = 0; i < n; i++) {
        static const char end[] = "\r\n\r\n";
        if (bytes[i] == end[matched[fd]]) matched[fd]++;
        else matched[fd] = bytes[i] == '\r';
        if (matched[fd] < 4) continue;
        matched[fd] = 0;
        if (service_ns) serve_for_a_while();
        answer(fd);
    }
}

static void watch(int fd) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static void on_connection(int listener) {
    int fd;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        int yes = 1;
        if (fd >= MOST_CONNECTIONS) {
            close(fd);
            continue;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        matched[fd] = 0;
        closes[fd] = false;
        watch(fd);
    }
}

/* The end of every period: in any whole number of periods there are as many stalls. */
static void stall(int64_t start) {
    int64_t since = (now_ns() - start) % period_ns;
    if (since >= period_ns - stall_ns) sleep_until(now_ns() - since + period_ns);
}

static int listen_on_loopback(void) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), yes = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 4096) != 0) {
        perror("listen");
        exit(1);
    }
    getsockname(listener, (struct sockaddr *)&address, &length);
    printf("listening on 127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

static void read_options(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
        int64_t value = atoll(argv[i + 1]);
        if (strcmp(argv[i], "--service-us") == 0) service_ns = value * NS_PER_US;
        else if (strcmp(argv[i], "--stall-ms") == 0) stall_ns = value * NS_PER_MS;
        else if (strcmp(argv[i], "--period-ms") == 0) period_ns = value * NS_PER_MS;
        else {
            fprintf(stderr, "unknown option %s\n", argv[i]);
            exit(2);
        }
    }
}

int main(int argc, char **argv) {
    read_options(argc, argv);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    prctl(PR_SET_TIMERSLACK, 1); /* sleeps to the microsecond */
    prctl(PR_SET_PDEATHSIG, 9);  /* never outlives the benchmark */
    epoll = epoll_create1(0);
    int listener = listen_on_loopback();
    watch(listener);
    int64_t start = now_ns();
    for (;;) {
        struct epoll_event events[512];
        int count = epoll_wait(epoll, events, 512, -1);
        if (stall_ns) stall(start);
        for (int i = 0; i < count; i++) {
            int fd = events[i].data.fd;
            if (fd == listener) on_connection(listener);
            else on_readable(fd);
        }
    }
}
