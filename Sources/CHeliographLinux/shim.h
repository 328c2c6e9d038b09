#ifndef HELIOGRAPH_CLINUX_H
#define HELIOGRAPH_CLINUX_H

// Linux functions that Swift's Glibc module lacks.

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline int clinux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

// Waits for at most that many nanoseconds; epoll_wait takes milliseconds only.
static inline int clinux_epoll_wait(int epoll, struct epoll_event *events, int count, int64_t nanoseconds) {
    struct timespec time = { .tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000 };
    return epoll_pwait2(epoll, events, count, &time, NULL);
}

// Declared here, because with sys/timerfd.h Swift would take timespec for a type of this module.
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

// Makes the kernel signal this process when the thread that started it ends. Survives exec.
static inline int clinux_end_with_parent(int signal) { return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0); }

static inline void clinux_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

// Declared here, because glibc declares these functions for _GNU_SOURCE only.
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

// Declared here, because with pty.h Swift would take the types for this module's. termios may be NULL; winsize consists of four
// numbers.
extern int forkpty(int *, char *, const void *, const void *);

// Starts a program in a new terminal, whose other end is `terminal`. Returns its process id, or -1 with errno if it could not be started.
// Between fork and exec only async-signal-safe functions are called. Descriptors that the program must not get have to be close-on-exec.
static inline pid_t clinux_spawn_in_terminal(
    int *terminal, uint16_t rows, uint16_t columns, const char *program, char *const *arguments, char *const *environment) {
    uint16_t size[4] = { rows, columns, 0, 0 };
    int failure[2];
    if (pipe(failure) != 0) return -1;
    fcntl(failure[0], F_SETFD, FD_CLOEXEC);
    fcntl(failure[1], F_SETFD, FD_CLOEXEC);
    pid_t child = forkpty(terminal, NULL, NULL, size);
    if (child == 0) {
        sigset_t none;
        sigemptyset(&none);
        for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execve(program, arguments, environment);
        int number = errno;
        ssize_t written = write(failure[1], &number, sizeof number);
        _exit(written == sizeof number ? 127 : 126);
    }
    int number = child < 0 ? errno : 0;
    close(failure[1]);
    if (child > 0) {
        fcntl(*terminal, F_SETFD, FD_CLOEXEC);
        // Nothing is written to this pipe once the program has started, because exec closes it.
        while (read(failure[0], &number, sizeof number) < 0 && errno == EINTR) {}
    }
    close(failure[0]);
    if (number == 0) return child;
    if (child > 0) close(*terminal);
    errno = number;
    return -1;
}

#endif
