// A crowd of clients on plain sockets that connect all at once, stay, and check received messages: an independent load.
//
//     crowd PORT TOKEN SESSION CLIENTS PROCESSES
//
// Forks PROCESSES processes, because a process has a limit of open files, and each uses its own loopback addresses, because an address
// has a limit of ports. Prints `level SECONDS CAME_BACK`: the time from the first connect until the last client had its snapshot, and the
// number of refused clients that reconnected. Then the clients stay, answer pings, and check events whose text begins with `sent NUMBER
// MICROSECONDS `: numbered from 1, each the session's next event after its first, sent at that time of the monotonic clock. After
// it has read the last number from standard input, it prints
//
//     told DELIVERIES P50 P99 MAX LOST TWICE RESET CUT_OFF PROCESSOR
//
// with latencies in microseconds, the events that clients missed, those that they received twice, the snapshots that replaced
// events, the disconnected clients, and the processor seconds of the crowd. On any other fault it exits with 1 and prints
// a sentence.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    CLIENTS_OF_PROCESS_MAX = 15000, CLIENTS_OF_ADDRESS_MAX = 10000, PROCESSES_MAX = 64,
    OPENING_MAX = 128,        // clients of each process that may be connecting at once, because a relay closes silent connections
    LEVEL_SECONDS_MAX = 300,  // limit since the first connect
    STAY_SECONDS_MAX = 1200,
    SETTLE_SECONDS_MAX = 60,  // limit since the last event's number was read
    READ_BYTES = 1 << 18, MESSAGE_BYTES_MAX = 1 << 20, REQUEST_BYTES_MAX = 1024, READY_MAX = 512,
    BUCKET_MICROSECONDS = 100, BUCKETS = 600000,  // buckets for latencies up to a minute; the last one has all longer ones
};
// The next step that a client waits for.
enum { NOTHING, CONNECTED, UPGRADED, SNAPSHOT, EVENTS, GONE };

typedef struct {
    int fd, step;
    long long seen;                       // the number of the last received event
    unsigned char *rest; int rest_size;   // received bytes of an incomplete frame
    unsigned char *parts; int part_size;  // payload of a message in several frames
    int is_in_parts;
} Client;

// Results of one process, written by that process alone.
typedef struct {
    _Atomic long level, came_back;
    _Atomic int is_ready, has_all;
    double last_level;
    long deliveries, lost, twice, reset, cut_off, longest;
    uint32_t times[BUCKETS];
} Part;

typedef struct {
    _Atomic int goes, ends, has_failed;
    _Atomic long long last;  // the last event's number; 0 while unknown
    char failure[256];
    Part parts[];
} Shared;

static const char key[] = "dGhlIHNhbXBsZSBub25jZQ==", accepted[] = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";  // the example key of RFC 6455, 1.3
static Shared *shared;
static Part *part;
static Client *clients;
static int port, count, process, begun, opening, epoll;
static char request[REQUEST_BYTES_MAX], subscribe[256], wanted[128];
static unsigned char buffer[READ_BYTES + MESSAGE_BYTES_MAX];

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static long long microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000ll + now.tv_nsec / 1000;
}

// Only the first failure of all processes is printed.
__attribute__((format(printf, 1, 2))) static void fail(const char *format, ...) {
    if (!atomic_exchange(&shared->has_failed, 1)) {
        va_list rest;
        va_start(rest, format);
        vsnprintf(shared->failure, sizeof shared->failure, format, rest);
        va_end(rest);
    }
    _exit(1);
}

static uint32_t chance(void) {
    static uint32_t state;
    if (!state) state = getpid() * 2654435761u | 1;
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    return state;
}

static void send_all(Client *client, const void *bytes, size_t size) {
    // A client sends little, so a full socket ignores further data. A closed connection is noticed when it is read.
    ssize_t sent = send(client->fd, bytes, size, MSG_NOSIGNAL);
    if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) return;
    if (sent != (ssize_t)size) fail("a client cannot send: %s", strerror(errno));
}

static size_t frame(unsigned char *out, int opcode, const void *text, size_t size) {
    uint32_t mask = chance();
    size_t head = 2;
    out[0] = 0x80 | opcode;
    if (size < 126) out[1] = 0x80 | size;
    else out[1] = 0x80 | 126, out[2] = size >> 8, out[3] = size, head = 4;
    memcpy(out + head, &mask, 4);
    for (size_t place = 0; place < size; place++) out[head + 4 + place] = ((const unsigned char *)text)[place] ^ ((unsigned char *)&mask)[place % 4];
    return head + 4 + size;
}

static void watch(Client *client, int operation, uint32_t events) {
    struct epoll_event event = { .events = events, .data.ptr = client };
    if (epoll_ctl(epoll, operation, client->fd, &event)) fail("epoll_ctl: %s", strerror(errno));
}

static void begin(Client *client) {
    int on = 1, of_process = (CLIENTS_OF_PROCESS_MAX + CLIENTS_OF_ADDRESS_MAX - 1) / CLIENTS_OF_ADDRESS_MAX, place = client - clients;
    // SO_LINGER frees the port at once, so that later connections can use it.
    struct linger at_once = { .l_onoff = 1 };
    uint32_t own = (127u << 24 | 1 << 8) + 1 + process * of_process + place % of_process;
    struct sockaddr_in from = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(own) };
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    client->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (client->fd < 0) fail("a socket: %s", strerror(errno));
    setsockopt(client->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(client->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    if (bind(client->fd, (struct sockaddr *)&from, sizeof from)) fail("bind: %s", strerror(errno));
    if (connect(client->fd, (struct sockaddr *)&to, sizeof to) && errno != EINPROGRESS) fail("connect: %s", strerror(errno));
    client->step = CONNECTED;
    opening++;
    watch(client, EPOLL_CTL_ADD, EPOLLOUT);
}

static void begin_more(void) {
    while (begun < count && opening < OPENING_MAX) begin(&clients[begun++]);
}

static void close_client(Client *client) {
    close(client->fd);
    free(client->rest);
    free(client->parts);
    client->rest = client->parts = NULL;
    client->rest_size = client->part_size = client->is_in_parts = 0;
}

static void cut_off(Client *client) {
    close_client(client);
    if (client->step == EVENTS) {
        client->step = GONE;
        part->cut_off++;
        return;
    }
    opening--;
    if (++part->came_back > 10l * count) fail("clients are turned away again and again");
    begin(client);
}

static void connected(Client *client) {
    int failure = 0;
    socklen_t size = sizeof failure;
    getsockopt(client->fd, SOL_SOCKET, SO_ERROR, &failure, &size);
    if (failure == ECONNRESET) return cut_off(client);
    if (failure) fail("a connection failed: %s", strerror(failure));
    client->step = UPGRADED;
    watch(client, EPOLL_CTL_MOD, EPOLLIN);
    send_all(client, request, strlen(request));
}

static void upgraded(Client *client) {
    static const char hello[] = "{\"type\":\"hello\",\"version\":1,\"software\":\"crowd\"}";
    unsigned char out[sizeof hello + sizeof subscribe + 32];
    size_t size = frame(out, 1, hello, sizeof hello - 1);
    size += frame(out + size, 1, subscribe, strlen(subscribe));
    client->step = SNAPSHOT;
    send_all(client, out, size);
}

static long long number_after(const char *text, size_t size, const char *name) {
    const char *found = memmem(text, size, name, strlen(name));
    if (!found) fail("a message has no %s: %.*s", name, (int)(size < 120 ? size : 120), text);
    return atoll(found + strlen(name));
}

static void became_level(Client *client) {
    client->step = EVENTS;
    opening--;
    part->last_level = seconds();
    part->level++;
    begin_more();
}

static void events(Client *client, const char *text, size_t size, long long now) {
    static const char begins[] = "\"text\":\"sent ";
    const char *end = text + size;
    long long sequence = number_after(text, size, "\"first\":");
    int found = 0;
    for (const char *next = text; (next = memmem(next, end - next, begins, sizeof begins - 1)); sequence++, found++) {
        char *after;
        next += sizeof begins - 1;
        long long number = strtoll(next, &after, 10), sent = strtoll(after, NULL, 10), took = now - sent;
        if (sequence != number + 1) fail("event %lld of the session says that it is number %lld", sequence, number);
        if (number <= client->seen) {
            part->twice++;
            continue;
        }
        part->lost += number - client->seen - 1;
        client->seen = number;
        part->deliveries++;
        if (took > part->longest) part->longest = took;
        long bucket = took < 0 ? 0 : took / BUCKET_MICROSECONDS;
        part->times[bucket < BUCKETS ? bucket : BUCKETS - 1]++;
    }
    if (!found) fail("an unknown event: %.*s", (int)(size < 120 ? size : 120), text);
}

static void message(Client *client, const char *text, size_t size, long long now) {
    static const char head[] = "{\"type\":\"";
    if (size < sizeof head || memcmp(text, head, sizeof head - 1)) fail("no message: %.*s", (int)(size < 120 ? size : 120), text);
    const char *type = text + sizeof head - 1;
    if (!strncmp(type, "events\"", 7)) return events(client, text, size, now);
    if (!strncmp(type, "notice\"", 7) || (!strncmp(type, "reply\"", 6) && memmem(text, size, "\"error\"", 7)))
        fail("the relay refuses: %.*s", (int)(size < 200 ? size : 200), text);
    if (strncmp(type, "snapshot\"", 9)) return;
    if (!memmem(text, size, wanted, strlen(wanted))) fail("a snapshot is of another session");
    client->seen = number_after(text, size, "\"seq\":") - 1;
    if (client->step == EVENTS) part->reset++;
    else became_level(client);
}

// Handles received bytes of a message, followed by a byte that may be overwritten.
static void data(Client *client, int opcode, int is_last, unsigned char *bytes, size_t size, long long now) {
    if (opcode ? client->is_in_parts : !client->is_in_parts) fail("a message begins within another, or has no beginning");
    if (opcode == 2) fail("a binary message");
    if (opcode && is_last) {
        unsigned char behind = bytes[size];
        bytes[size] = 0;
        message(client, (char *)bytes, size, now);
        bytes[size] = behind;
        return;
    }
    if (client->part_size + size > MESSAGE_BYTES_MAX) fail("a message is too large");
    client->parts = realloc(client->parts, client->part_size + size + 1);
    if (!client->parts) fail("memory");
    memcpy(client->parts + client->part_size, bytes, size);
    client->part_size += size;
    client->is_in_parts = !is_last;
    if (!is_last) return;
    client->parts[client->part_size] = 0;
    message(client, (char *)client->parts, client->part_size, now);
    free(client->parts);
    client->parts = NULL;
    client->part_size = 0;
}

// The length of the first frame, 0 while it is incomplete; -1 if the client's connection has ended.
static long one_frame(Client *client, unsigned char *bytes, size_t size, long long now) {
    if (size < 2) return 0;
    int is_last = bytes[0] >> 7, opcode = bytes[0] & 15, head = 2;
    uint64_t length = bytes[1];
    if (bytes[0] & 0x70 || bytes[1] & 0x80) fail("a frame has a reserved bit, or a mask");
    if (length > 125) {
        head = length == 126 ? 4 : 10;
        if (size < (size_t)head) return 0;
        length = 0;
        for (int place = 2; place < head; place++) length = length << 8 | bytes[place];
    }
    if (opcode > 7 && (length > 125 || !is_last)) fail("a control frame is too long, or in parts");
    if (length > MESSAGE_BYTES_MAX) fail("a frame is too large");
    if (size < head + length) return 0;
    unsigned char pong[140];
    switch (opcode) {
    case 0: case 1: case 2: data(client, opcode, is_last, bytes + head, length, now); break;
    case 8: return cut_off(client), -1;
    case 9: send_all(client, pong, frame(pong, 10, bytes + head, length)); break;
    case 10: break;
    default: fail("a frame of an unknown kind: %d", opcode);
    }
    return head + length;
}

// The length of the HTTP response's head, 0 while it is incomplete; -1 if the client was refused, and will reconnect.
static long answer(Client *client, unsigned char *bytes, size_t size) {
    unsigned char *end = memmem(bytes, size, "\r\n\r\n", 4);
    if (!end) return 0;
    if (size > 12 && (!memcmp(bytes + 9, "503", 3) || !memcmp(bytes + 9, "429", 3))) return cut_off(client), -1;
    if (size < 12 || memcmp(bytes + 9, "101", 3)) fail("no upgrade: %.*s", (int)(size < 200 ? size : 200), bytes);
    if (!memmem(bytes, end - bytes, accepted, sizeof accepted - 1)) fail("the answer does not know the key");
    upgraded(client);
    return end + 4 - bytes;
}

static void readable(Client *client) {
    size_t size = client->rest_size, used = 0;
    if (size) memcpy(buffer, client->rest, size);
    // One byte stays free to terminate a text.
    ssize_t got = recv(client->fd, buffer + size, READ_BYTES - 1, 0);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return cut_off(client);
    long long now = microseconds();
    size += got;
    for (long taken; used < size; used += taken) {
        taken = client->step == UPGRADED ? answer(client, buffer + used, size - used) : one_frame(client, buffer + used, size - used, now);
        if (taken < 0) return;
        if (!taken) break;
    }
    if (size - used > MESSAGE_BYTES_MAX) fail("what came is no frame");
    free(client->rest);
    client->rest_size = size - used;
    client->rest = client->rest_size ? malloc(client->rest_size) : NULL;
    if (!client->rest_size) return;
    if (!client->rest) fail("memory");
    memcpy(client->rest, buffer + used, client->rest_size);
}

// True if each connected client has received the last event.
static int has_all(long long last) {
    for (int place = 0; place < count; place++)
        if (clients[place].step == EVENTS && clients[place].seen < last) return 0;
    return 1;
}

static void run(int number, int share) {
    struct rlimit limit;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    process = number;
    part = &shared->parts[number];
    count = share;
    clients = calloc(count, sizeof *clients);
    epoll = epoll_create1(0);
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (!clients || epoll < 0) fail("memory, or epoll: %s", strerror(errno));
    part->is_ready = 1;
    while (!shared->goes) usleep(500);
    begin_more();
    struct epoll_event ready[READY_MAX];
    double checked = 0;
    while (!shared->ends) {
        int found = epoll_wait(epoll, ready, READY_MAX, 50);
        for (int place = 0; place < found; place++) {
            Client *client = ready[place].data.ptr;
            if (client->step == CONNECTED) connected(client);
            else if (client->step != GONE) readable(client);
        }
        if (!shared->last || part->has_all || seconds() - checked < 0.05) continue;
        part->has_all = has_all(shared->last);
        checked = seconds();
    }
    for (int place = 0; place < count; place++) part->lost += shared->last - clients[place].seen;
    _exit(0);
}

static int processes;

static void look(pid_t *running) {
    for (int number = 0; number < processes && !shared->has_failed; number++) {
        int status;
        if (waitpid(running[number], &status, WNOHANG) == 0) continue;
        snprintf(shared->failure, sizeof shared->failure, "a process of the crowd ended with %d", status);
        shared->has_failed = 1;
    }
    if (!shared->has_failed) return;
    for (int number = 0; number < processes; number++) kill(running[number], SIGKILL);
    fprintf(stderr, "%s\n", shared->failure);
    exit(1);
}

static long sum_of_level(void) {
    long sum = 0;
    for (int number = 0; number < processes; number++) sum += shared->parts[number].level;
    return sum;
}

static int all_are_ready(void) {
    for (int number = 0; number < processes; number++) if (!shared->parts[number].is_ready) return 0;
    return 1;
}

static int all_have_all(void) {
    for (int number = 0; number < processes; number++) if (!shared->parts[number].has_all) return 0;
    return 1;
}

static long percentile(double share, long deliveries) {
    long wanted = deliveries * share, below = 0;
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
        for (int number = 0; number < processes; number++) below += shared->parts[number].times[bucket];
        if (below > wanted) return (bucket + 1) * (long)BUCKET_MICROSECONDS;
    }
    return 0;
}

static long long last_event(pid_t *running) {
    struct pollfd input = { .fd = 0, .events = POLLIN };
    char line[64];
    for (double until = seconds() + STAY_SECONDS_MAX; seconds() < until; look(running))
        if (poll(&input, 1, 100) == 1) return fgets(line, sizeof line, stdin) ? atoll(line) : -1;
    return -1;
}

int main(int argument_count, char **arguments) {
    if (argument_count != 6) return fprintf(stderr, "crowd PORT TOKEN SESSION CLIENTS PROCESSES\n"), 2;
    port = atoi(arguments[1]);
    int all = atoi(arguments[4]);
    processes = atoi(arguments[5]);
    if (processes < 1 || processes > PROCESSES_MAX || all < processes || (all + processes - 1) / processes > CLIENTS_OF_PROCESS_MAX)
        return fprintf(stderr, "1 to %d processes, each of 1 to %d clients\n", PROCESSES_MAX, CLIENTS_OF_PROCESS_MAX), 2;
    snprintf(request, sizeof request, "GET /v1/client HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: heliograph.v1\r\nAuthorization: Bearer %s\r\n\r\n",
        port, key, arguments[2]);
    snprintf(subscribe, sizeof subscribe, "{\"type\":\"subscribe\",\"id\":\"s\",\"session\":\"%s\"}", arguments[3]);
    snprintf(wanted, sizeof wanted, "\"session\":\"%s\"", arguments[3]);
    shared = mmap(NULL, sizeof *shared + processes * sizeof(Part), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return perror("mmap"), 1;
    pid_t running[PROCESSES_MAX];
    for (int number = 0; number < processes; number++) {
        running[number] = fork();
        if (running[number] < 0) return perror("fork"), 1;
        if (!running[number]) run(number, all / processes + (number < all % processes));
    }
    while (!all_are_ready()) look(running), usleep(1000);
    double start = seconds(), end = start;
    for (shared->goes = 1; sum_of_level() < all; usleep(5000)) {
        look(running);
        if (seconds() - start < LEVEL_SECONDS_MAX) continue;
        snprintf(shared->failure, sizeof shared->failure, "it took too long: %ld of %d are level", sum_of_level(), all);
        shared->has_failed = 1;
    }
    long came_back = 0, deliveries = 0, lost = 0, twice = 0, reset = 0, cut = 0, longest = 0;
    for (int number = 0; number < processes; number++) {
        if (shared->parts[number].last_level > end) end = shared->parts[number].last_level;
        came_back += shared->parts[number].came_back;
    }
    printf("level %.3f %ld\n", end - start, came_back);
    fflush(stdout);
    long long last = last_event(running);
    if (last > 0) {
        shared->last = last;
        for (double until = seconds() + SETTLE_SECONDS_MAX; !all_have_all() && seconds() < until; usleep(10000)) look(running);
    }
    shared->ends = 1;
    for (int number = 0; number < processes; number++) waitpid(running[number], NULL, 0);
    if (last <= 0) return 0;
    for (int number = 0; number < processes; number++) {
        Part *one = &shared->parts[number];
        deliveries += one->deliveries, lost += one->lost, twice += one->twice, reset += one->reset, cut += one->cut_off;
        if (one->longest > longest) longest = one->longest;
    }
    struct rusage use;
    getrusage(RUSAGE_CHILDREN, &use);
    double processor = use.ru_utime.tv_sec + use.ru_stime.tv_sec + (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
    printf("told %ld %ld %ld %ld %ld %ld %ld %ld %.2f\n", deliveries, percentile(0.5, deliveries), percentile(0.99, deliveries), longest, lost, twice, reset, cut, processor);
    return 0;
}
