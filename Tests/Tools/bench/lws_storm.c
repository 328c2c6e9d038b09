// Clients on libwebsockets that all connect, IN_PROGRESS at a time, until each has its snapshot: an independent load.
//
//     lws_storm PORT TOKEN SESSION CLIENTS IN_PROGRESS
//
// Prints the number of clients per second, and its own processor seconds. If SESSION is `any`, snapshots are not
// checked for it. If a client is refused, disconnected or gets another session, it exits with 1 and prints a sentence.

#define _GNU_SOURCE
#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS_MAX = 60 };
enum { HELLO, SUBSCRIBE, WAITS, LEVEL };

typedef struct { int step; } Client;

static struct lws_context *context;
static const char *token;
static char hello[128], subscribe[256], wanted[128];
static int port, clients, in_progress, begun, level;
static const char *failure;

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static void begin(void) {
    struct lws_client_connect_info info = {
        .context = context, .address = "127.0.0.1", .port = port, .path = "/v1/client", .host = "127.0.0.1", .protocol = "heliograph.v1",
        .local_protocol_name = "heliograph.v1", .ietf_version_or_minus_one = -1,
    };
    begun++;
    if (!lws_client_connect_via_info(&info)) failure = "a connection cannot be begun";
}

static int say(struct lws *wsi, const char *text) {
    unsigned char buffer[LWS_PRE + 256];
    size_t size = strlen(text);
    memcpy(buffer + LWS_PRE, text, size);
    return lws_write(wsi, buffer + LWS_PRE, size, LWS_WRITE_TEXT) < 0 ? -1 : 0;
}

static int received(struct lws *wsi, Client *client, const char *text, size_t size) {
    if (client->step != WAITS || !lws_is_first_fragment(wsi)) return 0;
    if (memmem(text, size, "\"error\"", 7) || memmem(text, size, "\"notice\"", 8)) return failure = "the relay refused what a client asked", -1;
    if (!memmem(text, size, "\"type\":\"snapshot\"", 17)) return 0;
    if (!memmem(text, size, wanted, strlen(wanted))) return failure = "a snapshot is of another session", -1;
    client->step = LEVEL;
    level++;
    if (begun < clients) begin();
    return 0;
}

static int happened(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size) {
    Client *client = user;
    switch (reason) {
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER: {
        unsigned char **place = in, *end = *place + size;
        char value[512];
        int length = snprintf(value, sizeof value, "Bearer %s", token);
        return lws_add_http_header_by_name(wsi, (const unsigned char *)"authorization:", (unsigned char *)value, length, place, end);
    }
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        client->step = HELLO;
        return lws_callback_on_writable(wsi) < 0 ? -1 : 0;
    case LWS_CALLBACK_CLIENT_WRITEABLE:
        if (client->step == HELLO) {
            client->step = SUBSCRIBE;
            lws_callback_on_writable(wsi);
            return say(wsi, hello);
        }
        if (client->step != SUBSCRIBE) return 0;
        client->step = WAITS;
        return say(wsi, subscribe);
    case LWS_CALLBACK_CLIENT_RECEIVE: return received(wsi, client, in, size);
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        if (!failure) failure = in ? strndup(in, size) : "a connection failed";
        return -1;
    case LWS_CALLBACK_CLIENT_CLOSED:
        if (!failure) failure = "the relay hung up";
        return -1;
    default: return lws_callback_http_dummy(wsi, reason, user, in, size);
    }
}

int main(int count, char **arguments) {
    if (count != 6) return fprintf(stderr, "lws_storm PORT TOKEN SESSION CLIENTS IN_PROGRESS\n"), 2;
    port = atoi(arguments[1]);
    token = arguments[2];
    snprintf(hello, sizeof hello, "{\"type\":\"hello\",\"version\":1,\"software\":\"lws_storm\"}");
    snprintf(subscribe, sizeof subscribe, "{\"type\":\"subscribe\",\"id\":\"s\",\"session\":\"%s\"}", arguments[3]);
    if (strcmp(arguments[3], "any")) snprintf(wanted, sizeof wanted, "\"session\":\"%s\"", arguments[3]);
    clients = atoi(arguments[4]);
    in_progress = atoi(arguments[5]);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    lws_set_log_level(0, NULL);
    struct lws_protocols protocols[] = {
        { "heliograph.v1", happened, sizeof(Client), 1 << 14, 0, NULL, 0 }, { NULL, NULL, 0, 0, 0, NULL, 0 },
    };
    struct lws_context_creation_info info = { .port = CONTEXT_PORT_NO_LISTEN, .protocols = protocols, .gid = -1, .uid = -1 };
    context = lws_create_context(&info);
    if (!context) return fprintf(stderr, "libwebsockets does not start\n"), 1;
    double start = seconds(CLOCK_MONOTONIC);
    while (begun < clients && begun < in_progress) begin();
    while (level < clients && !failure && seconds(CLOCK_MONOTONIC) - start < SECONDS_MAX) lws_service(context, 0);
    double taken = seconds(CLOCK_MONOTONIC) - start;
    if (failure || level < clients) return fprintf(stderr, "%s: %d of %d are level\n", failure ? failure : "it took too long", level, clients), 1;
    printf("%.1f %.3f\n", clients / taken, seconds(CLOCK_PROCESS_CPUTIME_ID));
    fflush(stdout);
    // Closing five thousand connections one by one must not be measured.
    _exit(0);
}
