#ifndef HELIOGRAPH_CLIBWEBSOCKETS_H
#define HELIOGRAPH_CLIBWEBSOCKETS_H

#include <dlfcn.h>
#include <errno.h>
#include <libwebsockets.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// Swift does not import LWS_PRE: its definition is an expression of another macro.
enum { CLWS_PRE = LWS_PRE };

// Swift does not import macros whose value is built by another macro or is wider than int.
static inline uint64_t clws_context_options(int is_first) {
    // Not VALIDATE_UTF8: the client of 4.1.6 writes beyond its buffer when a server goes on sending after invalid text.
    uint64_t options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME;
#if LWS_LIBRARY_VERSION_MAJOR < 4 || (LWS_LIBRARY_VERSION_MAJOR == 4 && LWS_LIBRARY_VERSION_MINOR < 3)
    // 4.1.6 numbers the place where a TLS connection says whose it is anew with each context that sets TLS up. A client of another thread
    // that is looking at a certificate then does not find itself, and refuses. What only the first has set up serves all, but for the SSL_CTX
    // of another's vhosts, which is then not freed with it.
    if (!is_first) return options;
#endif
    return options | LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
}

/* Where libwebsockets counts what may still log. 4.3 keeps one count for all contexts, changes it with each connection, guards it by nothing
   and asserts that it is right: loops on several threads would end the process. So each has its own. Before 4.3 nothing is counted. */
#if LWS_LIBRARY_VERSION_MAJOR > 4 || (LWS_LIBRARY_VERSION_MAJOR == 4 && LWS_LIBRARY_VERSION_MINOR >= 3)
typedef lws_log_cx_t clws_log;

static inline clws_log clws_log_make(int levels, void (*emit)(int level, const char *line)) {
    return (clws_log){ .u.emit = emit, .lll_flags = (uint32_t)levels };
}

// Of the context or vhost that is made of `info`; `log` outlives it.
static inline void clws_log_use(struct lws_context_creation_info *info, clws_log *log) { info->log_cx = log; }
#else
typedef struct { char none; } clws_log;

static inline clws_log clws_log_make(int levels, void (*emit)(int level, const char *line)) { return (clws_log){ 0 }; }

static inline void clws_log_use(struct lws_context_creation_info *info, clws_log *log) {}
#endif

static inline uint64_t clws_tls_client_options(void) { return LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT; }

// Every vhost with TLS gets a client side too; a server's need not read all of the system's authorities.
static inline uint64_t clws_tls_server_options(void) {
    return LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
}

static inline long clws_tls_options_at_least_1_2(void) {
    return (long)(SSL_OP_NO_SSLv3 | SSL_OP_NO_TLSv1 | SSL_OP_NO_TLSv1_1 | SSL_OP_NO_RENEGOTIATION);
}

/* What new TLS sessions of a server show: a certificate, its chain and its key, in an SSL_CTX of their own that serves nobody. To read new
   files into the one that serves would keep a pair of each kind of key, and show most peers the old one. */
typedef struct { SSL_CTX *holder; } clws_identity;

static inline void clws_identity_forget(clws_identity *identity) {
    SSL_CTX_free(identity->holder);
    identity->holder = NULL;
}

/* Nonzero: the files are no pair that can be used, and it is as it was. */
static inline int clws_identity_read(clws_identity *identity, const char *certificate, const char *key) {
    SSL_CTX *holder = SSL_CTX_new(TLS_server_method());
    if (!holder) return -1;
    if (SSL_CTX_use_certificate_chain_file(holder, certificate) != 1
        || SSL_CTX_use_PrivateKey_file(holder, key, SSL_FILETYPE_PEM) != 1 || SSL_CTX_check_private_key(holder) != 1) {
        ERR_clear_error();
        SSL_CTX_free(holder);
        return -1;
    }
    clws_identity_forget(identity);
    identity->holder = holder;
    return 0;
}

/* OpenSSL asks before it picks a certificate; 0 ends the handshake. */
static inline int clws_identity_show(SSL *ssl, void *argument) {
    SSL_CTX *holder = ((clws_identity *)argument)->holder;
    STACK_OF(X509) *chain = NULL;
    SSL_CTX_get0_chain_certs(holder, &chain);
    SSL_certs_clear(ssl);
    return SSL_use_cert_and_key(ssl, SSL_CTX_get0_certificate(holder), SSL_CTX_get0_privatekey(holder), chain, 1);
}

/* For sessions to come; `identity` has been read, and outlives them. */
static inline void clws_identity_use(void *context, clws_identity *identity) {
    SSL_CTX_set_cert_cb(context, clws_identity_show, identity);
}

// A union argument and flags that C makes clearer than Swift would.
static inline struct lws *clws_adopt_socket(struct lws_vhost *vhost, int descriptor, int tls, void *opaque) {
    lws_adopt_desc_t info;
    memset(&info, 0, sizeof info);
    info.vh = vhost;
    info.type = LWS_ADOPT_SOCKET | LWS_ADOPT_HTTP | (tls ? LWS_ADOPT_ALLOW_SSL : 0);
    info.fd.sockfd = descriptor;
    info.opaque = opaque;
    return lws_adopt_descriptor_vhost_via_info(&info);
}

static inline struct lws *clws_adopt_readable(struct lws_vhost *vhost, int descriptor, void *opaque) {
    lws_adopt_desc_t info;
    memset(&info, 0, sizeof info);
    info.vh = vhost;
    info.type = LWS_ADOPT_RAW_FILE_DESC;
    info.fd.filefd = descriptor;
    info.opaque = opaque;
    return lws_adopt_descriptor_vhost_via_info(&info);
}

// Closes on the next turn: safe from inside any callback, also the connection's own.
static inline void clws_kill(struct lws *wsi) {
    lws_set_timeout(wsi, PENDING_TIMEOUT_KILLED_BY_PARENT, LWS_TO_KILL_ASYNC);
}

static inline void clws_clear_timeout(struct lws *wsi) {
    lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0);
}

// Not from sys/timerfd.h: with it Swift would take timespec for a type of this module.
int timerfd_create(int, int);
int timerfd_settime(int, int, const struct itimerspec *, struct itimerspec *);

// A descriptor that becomes readable when a time on CLOCK_MONOTONIC has passed.
static inline int clws_alarm_make(void) {
    return timerfd_create(CLOCK_MONOTONIC, SOCK_CLOEXEC | SOCK_NONBLOCK); // which TFD_CLOEXEC and TFD_NONBLOCK are too
}

// In so many nanoseconds; 0: never. Not at a time of the clock, which a wrong clock put in front of us (libfaketime) takes for its own.
static inline int clws_alarm_set(int alarm, int64_t nanoseconds) {
    struct itimerspec time = { .it_value = { .tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000 } };
    return timerfd_settime(alarm, 0, &time, NULL);
}

// Not readable any more until it is set again.
static inline void clws_alarm_silence(int alarm) {
    uint64_t count;
    while (read(alarm, &count, sizeof count) < 0 && errno == EINTR) {}
}

// What we call of libev. It is loaded beside libwebsockets' plug-in, so that a machine with neither can run the binary.
typedef struct {
    void *(*make)(unsigned int flags);
    void (*destroy)(void *loop);
    int (*run)(void *loop, int flags);
    void (*feed)(void *loop, int descriptor, int events);
} clws_libev;

static inline uint64_t clws_libev_option(void) { return LWS_SERVER_OPTION_LIBEV; }

static inline int clws_libev_load(clws_libev *libev) {
#if defined(LWS_WITH_LIBEV) && defined(LWS_WITH_EVLIB_PLUGINS) && defined(LWS_INSTALL_LIBDIR)
    // Looked for first: libwebsockets logs an error where its plug-in is missing.
    if (access(LWS_INSTALL_LIBDIR "/libwebsockets-evlib_ev.so", R_OK)) return -1;
    void *library = dlopen("libev.so.4", RTLD_NOW);
    if (!library) return -1;
    *(void **)&libev->make = dlsym(library, "ev_loop_new");
    *(void **)&libev->destroy = dlsym(library, "ev_loop_destroy");
    *(void **)&libev->run = dlsym(library, "ev_run");
    *(void **)&libev->feed = dlsym(library, "ev_feed_fd_event");
    return libev->make && libev->destroy && libev->run && libev->feed ? 0 : -1;
#else
    (void)libev;
    return -1;
#endif
}

// The values are libev's interface, which its major version fixes.
static inline void *clws_libev_make(const clws_libev *libev) {
    enum { backend_epoll = 4, ignore_environment = 0x01000000 };
    return libev->make(backend_epoll | ignore_environment);
}

static inline void clws_libev_destroy(const clws_libev *libev, void *loop) { libev->destroy(loop); }

static inline void clws_libev_wait(const clws_libev *libev, void *loop) {
    enum { once = 2 };
    libev->run(loop, once);
}

static inline void clws_libev_feed_readable(const clws_libev *libev, void *loop, int descriptor) {
    enum { readable = 1 };
    libev->feed(loop, descriptor, readable);
}

// The array of protocols is a heap copy that lws made for its vhost; `const` only protects it from accidents.
static inline void clws_rename_protocol(const struct lws_protocols *protocol, const char *name) {
    ((struct lws_protocols *)(uintptr_t)protocol)->name = name;
}

// Swift's Glibc is built without _GNU_SOURCE: what Linux has beyond POSIX comes from here.
static inline void clws_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

static inline int clws_stream_socket(int family) {
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int accept4(int, struct sockaddr *, socklen_t *, int);

static inline int clws_accept(int descriptor, struct sockaddr_storage *address) {
    socklen_t size = sizeof *address;
    return accept4(descriptor, (struct sockaddr *)address, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

static inline void clws_peer_credentials(int descriptor, uint32_t *user, int32_t *process) {
    struct { int32_t pid; uint32_t uid, gid; } credentials = { 0, UINT32_MAX, UINT32_MAX };
    socklen_t size = sizeof credentials;
    getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size);
    *user = credentials.uid;
    *process = credentials.pid;
}

// Tells of hang-ups and of nothing else, once a descriptor.
static inline int clws_hangups_make(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int clws_hangups_add(int hangups, int descriptor, uint64_t tag) {
    struct epoll_event event = { .events = EPOLLRDHUP | EPOLLONESHOT, .data = { .u64 = tag } };
    return epoll_ctl(hangups, EPOLL_CTL_ADD, descriptor, &event);
}

static inline void clws_hangups_remove(int hangups, int descriptor) {
    epoll_ctl(hangups, EPOLL_CTL_DEL, descriptor, 0);
}

static inline int clws_hangups_next(int hangups, uint64_t *tag) {
    struct epoll_event event;
    if (epoll_wait(hangups, &event, 1, 0) != 1) return 0;
    *tag = event.data.u64;
    return 1;
}

/* Which of some descriptors can be read: as many tags as there is room for. */
static inline int clws_readable_add(int epoll, int descriptor, uint64_t tag) {
    struct epoll_event event = { .events = EPOLLIN, .data = { .u64 = tag } };
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

enum { CLWS_READABLE_MAX = 64 };

static inline int clws_readable(int epoll, uint64_t tags[CLWS_READABLE_MAX]) {
    struct epoll_event events[CLWS_READABLE_MAX];
    int count = epoll_wait(epoll, events, CLWS_READABLE_MAX, 0);
    for (int i = 0; i < count; i++) tags[i] = events[i].data.u64;
    return count;
}

enum { CLWS_FAILED, CLWS_SENT, CLWS_TAKEN };

/* Whole frames of a server, where libwebsockets keeps nothing that has to go first. Without TLS, `descriptor` is the socket and they go
   straight to it: thousands of times a turn, what lws_write looks at on its way there costs more than all the rest of ours. CLWS_TAKEN:
   it went through libwebsockets, which may keep a part. LWS_WRITE_HTTP is how it passes frames on as they are. */
static inline long clws_write_frames(struct lws *wsi, int descriptor, void *frames, size_t count) {
    ssize_t sent = descriptor < 0 ? -1 : send(descriptor, frames, count, MSG_NOSIGNAL);
    if (sent == (ssize_t)count) return CLWS_SENT;
    // Whatever was wrong, libwebsockets meets it once more and does what it does then.
    if (sent < 0) sent = 0;
    int rest = (int)(count - (size_t)sent);
    return lws_write(wsi, (unsigned char *)frames + sent, (size_t)rest, LWS_WRITE_HTTP) < rest ? CLWS_FAILED : CLWS_TAKEN;
}

/* Reads a socket now, as if the loop had come to it. */
static inline void clws_serve_readable(struct lws *wsi) {
    struct lws_pollfd ready = { .fd = lws_get_socket_fd(wsi), .events = LWS_POLLIN, .revents = LWS_POLLIN };
    lws_service_fd(lws_get_context(wsi), &ready);
}

static inline uint64_t clws_descriptor_limit(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) ? 1024 : limit.rlim_cur;
}

static inline int clws_lower_descriptor_limit(uint64_t most) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur <= most) return 0;
    limit.rlim_cur = most;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

/* A count of TCP_INFO, 0 where it is no TCP socket. glibc's tcp_info is older than these fields, linux/tcp.h clashes with glibc's: their
   places in the kernel's interface are fixed. */
static inline uint64_t clws_tcp_count(int descriptor, size_t offset) {
    unsigned char info[256];
    socklen_t length = sizeof info;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, info, &length)) return 0;
    if (length < offset + sizeof(uint64_t)) return 0;
    uint64_t count;
    memcpy(&count, info + offset, sizeof count);
    return count;
}

/* Bytes that a TCP peer has acknowledged over its life, while others still wait to be; 0 where none wait. */
static inline uint64_t clws_acknowledged_behind_backlog(int descriptor) {
    enum { bytes_acked_offset = 120 };
    int unsent = 0;
    if (ioctl(descriptor, TIOCOUTQ, &unsent) || unsent <= 0) return 0;
    return clws_tcp_count(descriptor, bytes_acked_offset);
}

/* Bytes that a TCP peer has sent over its life; 0 where it is no TCP socket. */
static inline uint64_t clws_received_bytes(int descriptor) {
    enum { bytes_received_offset = 128 };
    return clws_tcp_count(descriptor, bytes_received_offset);
}

/* Bytes that wait to be read. */
static inline int clws_unread_bytes(int descriptor) {
    int unread = 0;
    return ioctl(descriptor, FIONREAD, &unread) ? 0 : unread;
}

#endif
