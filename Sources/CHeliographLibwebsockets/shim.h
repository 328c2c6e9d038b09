#ifndef HELIOGRAPH_CLIBWEBSOCKETS_H
#define HELIOGRAPH_CLIBWEBSOCKETS_H

#include <libwebsockets.h>
#include <string.h>

// Swift does not import LWS_PRE: its definition is an expression of another macro.
enum { CLWS_PRE = LWS_PRE };

// Swift does not import macros whose value is built by another macro or is wider than int.
static inline uint64_t clws_context_options(int is_first) {
    // The option VALIDATE_UTF8 is not set: libwebsockets 4.1.6's client writes beyond its buffer when a server continues to send
    // after invalid text.
    uint64_t options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME;
#if LWS_LIBRARY_VERSION_MAJOR < 4 || (LWS_LIBRARY_VERSION_MAJOR == 4 && LWS_LIBRARY_VERSION_MINOR < 3)
    // libwebsockets 4.1.6 renumbers OpenSSL's slot for its connection with each context that initialises TLS. A client of another thread
    // that is verifying a certificate then cannot find its connection, and refuses. One context's initialisation suffices for all, except that
    // the SSL_CTX of the other contexts' vhosts is not freed with them.
    if (!is_first) return options;
#endif
    return options | LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
}

/* A counter of objects that may still log. libwebsockets 4.3 has one counter for all contexts, changes it with each connection without a lock,
   and asserts its value: event loops on several threads would abort the process. So each context has its own. Before 4.3 there is no counter. */
#if LWS_LIBRARY_VERSION_MAJOR > 4 || (LWS_LIBRARY_VERSION_MAJOR == 4 && LWS_LIBRARY_VERSION_MINOR >= 3)
typedef lws_log_cx_t clws_log;

static inline clws_log clws_log_make(int levels, void (*emit)(int level, const char *line)) {
    return (clws_log){ .u.emit = emit, .lll_flags = (uint32_t)levels };
}

// Sets the log of the context or vhost that is created from `info`; `log` has to outlive it.
static inline void clws_log_use(struct lws_context_creation_info *info, clws_log *log) { info->log_cx = log; }
#else
typedef struct { char none; } clws_log;

static inline clws_log clws_log_make(int levels, void (*emit)(int level, const char *line)) { return (clws_log){ 0 }; }

static inline void clws_log_use(struct lws_context_creation_info *info, clws_log *log) {}
#endif

static inline uint64_t clws_tls_client_options(void) { return LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT; }

// libwebsockets gives every vhost with TLS a client side, too; DISABLE_OS_CA_CERTS keeps a server from loading all of the
// system's certificate authorities for that.
static inline uint64_t clws_tls_server_options(void) {
    return LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
}

static inline long clws_tls_options_at_least_1_2(void) {
    return (long)(SSL_OP_NO_SSLv3 | SSL_OP_NO_TLSv1 | SSL_OP_NO_TLSv1_1 | SSL_OP_NO_RENEGOTIATION);
}

// Adopts a socket; in C, because the call takes a union and flags.
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

// Closes the connection in the next turn of the loop: safe in any callback, including the connection's own.
static inline void clws_kill(struct lws *wsi) {
    lws_set_timeout(wsi, PENDING_TIMEOUT_KILLED_BY_PARENT, LWS_TO_KILL_ASYNC);
}

static inline void clws_clear_timeout(struct lws *wsi) {
    lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0);
}

static inline uint64_t clws_libev_option(void) { return LWS_SERVER_OPTION_LIBEV; }

// The folder of libwebsockets' plug-ins; NULL if it was built without the one for libev.
static inline const char *clws_plugin_directory(void) {
#if defined(LWS_WITH_LIBEV) && defined(LWS_WITH_EVLIB_PLUGINS) && defined(LWS_INSTALL_LIBDIR)
    return LWS_INSTALL_LIBDIR;
#else
    return NULL;
#endif
}

/* 1 if an unknown header's name ends with a blank or tab before its colon, 0 if not; negative if header names cannot be
   listed: before 4.3 a header can only be looked up by name. */
#if LWS_LIBRARY_VERSION_MAJOR > 4 || (LWS_LIBRARY_VERSION_MAJOR == 4 && LWS_LIBRARY_VERSION_MINOR >= 3)
enum { CLWS_LISTS_HEADERS = 1 };

static void clws_look_before_colon(const char *name, int length, void *found) {
    // The name's last character is the colon. A colon inside the name, or a line end, would swallow the next header: if a name begins like a known one,
    // libwebsockets continues to the next colon.
    for (int place = 0; place < length - 1; place++)
        if (strchr(" \t:\r\n", name[place])) *(int *)found = 1;
}

static inline int clws_has_blank_before_colon(struct lws *wsi) {
    int found = 0;
    lws_hdr_custom_name_foreach(wsi, clws_look_before_colon, &found);
    return found;
}
#else
enum { CLWS_LISTS_HEADERS = 0 };

static inline int clws_has_blank_before_colon(struct lws *wsi) { return -1; }
#endif

/* Closes the connection after the response to the current request was sent completely; further requests on it are never read.
   libwebsockets offers that only while it writes headers of its own, which are discarded here. */
static inline int clws_ends_with_answer(struct lws *wsi) {
    unsigned char headers[LWS_PRE + 1024], *end = headers + LWS_PRE;
    return lws_add_http_common_headers(wsi, 200, NULL, LWS_ILLEGAL_HTTP_CONTENT_LEN, &end, headers + sizeof headers);
}

// The protocols are a heap copy that libwebsockets made for its vhost, so removing `const` is safe.
static inline void clws_rename_protocol(const struct lws_protocols *protocol, const char *name) {
    ((struct lws_protocols *)(uintptr_t)protocol)->name = name;
}

#endif
