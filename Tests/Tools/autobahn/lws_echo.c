/* lws_echo serve | client PORT AGENT: an echo peer on libwebsockets alone for the Autobahn test suite, for comparison with Heliograph's engine.
   Like libwebsockets' own examples: UTF-8 is checked, permessage-deflate is on, each fragment is echoed as received. `serve` prints its port. */

#include <libwebsockets.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct piece {
    struct piece *next;
    size_t count;
    int is_first, is_final, is_binary;
    unsigned char bytes[]; /* LWS_PRE bytes of head-room, then the payload */
};

struct session {
    struct piece *first, *last;
};

static struct lws_context *context;
static int port;
static const char *agent;
/* -1: requests the number of cases; 0: waits for it; from 1 on: the number of the current case. */
static int step = -1;
static int case_count;
static int is_over;

static void connect_next(void);

static int receive(struct lws *wsi, struct session *session, const void *in, size_t count) {
    struct piece *piece = malloc(sizeof *piece + LWS_PRE + count + 1);
    if (!piece) return -1;
    piece->next = NULL;
    piece->count = count;
    piece->is_first = lws_is_first_fragment(wsi);
    piece->is_final = lws_is_final_fragment(wsi);
    piece->is_binary = lws_frame_is_binary(wsi);
    memcpy(piece->bytes + LWS_PRE, in, count);
    if (session->last) session->last->next = piece;
    else session->first = piece;
    session->last = piece;
    lws_callback_on_writable(wsi);
    return 0;
}

static int send_one(struct lws *wsi, struct session *session) {
    struct piece *piece = session->first;
    if (!piece) return 0;
    int flags = lws_write_ws_flags(piece->is_binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT, piece->is_first, piece->is_final);
    int written = lws_write(wsi, piece->bytes + LWS_PRE, piece->count, flags);
    int is_lost = written < (int)piece->count;
    session->first = piece->next;
    if (!session->first) session->last = NULL;
    else lws_callback_on_writable(wsi);
    free(piece);
    return is_lost ? -1 : 0;
}

static void forget(struct session *session) {
    while (session && session->first) {
        struct piece *next = session->first->next;
        free(session->first);
        session->first = next;
    }
}

static int callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t count) {
    struct session *session = user;
    switch (reason) {
    case LWS_CALLBACK_CLIENT_RECEIVE:
        if (step == -1) {
            char text[16] = "";
            memcpy(text, in, count < 15 ? count : 15);
            case_count = atoi(text);
            return 0;
        }
        return receive(wsi, session, in, count);
    case LWS_CALLBACK_RECEIVE:
        return receive(wsi, session, in, count);
    case LWS_CALLBACK_SERVER_WRITEABLE:
    case LWS_CALLBACK_CLIENT_WRITEABLE:
        return send_one(wsi, session);
    case LWS_CALLBACK_CLOSED:
        forget(session);
        return 0;
    case LWS_CALLBACK_CLIENT_CLOSED:
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        forget(session);
        if (step == -1 && !case_count) {
            const char *error = reason == LWS_CALLBACK_CLIENT_CONNECTION_ERROR && in ? in : "closed";
            fprintf(stderr, "the suite's server does not say how many cases it has: %s\n", error);
            exit(1);
        }
        is_over = 1;
        return 0;
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {{"echo", callback, sizeof(struct session), 4096, 0, NULL, 0}, {0}};
static const struct lws_extension extensions[] = {
    {"permessage-deflate", lws_extension_callback_pm_deflate, "permessage-deflate; client_no_context_takeover"},
    {0},
};

static void connect_next(void) {
    char path[200], host[32];
    snprintf(host, sizeof host, "127.0.0.1:%d", port);
    if (step == -1) snprintf(path, sizeof path, "/getCaseCount");
    else if (step <= case_count) snprintf(path, sizeof path, "/runCase?case=%d&agent=%s", step, agent);
    else snprintf(path, sizeof path, "/updateReports?agent=%s", agent);
    struct lws_client_connect_info info = {0};
    info.context = context;
    info.address = "127.0.0.1";
    info.host = host;
    info.port = port;
    info.path = path;
    info.ietf_version_or_minus_one = -1;
    info.local_protocol_name = "echo";
    lws_client_connect_via_info(&info);
}

int main(int argc, char **argv) {
    int is_server = argc == 2 && !strcmp(argv[1], "serve");
    if (!is_server && (argc != 4 || strcmp(argv[1], "client"))) {
        fprintf(stderr, "lws_echo serve | client PORT AGENT\n");
        return 2;
    }
    lws_set_log_level(LLL_ERR, NULL);
    struct lws_context_creation_info info = {0};
    info.port = is_server ? 0 : CONTEXT_PORT_NO_LISTEN;
    info.iface = is_server ? "127.0.0.1" : NULL;
    info.protocols = protocols;
    info.extensions = extensions;
    info.options = LWS_SERVER_OPTION_VALIDATE_UTF8;
    context = lws_create_context(&info);
    if (!context) return 1;
    if (is_server) {
        printf("%d\n", lws_get_vhost_listen_port(lws_get_vhost_by_name(context, "default")));
        fflush(stdout);
        while (lws_service(context, 0) >= 0) {}
        return 1;
    }
    port = atoi(argv[2]);
    agent = argv[3];
    connect_next();
    while (lws_service(context, 0) >= 0) {
        if (!is_over) continue;
        is_over = 0;
        if (step == case_count + 1) break;
        step = step == -1 ? 1 : step + 1;
        connect_next();
    }
    lws_context_destroy(context);
    return 0;
}
