internal import Dispatch
internal import Glibc
internal import Synchronization

/// One connection, with our own deadline for every request: the database's deadlines do not end a commit that waits for a standby,
/// and a broken network reports nothing.
///
/// Unchecked: one thread at a time uses it, the one that took it out of its pool.
@safe package final class PostgresConnection: @unchecked Sendable {
    /// Time limit for name look-up, connection, TLS and authentication.
    package static let openingMax = Duration.seconds(10)

    private let libpq: LibPQ
    private let connection: LibPQ.Connection
    private let notices: Notices
    /// Names of prepared statements, by their text.
    private var prepared: [String: String] = [:]
    /// True once the connection cannot be used any more.
    package private(set) var isLost = false

    /// Server to choose from a multi-host address.
    package enum Server: String, Sendable {
        /// The server that accepts writes.
        case primary = "read-write"
        case any
    }

    /// `address`: as libpq defines it: `postgresql://…`, or `key=value …`. `name`: the application name that others see
    /// (`application_name`). `target_session_attrs` and `connect_timeout` in the address take precedence.
    package init(
        to address: String, as name: String, of server: Server = .primary, within limit: Duration = openingMax
    ) throws(PostgresError) {
        libpq = try LibPQ.shared
        guard let made = unsafe try Self.connect(libpq, address, name, server, within: limit) else {
            throw PostgresError(.cannotConnect, "There is no memory for a connection.")
        }
        unsafe connection = made
        notices = Notices(libpq)
        try begin()
    }

    deinit { unsafe libpq.finish(connection) }

    /// Time for each host of an address, and each IP address of a host, in seconds; two that do not answer leave time for a third.
    private static let hostSeconds = 3

    /// Connects on a separate thread, as libpq tries the next host after a silent one only in its blocking call. The thread is
    /// abandoned when the time has passed: it ends when libpq has tried all hosts.
    private static func connect(
        _ libpq: LibPQ, _ address: String, _ name: String, _ server: Server, within limit: Duration
    ) throws(PostgresError) -> LibPQ.Connection? {
        // Settings in the address override those above it; those below it override the address.
        let settings = [
            // For waits without a deadline of ours, the system also detects a dead peer.
            ("keepalives_idle", "10"), ("keepalives_interval", "3"), ("keepalives_count", "3"), ("tcp_user_timeout", "15000"),
            ("connect_timeout", "\(hostSeconds)"), ("target_session_attrs", server.rawValue), ("dbname", address),
            ("application_name", name), ("client_encoding", "UTF8"),
        ]
        let opening = Opening()
        DispatchQueue(label: "heliograph.postgresql").async { opening.end(with: settings, libpq) }
        guard
            opening.wait(
                until: .now()
                    + .milliseconds(
                        Int(limit.components.seconds * 1_000 + limit.components.attoseconds / 1_000_000_000_000_000)))
        else {
            throw PostgresError(.cannotConnect, "The database did not answer in time.")
        }
        return unsafe opening.take()
    }

    private func begin() throws(PostgresError) {
        guard unsafe libpq.status(connection) != LibPQ.connectionIsBad else { throw failure(.cannotConnect) }
        _ = unsafe libpq.setNoticeReceiver(connection, Notices.receiver, Unmanaged.passUnretained(notices).toOpaque())
        guard unsafe libpq.setNonblocking(connection, 1) == 0, unsafe libpq.enterPipelineMode(connection) == 1 else {
            throw failure(.cannotConnect)
        }
    }

    /// Version of the server, such as `150018`.
    package var serverVersion: Int { Int(unsafe libpq.serverVersion(connection)) }

    /// Process id of the server process behind this connection, as reported at its start; a pooler reports an id of its own.
    package var backendPID: Int32 { unsafe libpq.backendPID(connection) }

    /// A parameter that the server reports by itself: `server_encoding`, `in_hot_standby`.
    package func setting(_ name: String) -> String? {
        unsafe libpq.parameterStatus(connection, name).map { unsafe String(cString: $0) }
    }

    /// The database's warning since the last `run` began. A commit with a warning may not be what was requested.
    ///
    /// May be an earlier warning: libpq passes a notice on as soon as it has it, perhaps before the result that it came after.
    package var warning: String? { notices.warning.withLock { $0 } }

    /// Executes the statements in one round trip and, outside a transaction that was begun, in one transaction: all of them or
    /// none.
    ///
    /// If it throws `lost`, the connection cannot be used any more.
    package func run(_ statements: [PostgresStatement], within limit: Duration) throws(PostgresError) -> [PostgresRows] {
        guard !isLost else { throw PostgresError(.lost, "The connection to the database has ended.") }
        let deadline = ContinuousClock.now + limit
        notices.warning.withLock { $0 = nil }
        do throws(PostgresError) {
            var awaited: [Awaited] = []
            for statement in statements { try send(statement, &awaited) }
            guard unsafe libpq.pipelineSync(connection) == 1 else { throw failure(.lost) }
            return try collect(awaited, by: deadline)
        } catch {
            if error.code == .lost { isLost = true }
            throw error
        }
    }

    package func run(_ statement: PostgresStatement, within limit: Duration) throws(PostgresError) -> PostgresRows {
        try run([statement], within: limit)[0]
    }

    // MARK: - Sending

    /// Expected results, in order.
    private enum Awaited {
        case plan(sql: String, name: String)
        case rows
    }

    private func send(_ statement: PostgresStatement, _ awaited: inout [Awaited]) throws(PostgresError) {
        var name: String?
        if statement.isPrepared {
            if let known = prepared[statement.sql] {
                name = known
            } else {
                // A new name each time, as the name of a plan that was refused is not used again.
                let fresh = "s\(plansMade)"
                plansMade += 1
                guard unsafe libpq.sendPrepare(connection, fresh, statement.sql, 0, nil) == 1 else { throw failure(.lost) }
                awaited.append(.plan(sql: statement.sql, name: fresh))
                name = fresh
            }
        }
        let lengths = statement.places.map { Int32($0?.count ?? 0) }
        let formats = statement.places.map { _ in Int32(1) }
        let count = Int32(lengths.count)
        // An empty value needs an address too; libpq copies all values.
        let bytes = statement.bytes + [0]
        let isSent = unsafe bytes.withUnsafeBytes { bytes in
            let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = unsafe statement.places.map { place in
                unsafe place.flatMap { unsafe start?.advanced(by: $0.lowerBound) }.map { unsafe UnsafePointer($0) }
            }
            return if let name {
                unsafe libpq.sendQueryPrepared(connection, name, count, values, lengths, formats, 1)
            } else {
                unsafe libpq.sendQueryParams(connection, statement.sql, count, nil, values, lengths, formats, 1)
            }
        }
        guard isSent == 1 else { throw failure(.lost) }
        awaited.append(.rows)
    }

    private var plansMade = 0

    // MARK: - Receiving

    private func collect(_ awaited: [Awaited], by deadline: ContinuousClock.Instant) throws(PostgresError) -> [PostgresRows] {
        var rows: [PostgresRows] = []
        var refusal: PostgresError?
        for part in awaited {
            guard let result = unsafe try next(by: deadline) else { throw failure(.lost) }
            let found = unsafe PostgresRows(libpq, result)
            switch unsafe LibPQ.ResultStatus(rawValue: libpq.resultStatus(result)) {
            case .commandOK, .tuplesOK:
                if case .plan(let sql, let name) = part { prepared[sql] = name } else { rows.append(found) }
            case .pipelineAborted: break
            default:
                let error = unsafe refused(result)
                // An error that ends the connection may come after the commit.
                guard error.code == .refused else { throw error }
                refusal = refusal ?? error
            }
            // Each part's results end with nil.
            while let more = unsafe try next(by: deadline) { unsafe libpq.clear(more) }
        }
        guard let end = unsafe try next(by: deadline) else { throw failure(.lost) }
        defer { unsafe libpq.clear(end) }
        switch unsafe LibPQ.ResultStatus(rawValue: libpq.resultStatus(end)) {
        case .pipelineSync: break
        // A constraint that is checked at the commit.
        default:
            let error = unsafe refused(end)
            isLost = true
            throw PostgresError(.lost, error.message, state: error.state)
        }
        if let refusal { throw refusal }
        return rows
    }

    private func refused(_ result: LibPQ.Result) -> PostgresError {
        let severity = unsafe libpq.field("V", of: result)
        let message = unsafe libpq.field("M", of: result)
        let isOver = unsafe severity != "ERROR" || libpq.status(connection) == LibPQ.connectionIsBad
        return PostgresError(
            isOver ? .lost : .refused, message ?? failure(.lost).message, state: unsafe libpq.field("C", of: result),
            constraint: unsafe libpq.field("n", of: result))
    }

    private func next(by deadline: ContinuousClock.Instant) throws(PostgresError) -> LibPQ.Result? {
        while true {
            let left = unsafe libpq.flush(connection)
            guard left >= 0 else { throw failure(.lost) }
            if unsafe libpq.isBusy(connection) == 0 { return unsafe libpq.getResult(connection) }
            guard try wait(for: left > 0 ? POLLIN | POLLOUT : POLLIN, until: deadline) else {
                throw PostgresError(.lost, "The database did not answer in time.")
            }
            guard unsafe libpq.consumeInput(connection) == 1 else { throw failure(.lost) }
        }
    }

    /// False if the deadline has passed.
    private func wait(for events: Int32, until deadline: ContinuousClock.Instant) throws(PostgresError) -> Bool {
        while true {
            let left = deadline - ContinuousClock.now
            guard left > .zero else { return false }
            let descriptor = unsafe libpq.socket(connection)
            guard descriptor >= 0 else { throw failure(.lost) }
            var waiting = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let milliseconds = left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000
            let ready = unsafe poll(&waiting, 1, Int32(clamping: milliseconds + 1))
            if ready > 0 { return true }
            guard ready == 0 || errno == EINTR else { throw PostgresError(.lost, "poll failed: error \(errno).") }
        }
    }

    private func failure(_ code: PostgresError.Code) -> PostgresError {
        let said = unsafe libpq.errorMessage(connection).map { unsafe String(cString: $0) } ?? ""
        let lines = said.split(whereSeparator: \.isNewline).joined(separator: " ")
        return PostgresError(code, lines.isEmpty ? "The connection to the database has ended." : lines)
    }
}

/// Receives the notices that the database sends while a connection is used.
private final class Notices: Sendable {
    let warning = Mutex<String?>(nil)
    private let libpq: LibPQ

    init(_ libpq: LibPQ) { self.libpq = libpq }

    /// Called within libpq's calls, on their thread. `context` is the `Notices` of the connection that it was set for, which
    /// outlives that connection.
    static let receiver: LibPQ.NoticeReceiver = { context, result in
        guard let context = unsafe context, let result = unsafe result else { return }
        let notices = unsafe Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue()
        guard unsafe notices.libpq.field("V", of: result) == "WARNING" else { return }
        let message = unsafe notices.libpq.field("M", of: result)
        notices.warning.withLock { $0 = $0 ?? message ?? "" }
    }
}
