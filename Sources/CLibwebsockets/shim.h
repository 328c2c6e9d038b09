#ifndef HELIOGRAPH_CLIBWEBSOCKETS_H
#define HELIOGRAPH_CLIBWEBSOCKETS_H

#include <libwebsockets.h>

// Swift does not import LWS_PRE: its definition is an expression of another macro.
enum { CLWS_PRE = LWS_PRE };

// Swift does not import macros whose value is built by another macro or is wider than int.
static inline uint64_t clws_context_options(void) {
    return LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_VALIDATE_UTF8
        | LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME | LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
}

static inline uint64_t clws_vhost_options(void) {
    return LWS_SERVER_OPTION_VALIDATE_UTF8 | LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
}

static inline long clws_tls_options_at_least_1_2(void) {
    return (long)(SSL_OP_NO_SSLv3 | SSL_OP_NO_TLSv1 | SSL_OP_NO_TLSv1_1 | SSL_OP_NO_RENEGOTIATION);
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

static inline void clws_woken(lws_sorted_usec_list_t *sul) { (void)sul; }

// Bounds the next wait in poll(2).
static inline void clws_wake_after(struct lws_context *context, lws_sorted_usec_list_t *sul, int64_t microseconds) {
    lws_sul_schedule(context, 0, sul, clws_woken, microseconds);
}

// The array of protocols is a heap copy that lws made for its vhost; `const` only protects it from accidents.
static inline void clws_rename_protocol(const struct lws_protocols *protocol, const char *name) {
    ((struct lws_protocols *)(uintptr_t)protocol)->name = name;
}

#endif
