#ifndef HELIOGRAPH_CLINUX_H
#define HELIOGRAPH_CLINUX_H

// What Swift's Glibc leaves out.

#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline int clinux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

// Waits for at most so many nanoseconds; epoll_wait knows milliseconds only.
static inline int clinux_epoll_wait(int epoll, struct epoll_event *events, int count, int64_t nanoseconds) {
    struct timespec time = { .tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000 };
    return epoll_pwait2(epoll, events, count, &time, NULL);
}

// Not from sys/timerfd.h: with it Swift would take timespec for a type of this module.
int timerfd_create(int, int);
int timerfd_settime(int, int, const struct itimerspec *, struct itimerspec *);

static inline int64_t clinux_nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static inline int64_t clinux_monotonic_nanoseconds(void) { return clinux_nanoseconds(CLOCK_MONOTONIC); }
static inline int64_t clinux_wall_milliseconds(void) { return clinux_nanoseconds(CLOCK_REALTIME) / 1000000; }
static inline int64_t clinux_processor_nanoseconds(void) { return clinux_nanoseconds(CLOCK_PROCESS_CPUTIME_ID); }

static inline void clinux_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

// glibc's, which shows these to _GNU_SOURCE only.
int accept4(int, struct sockaddr *, socklen_t *, int);
extern void *memmem(const void *, size_t, const void *, size_t);

static inline const void *clinux_find(const void *in, size_t in_count, const void *what, size_t what_count) {
    return memmem(in, in_count, what, what_count);
}

// Counts system calls of one thread and of those that it starts from now on: a descriptor to read a uint64_t from, or -1.
// `tracepoint` is the number of raw_syscalls:sys_enter on this kernel.
static inline int clinux_count_system_calls(pid_t thread, uint64_t tracepoint) {
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_TRACEPOINT;
    attributes.config = tracepoint;
    attributes.inherit = 1;
    return (int)syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

#endif
