// Permits more connections than a process may have open files: preloaded into the relay (LD_PRELOAD), it gives each event loop of `serve --loops` a table of
// open files of its own. The limit applies to each table, and a Linux thread may have its own without a privilege.
//
//     TABLE_FILES    the maximum number of files in each table
//     CONNECTIONS    the maximum number of connections over all loops
//
// The relay knows a connection by a number from TABLE_FILES up, which no table contains. The main loop accepts the connection. The loop that first
// uses the number copies the descriptor into its own table (pidfd_getfd), and the original in the process's table is closed, so that a connection
// ends when its loop closes it. All system calls of the relay on connections are wrapped here; a missing one fails with EBADF (strace shows it).

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NOBODY = -1, PROCESS = 0 };
enum { POLLED_MAX = 256, CLOSING_POLLS_MAX = 100000, CLOSING_POLL_MICROSECONDS = 50 };

typedef struct {
    _Atomic int table;     // the process's table or the loop's number; NOBODY: the number is free
    int real;              // the descriptor in the connection's current table
    _Atomic int original;  // the descriptor in the process's table that is still open; -1: none
    int next;              // the next connection whose original has to be closed
} Connection;

static int first = INT32_MAX, count;  // the range of connection numbers
static Connection *connections;
static uint64_t *free_numbers;        // a bit for each free number
static int lowest;                    // the first word of the bitmap that may have a free number
static int to_close = -1;             // the first connection whose original has to be closed
static int process = -1;              // a pidfd of this process
static sem_t has_to_close;
// Held while the process's table and the numbers disagree, so that a copied table contains only known descriptors.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int own_table = NOBODY, has_own_table;

static void end(const char *what) {
    fprintf(stderr, "thread_tables: %s: %s\n", what, strerror(errno));
    abort();
}

static int asked(const char *name) {
    const char *text = getenv(name);
    int value = text ? atoi(text) : 0;
    if (value <= 0) fprintf(stderr, "thread_tables: %s is not set\n", name), exit(2);
    return value;
}

__attribute__((constructor)) static void begin(void) {
    int files = asked("TABLE_FILES");
    count = asked("CONNECTIONS");
    struct rlimit limit;
    syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit);
    if (limit.rlim_max < (rlim_t)files) fprintf(stderr, "thread_tables: a table may not have TABLE_FILES\n"), exit(2);
    limit.rlim_cur = files;
    syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL);
    connections = calloc(count, sizeof *connections);
    free_numbers = calloc((count + 63) / 64, sizeof *free_numbers);
    if (!connections || !free_numbers || sem_init(&has_to_close, 0, 0)) end("memory");
    for (int number = 0; number < count; number++) {
        connections[number].table = NOBODY;
        connections[number].original = -1;
        free_numbers[number / 64] |= 1ull << number % 64;
    }
    unsetenv("LD_PRELOAD");
    first = files;
}

// Called under the lock, on a thread that shares the process's table.
static void close_originals(void) {
    while (to_close >= 0) {
        Connection *connection = &connections[to_close];
        to_close = connection->next;
        syscall(SYS_close, connection->original);
        connection->original = -1;
    }
}

// Closes the last originals, because no later accept does.
static void *closes_originals(void *unused) {
    for (;;) {
        while (sem_wait(&has_to_close)) {}
        pthread_mutex_lock(&lock);
        close_originals();
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void begin_closing(void) {
    sigset_t all, before;
    pthread_t thread;
    process = syscall(SYS_pidfd_open, getpid(), 0);
    if (process < 0) end("pidfd_open");
    // Signals are blocked here, because the relay's own threads handle them.
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, closes_originals, NULL)) end("a thread");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// Takes the lowest free number, like the kernel, so that tables indexed by number stay small. -1: none is free.
static int take_number(int real) {
    for (; lowest < (count + 63) / 64; lowest++) {
        if (!free_numbers[lowest]) continue;
        int number = lowest * 64 + __builtin_ctzll(free_numbers[lowest]);
        free_numbers[lowest] &= free_numbers[lowest] - 1;
        connections[number].real = connections[number].original = real;
        connections[number].table = PROCESS;
        return number;
    }
    return -1;
}

static void give_back(int number) {
    connections[number].table = NOBODY;
    free_numbers[number / 64] |= 1ull << number % 64;
    if (number / 64 < lowest) lowest = number / 64;
}

static int table_of_this_thread(void) {
    char name[16] = "";
    if (own_table != NOBODY) return own_table;
    prctl(PR_GET_NAME, name);
    own_table = PROCESS;
    sscanf(name, "heliograph-io%d", &own_table);
    return own_table;
}

// Copies of connections on their way to other loops are closed here, because otherwise they would stay open.
static void leave_table_of_process(void) {
    if (unshare(CLONE_FILES)) end("unshare");
    for (int number = 0; number < count; number++)
        if (connections[number].original >= 0) syscall(SYS_close, connections[number].original);
    has_own_table = 1;
}

static void take_over(int number) {
    Connection *connection = &connections[number];
    pthread_mutex_lock(&lock);
    if (!has_own_table) leave_table_of_process();
    connection->real = syscall(SYS_pidfd_getfd, process, connection->original, 0);
    if (connection->real < 0) end("pidfd_getfd");
    connection->table = own_table;
    connection->next = to_close;
    if (to_close < 0) sem_post(&has_to_close);
    to_close = number;
    pthread_mutex_unlock(&lock);
}

static __attribute__((noinline)) int of_connection(int descriptor) {
    int number = descriptor - first;
    if (number >= count) return -1;
    Connection *connection = &connections[number];
    int table = connection->table;
    if (table == NOBODY) return -1;
    if (table == PROCESS && table_of_this_thread() != PROCESS) take_over(number);
    else if (table != table_of_this_thread()) errno = EBADF, end("a connection is used by two loops");
    return connection->real;
}

// The descriptor in this thread's table.
static inline int real_of(int descriptor) { return descriptor < first ? descriptor : of_connection(descriptor); }

int accept4(int listener, struct sockaddr *address, socklen_t *size, int flags) {
    // A blocking accept would block with the lock held; the relay does not use one.
    if (!(flags & SOCK_NONBLOCK) || first == INT32_MAX) return syscall(SYS_accept4, listener, address, size, flags);
    pthread_mutex_lock(&lock);
    if (process < 0) begin_closing();
    close_originals();
    int real = syscall(SYS_accept4, listener, address, size, flags), number = real < 0 ? -1 : take_number(real), failure = errno;
    if (real >= 0 && number < 0) syscall(SYS_close, real), failure = EMFILE;
    pthread_mutex_unlock(&lock);
    errno = failure;
    return number < 0 ? -1 : first + number;
}

int close(int descriptor) {
    int real = real_of(descriptor), number = descriptor - first;
    if (real < 0 || number < 0) return syscall(SYS_close, real);
    Connection *connection = &connections[number];
    if (connection->table == PROCESS) {
        pthread_mutex_lock(&lock);
        connection->original = -1;
    } else {
        // The original must be closed first: as long as it is open, the connection stays open and registered in epoll.
        for (int polls = 0; connection->original >= 0; polls++) {
            if (polls == CLOSING_POLLS_MAX) end("nobody closes an original");
            usleep(CLOSING_POLL_MICROSECONDS);
        }
        pthread_mutex_lock(&lock);
    }
    int result = syscall(SYS_close, real);
    give_back(number);
    pthread_mutex_unlock(&lock);
    return result;
}

ssize_t read(int descriptor, void *bytes, size_t size) { return syscall(SYS_read, real_of(descriptor), bytes, size); }
ssize_t write(int descriptor, const void *bytes, size_t size) { return syscall(SYS_write, real_of(descriptor), bytes, size); }
ssize_t readv(int descriptor, const struct iovec *parts, int count) { return syscall(SYS_readv, real_of(descriptor), parts, count); }
ssize_t writev(int descriptor, const struct iovec *parts, int count) { return syscall(SYS_writev, real_of(descriptor), parts, count); }

ssize_t recvfrom(int descriptor, void *bytes, size_t size, int flags, struct sockaddr *address, socklen_t *address_size) {
    return syscall(SYS_recvfrom, real_of(descriptor), bytes, size, flags, address, address_size);
}

ssize_t recv(int descriptor, void *bytes, size_t size, int flags) { return recvfrom(descriptor, bytes, size, flags, NULL, NULL); }

ssize_t sendto(int descriptor, const void *bytes, size_t size, int flags, const struct sockaddr *address, socklen_t address_size) {
    return syscall(SYS_sendto, real_of(descriptor), bytes, size, flags, address, address_size);
}

ssize_t send(int descriptor, const void *bytes, size_t size, int flags) { return sendto(descriptor, bytes, size, flags, NULL, 0); }
ssize_t recvmsg(int descriptor, struct msghdr *message, int flags) { return syscall(SYS_recvmsg, real_of(descriptor), message, flags); }
ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) { return syscall(SYS_sendmsg, real_of(descriptor), message, flags); }
int shutdown(int descriptor, int how) { return syscall(SYS_shutdown, real_of(descriptor), how); }

int getsockopt(int descriptor, int level, int name, void *value, socklen_t *size) {
    return syscall(SYS_getsockopt, real_of(descriptor), level, name, value, size);
}

int setsockopt(int descriptor, int level, int name, const void *value, socklen_t size) {
    return syscall(SYS_setsockopt, real_of(descriptor), level, name, value, size);
}

int getsockname(int descriptor, struct sockaddr *address, socklen_t *size) { return syscall(SYS_getsockname, real_of(descriptor), address, size); }
int getpeername(int descriptor, struct sockaddr *address, socklen_t *size) { return syscall(SYS_getpeername, real_of(descriptor), address, size); }
int fstat(int descriptor, struct stat *status) { return fstatat(real_of(descriptor), "", status, AT_EMPTY_PATH); }

int fcntl(int descriptor, int command, ...) {
    va_list rest;
    va_start(rest, command);
    long argument = va_arg(rest, long);
    va_end(rest);
    return syscall(SYS_fcntl, real_of(descriptor), command, argument);
}

int fcntl64(int, int, ...) __attribute__((alias("fcntl")));

int ioctl(int descriptor, unsigned long request, ...) {
    va_list rest;
    va_start(rest, request);
    long argument = va_arg(rest, long);
    va_end(rest);
    return syscall(SYS_ioctl, real_of(descriptor), request, argument);
}

int epoll_ctl(int epoll, int operation, int descriptor, struct epoll_event *event) {
    return syscall(SYS_epoll_ctl, epoll, operation, real_of(descriptor), event);
}

int ppoll(struct pollfd *asked, nfds_t count, const struct timespec *timeout, const sigset_t *signals) {
    // A copy, because the kernel writes the remaining time into it.
    struct timespec left = timeout ? *timeout : (struct timespec){ 0 };
    struct pollfd real[POLLED_MAX];
    // Larger sets of polled descriptors contain no connections.
    int is_copied = count <= POLLED_MAX;
    for (nfds_t place = 0; is_copied && place < count; place++) {
        real[place] = asked[place];
        real[place].fd = real_of(asked[place].fd);
    }
    int result = syscall(SYS_ppoll, is_copied ? real : asked, count, timeout ? &left : NULL, signals, _NSIG / 8);
    for (nfds_t place = 0; is_copied && place < count; place++) asked[place].revents = real[place].revents;
    return result;
}

int poll(struct pollfd *asked, nfds_t count, int milliseconds) {
    struct timespec timeout = { .tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000l };
    return ppoll(asked, count, milliseconds < 0 ? NULL : &timeout, NULL);
}

// Four ways to set or read the limit of open files.

static int told(void) { return first + count; }

int getrlimit(__rlimit_resource_t resource, struct rlimit *limit) {
    int result = syscall(SYS_prlimit64, 0, resource, NULL, limit);
    if (!result && resource == RLIMIT_NOFILE && connections) limit->rlim_cur = limit->rlim_max = told();
    return result;
}

int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit) {
    return resource == RLIMIT_NOFILE ? 0 : syscall(SYS_prlimit64, 0, resource, limit, NULL);
}

int getdtablesize(void) { return told(); }

long sysconf(int name) {
    static long (*next)(int);
    if (name == _SC_OPEN_MAX && connections) return told();
    if (!next) next = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
    return next(name);
}
