// A server on libwebsockets without a function: the cost of a connection and a handshake before there is any relay.
//
//     bare_lws SNAPSHOT_BYTES
//
// Prints its port, and answers `hello` and `subscribe` of `heliograph-bench` with constants: each client gets a
// snapshot of SNAPSHOT_BYTES at position 1, at which a host's session begins.

#define _GNU_SOURCE
#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

// Messages that a connection has to send: one bit for each.
enum { WELCOME = 1, REPLY = 2, SNAPSHOT = 4, ACK = 8 };

typedef struct { int waits, is_host; long long first, events; char session[65]; } Peer;

static unsigned char *snapshot;
static size_t snapshot_bytes;

static int say(struct lws *wsi, const char *text) {
    unsigned char buffer[LWS_PRE + 512];
    size_t size = strlen(text);
    memcpy(buffer + LWS_PRE, text, size);
    return lws_write(wsi, buffer + LWS_PRE, size, LWS_WRITE_TEXT) < 0 ? -1 : 0;
}

static long count_of(const char *text, size_t size, const char *what) {
    long count = 0;
    for (const char *end = text + size; (text = memmem(text, end - text, what, strlen(what))); text++) count++;
    return count;
}

static int received(struct lws *wsi, Peer *peer, const char *text, size_t size) {
    const char *session = memmem(text, size, "\"session\":\"", 11);
    if (!session) peer->waits |= WELCOME;
    else if (!peer->is_host) peer->waits |= REPLY | SNAPSHOT;
    else {
        // A session's first messages are small enough to arrive in one piece.
        sscanf(session + 11, "%64[^\"]", peer->session);
        peer->events += count_of(text, size, "{\"kind\":");
        peer->waits |= ACK;
    }
    return lws_callback_on_writable(wsi);
}

static int writable(struct lws *wsi, Peer *peer) {
    char text[256];
    int next = peer->waits & -peer->waits, failure = 0;
    if (!next) return 0;
    peer->waits &= ~next;
    if (next == WELCOME) failure = say(wsi, "{\"type\":\"welcome\",\"epoch\":\"bare\"}");
    if (next == REPLY) failure = say(wsi, "{\"type\":\"reply\",\"id\":\"s\"}");
    if (next == SNAPSHOT) failure = lws_write(wsi, snapshot + LWS_PRE, snapshot_bytes, LWS_WRITE_TEXT) < 0;
    if (next == ACK) {
        snprintf(text, sizeof text, "{\"type\":\"ack\",\"acks\":[{\"session\":\"%s\",\"through\":%lld}]}", peer->session, peer->events);
        failure = say(wsi, text);
    }
    if (peer->waits) lws_callback_on_writable(wsi);
    return failure ? -1 : 0;
}

static int happened(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size) {
    Peer *peer = user;
    char path[64];
    switch (reason) {
    case LWS_CALLBACK_ESTABLISHED:
        memset(peer, 0, sizeof *peer);
        lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI);
        peer->is_host = !strcmp(path, "/v1/host");
        return 0;
    case LWS_CALLBACK_RECEIVE: return received(wsi, peer, in, size) < 0 ? -1 : 0;
    case LWS_CALLBACK_SERVER_WRITEABLE: return writable(wsi, peer);
    default: return lws_callback_http_dummy(wsi, reason, user, in, size);
    }
}

int main(int count, char **arguments) {
    if (count != 2) return fprintf(stderr, "bare_lws SNAPSHOT_BYTES\n"), 2;
    const char *start = "{\"type\":\"snapshot\",\"epoch\":\"bare\",\"seq\":1";
    snapshot_bytes = strtoul(arguments[1], NULL, 10);
    if (snapshot_bytes < strlen(start) + 1) snapshot_bytes = strlen(start) + 1;
    snapshot = malloc(LWS_PRE + snapshot_bytes);
    memset(snapshot + LWS_PRE, ' ', snapshot_bytes);
    memcpy(snapshot + LWS_PRE, start, strlen(start));
    snapshot[LWS_PRE + snapshot_bytes - 1] = '}';
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    lws_set_log_level(LLL_ERR, NULL);
    struct lws_protocols protocols[] = {
        { "heliograph.v1", happened, sizeof(Peer), 1 << 16, 0, NULL, 0 }, { NULL, NULL, 0, 0, 0, NULL, 0 },
    };
    struct lws_context_creation_info info = { .iface = "127.0.0.1", .protocols = protocols, .gid = -1, .uid = -1 };
    // libwebsockets 4.1.6 takes port 0 for any free one; the vhost then has its number.
    struct lws_context *context = lws_create_context(&info);
    if (!context) return 1;
    printf("%d\n", lws_get_vhost_listen_port(lws_get_vhost_by_name(context, "default")));
    fflush(stdout);
    while (lws_service(context, 0) >= 0) {}
    return 1;
}
