// The machine's own limit: the cost of fan-out with only sockets, and, for a durable relay, SQLite.
//
//     raw MODE EVENT_BYTES SUMMARY_BYTES SNAPSHOT_BYTES [FILE]
//
//     one         each event is sent to each subscriber separately
//     coalesced   all events of a read are sent to each subscriber in one call
//     durable     L: the same, after a commit to SQLite in FILE (WAL, synchronous=FULL)
//
// Prints its port. It speaks the part of Heliograph's wire that `heliograph-bench` needs to drive it exactly like
// the relay: each event is forwarded in its received bytes, each batch is followed by a summary of SUMMARY_BYTES, and each client gets a
// snapshot of SNAPSHOT_BYTES. Input is not validated: events have EVENT_BYTES, messages one frame, masks are zero.
// An approval is forwarded to its session's clients, and a client's decision to the host, each after a commit.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_BYTES = 1 << 16, PEERS_MAX = 1 << 17, SESSIONS_MAX = 10000, TURN = 1024 };

typedef struct { char *bytes; size_t count, room; } Buffer;

typedef struct {
    int fd, open, host, session, writing;
    Buffer in, out;
} Peer;

typedef struct {
    char name[65];
    int host;
    long long through;  // the last event that was committed
    int *clients, count, room;
    Buffer events;      // events of this read, each preceded by a comma
    long long first;
    char approval[65];
} Session;

static Peer *peers[PEERS_MAX];
static Session sessions[SESSIONS_MAX];
static int session_count, epoll, durable, coalesced;
static long event_bytes, summary_bytes, snapshot_bytes;
static Buffer frames;
static sqlite3 *db;
static sqlite3_stmt *begin, *insert, *commit;
static int is_begun;

static void die(const char *what) { fprintf(stderr, "raw: %s: %s\n", what, strerror(errno)), exit(1); }

static void check(int code, int expected) {
    if (code != expected) fprintf(stderr, "raw: sqlite: %s\n", sqlite3_errmsg(db)), exit(1);
}

static void append(Buffer *buffer, const void *bytes, size_t count) {
    if (buffer->count + count > buffer->room) {
        buffer->room = (buffer->count + count) * 2;
        if (!(buffer->bytes = realloc(buffer->bytes, buffer->room))) die("memory");
    }
    memcpy(buffer->bytes + buffer->count, bytes, count);
    buffer->count += count;
}

static void frame_head(Buffer *buffer, size_t size) {
    uint8_t head[10] = { 0x81 };
    if (size < 126) return head[1] = size, append(buffer, head, 2);
    if (size < 1 << 16) return head[1] = 126, head[2] = size >> 8, head[3] = size, append(buffer, head, 4);
    head[1] = 127;
    for (int byte = 0; byte < 8; byte++) head[2 + byte] = (uint64_t)size >> (56 - 8 * byte);
    append(buffer, head, 10);
}

static void frame(Buffer *buffer, const char *format, ...) {
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (size >= (int)sizeof text) die("a message is too long");
    frame_head(buffer, size);
    append(buffer, text, size);
}

// Builds a message of this size with the given beginning.
static void padded(Buffer *buffer, size_t size, const char *start) {
    static char spaces[1 << 20];
    if (!spaces[0]) memset(spaces, ' ', sizeof spaces);
    size_t length = strlen(start);
    if (size < length + 1) size = length + 1;
    if (size > sizeof spaces) die("too big");
    frame_head(buffer, size);
    append(buffer, start, length);
    append(buffer, spaces, size - length - 1);
    append(buffer, "}", 1);
}

static void watch(Peer *peer, int writing) {
    struct epoll_event event = { .events = EPOLLIN | (writing ? EPOLLOUT : 0), .data.fd = peer->fd };
    peer->writing = writing;
    epoll_ctl(epoll, EPOLL_CTL_MOD, peer->fd, &event);
}

// Sends in one call if the socket accepts everything; the rest waits until it is writable.
static void send_all(Peer *peer, const char *bytes, size_t count) {
    ssize_t sent = 0;
    if (!peer->writing && (sent = send(peer->fd, bytes, count, MSG_NOSIGNAL)) < 0) sent = 0;
    if ((size_t)sent == count) return;
    append(&peer->out, bytes + sent, count - sent);
    if (!peer->writing) watch(peer, 1);
}

static void send_waiting(Peer *peer) {
    ssize_t sent = send(peer->fd, peer->out.bytes, peer->out.count, MSG_NOSIGNAL);
    if (sent <= 0) return;
    memmove(peer->out.bytes, peer->out.bytes + sent, peer->out.count -= sent);
    if (!peer->out.count) watch(peer, 0);
}

static void hang_up(Peer *peer) {
    if (peer->open && !peer->host && peer->session >= 0) {
        Session *session = &sessions[peer->session];
        for (int place = 0; place < session->count; place++)
            if (session->clients[place] == peer->fd) session->clients[place] = session->clients[--session->count];
    }
    peers[peer->fd] = NULL;
    close(peer->fd);
    free(peer->in.bytes), free(peer->out.bytes), free(peer);
}

static void open_file(const char *path) {
    check(sqlite3_open(path, &db), SQLITE_OK);
    check(sqlite3_exec(db,
              "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
              "CREATE TABLE events (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, at INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT",
              NULL, NULL, NULL), SQLITE_OK);
    check(sqlite3_prepare_v2(db, "BEGIN IMMEDIATE", -1, &begin, NULL), SQLITE_OK);
    check(sqlite3_prepare_v2(db, "INSERT INTO events VALUES (?, ?, ?, ?)", -1, &insert, NULL), SQLITE_OK);
    check(sqlite3_prepare_v2(db, "COMMIT", -1, &commit, NULL), SQLITE_OK);
}

static void store(long long id, const char *bytes, size_t count) {
    if (!durable) return;
    if (!is_begun) check(sqlite3_step(begin), SQLITE_DONE), sqlite3_reset(begin), is_begun = 1;
    sqlite3_bind_int64(insert, 1, id);
    sqlite3_bind_text(insert, 2, "message", -1, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 3, 1767225600000);
    sqlite3_bind_blob(insert, 4, bytes, count, SQLITE_STATIC);
    check(sqlite3_step(insert), SQLITE_DONE);
    sqlite3_reset(insert);
}

static void commit_all(void) {
    if (!is_begun) return;
    check(sqlite3_step(commit), SQLITE_DONE);
    sqlite3_reset(commit);
    is_begun = 0;
}

static char *after(char *text, size_t size, const char *what) {
    char *found = memmem(text, size, what, strlen(what));
    return found ? found + strlen(what) : NULL;
}

static void word(char *into, const char *from) {
    int size = 0;
    while (size < 64 && from[size] != '"') into[size] = from[size], size++;
    into[size] = 0;
}

static int session_named(const char *from) {
    char name[65];
    word(name, from);
    static int last;  // the last result, because consecutive look-ups mostly want the same session
    if (last < session_count && !strcmp(sessions[last].name, name)) return last;
    for (last = 0; last < session_count; last++)
        if (!strcmp(sessions[last].name, name)) return last;
    if (session_count == SESSIONS_MAX) die("too many sessions");
    strcpy(sessions[session_count].name, name);
    return session_count++;
}

static void add_event(int index, const char *bytes, size_t count) {
    Session *session = &sessions[index];
    if (!session->events.count) session->first = session->through + 1;
    session->through++;
    store((index + 1LL) << 32 | session->through, bytes, count);
    append(&session->events, ",", 1);
    append(&session->events, bytes, count);
}

// Sends to every client of the session, with one call each.
static void fan_out(Session *session) {
    if (session->count && session->events.count) {
        char head[256];
        size_t size = snprintf(head, sizeof head, "{\"type\":\"events\",\"session\":\"%s\",\"epoch\":\"raw\",\"first\":%lld,\"events\":[",
            session->name, session->first);
        frames.count = 0;
        frame_head(&frames, size + session->events.count - 1 + 2);
        append(&frames, head, size);
        append(&frames, session->events.bytes + 1, session->events.count - 1);
        append(&frames, "]}", 2);
        if (summary_bytes) padded(&frames, summary_bytes, "{\"type\":\"summary\"");
        if (session->approval[0])
            frame(&frames, "{\"type\":\"approval\",\"approval\":{\"approval\":\"%s\",\"session\":\"%s\",\"seq\":%lld,\"stage\":\"pending\"}}",
                session->approval, session->name, session->through);
        for (int place = 0; place < session->count; place++) send_all(peers[session->clients[place]], frames.bytes, frames.count);
    }
    session->approval[0] = 0;
    session->events.count = 0;
}

static void host_said(Peer *peer, char *text, size_t size) {
    char *name = after(text, size, "\"session\":\""), *first = after(text, size, "\"first\":");
    if (!first) return frames.count = 0, frame(&frames, "{\"type\":\"welcome\"}"), send_all(peer, frames.bytes, frames.count);
    int index = session_named(name);
    Session *session = &sessions[index];
    session->host = peer->fd;
    char *event = after(first, text + size - first, "\"events\":["), *end = text + size - 2;
    // Batches of the load arrive unsplit, so only the events' number matters.
    if ((end - event + 1) % (event_bytes + 1) == 0) {
        for (; event < end; event += event_bytes + 1) {
            add_event(index, event, event_bytes);
            if (!coalesced) fan_out(session);
        }
    } else {
        char *next = event, *kind = event;
        while ((kind = after(kind, end - kind, ",{\"kind\":"))) add_event(index, next, kind - next - 9), next = kind - 8;
        char *approval = after(next, end - next, "\"approval.requested\"") ? after(next, end - next, "\"approval\":\"") : NULL;
        add_event(index, next, end - next);
        if (approval) word(session->approval, approval);
    }
}

static void client_said(Peer *peer, char *text, size_t size) {
    char *name = after(text, size, "\"session\":\"");
    frames.count = 0;
    if (!name) return frame(&frames, "{\"type\":\"welcome\",\"epoch\":\"raw\"}"), send_all(peer, frames.bytes, frames.count);
    int index = session_named(name);
    Session *session = &sessions[index];
    char *approval = after(text, size, "\"approval\":\"");
    if (approval) {
        char id[65];
        word(id, approval);
        // Decisions are numbered separately, because events carry the host's own numbers.
        static long long decisions;
        store(++decisions, text, size);
        commit_all();
        frame(&frames, "{\"type\":\"decision\",\"session\":\"%s\",\"approval\":\"%s\",\"decision\":{\"decision\":\"allow\"}}", session->name, id);
        if (peers[session->host]) send_all(peers[session->host], frames.bytes, frames.count);
        return;
    }
    if (session->count == session->room)
        session->clients = realloc(session->clients, (session->room = session->room * 2 + 16) * sizeof(int));
    session->clients[session->count++] = peer->fd;
    peer->session = index;
    char start[256];
    snprintf(start, sizeof start, "{\"type\":\"snapshot\",\"session\":\"%s\",\"epoch\":\"raw\",\"seq\":%lld", session->name, session->through);
    frame(&frames, "{\"type\":\"reply\",\"id\":\"s\"}");
    padded(&frames, snapshot_bytes, start);
    send_all(peer, frames.bytes, frames.count);
}

// Called once the events of a read are on disk: acknowledges them to hosts and sends them to clients.
static void end_of_read(Peer *peer) {
    if (!peer->host) return;
    commit_all();
    for (int index = 0; index < session_count; index++) {
        Session *session = &sessions[index];
        if (session->host != peer->fd || !session->events.count) continue;
        fan_out(session);
        frames.count = 0;
        frame(&frames, "{\"type\":\"ack\",\"acks\":[{\"session\":\"%s\",\"through\":%lld}]}", session->name, session->through);
        send_all(peer, frames.bytes, frames.count);
    }
}

static size_t upgrade(Peer *peer) {
    char *end = memmem(peer->in.bytes, peer->in.count, "\r\n\r\n", 4);
    if (!end) return 0;
    // The handshake's response to the only key that the load uses.
    static const char answer[] = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Protocol: heliograph.v1\r\nSec-WebSocket-Accept: wYbVHm79FOisL5R/vBCvqcbooVE=\r\n\r\n";
    peer->host = !!memmem(peer->in.bytes, end - peer->in.bytes, "/v1/host", 8);
    peer->open = 1;
    send_all(peer, answer, sizeof answer - 1);
    return end + 4 - peer->in.bytes;
}

static void readable(Peer *peer) {
    static char bytes[READ_BYTES];
    ssize_t count = recv(peer->fd, bytes, sizeof bytes, 0);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return hang_up(peer);
    append(&peer->in, bytes, count);
    size_t taken = peer->open ? 0 : upgrade(peer);
    while (peer->open) {
        uint8_t *head = (uint8_t *)peer->in.bytes + taken;
        size_t left = peer->in.count - taken, size, offset = 2;
        if (left < 2 || ((head[1] & 0x7F) >= 126 && left < 10)) break;
        size = head[1] & 0x7F;
        if (size == 126) size = head[2] << 8 | head[3], offset = 4;
        else if (size == 127) {
            size = 0, offset = 10;
            for (int byte = 2; byte < 10; byte++) size = size << 8 | head[byte];
        }
        offset += 4;
        if (left < offset + size) break;
        taken += offset + size;
        if ((head[0] & 0x0F) != 1) continue;
        char *text = (char *)head + offset;
        if (peer->host) host_said(peer, text, size);
        else client_said(peer, text, size);
    }
    memmove(peer->in.bytes, peer->in.bytes + taken, peer->in.count -= taken);
    end_of_read(peer);
    // The input buffer of a client is freed, because a thousand of them never send anything.
    if (!peer->host && !peer->in.count) free(peer->in.bytes), peer->in = (Buffer){ 0 };
}

static void accept_all(int listener) {
    int fd;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        if (fd >= PEERS_MAX) die("too many connections");
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
        if (!(peers[fd] = calloc(1, sizeof(Peer)))) die("memory");
        *peers[fd] = (Peer){ .fd = fd, .session = -1 };
        struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
        epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
    }
}

int main(int count, char **arguments) {
    if (count < 5) return fprintf(stderr, "raw one|coalesced|durable EVENT_BYTES SUMMARY_BYTES SNAPSHOT_BYTES [FILE]\n"), 2;
    durable = !strcmp(arguments[1], "durable");
    coalesced = durable || !strcmp(arguments[1], "coalesced");
    event_bytes = atol(arguments[2]), summary_bytes = atol(arguments[3]), snapshot_bytes = atol(arguments[4]);
    if (durable) open_file(arguments[5]);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    if (bind(listener, (void *)&address, size) || listen(listener, 4096)) die("listen");
    getsockname(listener, (void *)&address, &size);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event events[TURN] = { { .events = EPOLLIN, .data.fd = listener } };
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, events);
    for (;;) {
        int ready = epoll_wait(epoll, events, TURN, -1);
        for (int index = 0; index < ready; index++) {
            int fd = events[index].data.fd;
            if (fd == listener) { accept_all(listener); continue; }
            if (peers[fd] && events[index].events & EPOLLOUT) send_waiting(peers[fd]);
            if (peers[fd] && events[index].events & ~EPOLLOUT) readable(peers[fd]);
        }
    }
}
