internal import Glibc

/// Speaks HTTP/2 over TLS on all connections of one engine. Everything here is called on the engine's thread.
///
/// A turn: wait for sockets, jobs and deadlines; pass input to the sessions; deliver events to the handlers; send the output of
/// handlers and nghttp2. Events are delivered from a queue, so that handlers may call any method.
package final class HTTP2Loop {
    enum Report {
        case client(any HTTP2ClientHandler, HTTP2ClientEvent, HTTP2ConnectionID)
        case server(any HTTP2ServerHandler, HTTP2ServerEvent, HTTP2ConnectionID)
    }

    struct Timer {
        var id: HTTP2TimerID
        var deadline: MonotonicTime
        var body: (HTTP2Loop) -> Void
    }

    var poller = Poller()
    let queue: JobQueue
    private let thread = pthread_self()

    var connections: [UInt64: HTTP2Connection] = [:]
    var listeners: [UInt64: HTTP2Listener] = [:]
    /// Events not delivered to handlers yet.
    var reports: [Report] = []
    /// Connections that may have something to send.
    var dirty: [HTTP2Connection] = []
    /// Sorted by deadline.
    var timers: [Timer] = []
    /// Earliest deadline of any connection or stream, or earlier.
    var nextSweep: MonotonicTime?
    /// Start of this turn, read once: exact enough for deadlines.
    package private(set) var now = MonotonicTime.now
    private var lastID: UInt64 = 0
    /// The number of the queue's descriptor in the poller; no id is 0.
    private static let queueNumber: UInt64 = 0
    /// Bytes read from a socket in one turn, so that one busy peer does not starve the others.
    static let readBytesMax = 1 << 16

    init(queue: JobQueue) { self.queue = queue }

    func run() {
        poller.add(queue.descriptor, Self.queueNumber)
        var isStopped = false
        while !isStopped {
            let ready = poller.wait(patience)
            now = .now
            for socket in ready {
                if socket.number == Self.queueNumber {
                    let taken = queue.take()
                    for job in taken.jobs { job(self) }
                    isStopped = taken.isStopped
                } else {
                    socketBecameReady(socket)
                }
            }
            sweepIfDue()
            fireTimers()
            settle()
        }
        for listener in Array(listeners.values) { close(listener) }
        for connection in Array(connections.values) { finish(connection, .here) }
        tellHandlers()
        poller.remove(queue.descriptor)
    }

    /// Repeats until no connection has events to report or output to send.
    private func settle() {
        while !reports.isEmpty || !dirty.isEmpty {
            tellHandlers()
            let connections = dirty
            dirty = []
            for connection in connections {
                connection.isInDirtyList = false
                flush(connection)
            }
        }
    }

    private func tellHandlers() {
        while !reports.isEmpty {
            let due = reports
            reports = []
            for report in due {
                switch report {
                case .client(let handler, let event, let id): handler.handle(event, on: id, self)
                case .server(let handler, let event, let id): handler.handle(event, on: id, self)
                }
            }
        }
    }

    private var patience: Duration? {
        let next = [nextSweep, timers.first?.deadline].compactMap(\.self).min()
        return next.map { max(.zero, MonotonicTime.now.duration(to: $0)) }
    }

    // MARK: For the other files of this class

    func preconditionOnLoop() {
        precondition(pthread_equal(pthread_self(), thread) != 0, "the HTTP/2 loop was called from another thread")
    }

    func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Marks a connection whose session or state has changed, so that it is handled before the turn ends.
    func touch(_ connection: HTTP2Connection) {
        guard !connection.isInDirtyList else { return }
        connection.isInDirtyList = true
        dirty.append(connection)
    }

    func expect(by deadline: MonotonicTime) {
        nextSweep = min(nextSweep ?? deadline, deadline)
    }

    func report(_ event: HTTP2ClientEvent, _ connection: HTTP2Connection) {
        guard case .client(let handler, _) = connection.role else { return }
        reports.append(.client(handler, event, connection.id))
    }

    func report(_ event: HTTP2ServerEvent, _ connection: HTTP2Connection) {
        guard case .server(let handler, _, _) = connection.role else { return }
        reports.append(.server(handler, event, connection.id))
    }
}
