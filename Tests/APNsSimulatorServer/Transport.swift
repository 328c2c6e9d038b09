internal import APNsSimulator
internal import HeliographHTTP2
internal import RelayProtocol

/// Runs the machine: passes requests and times in, and carries out orders. Confined to the HTTP/2 loop's thread.
final class Transport: @unchecked Sendable {
    // Invariant of @unchecked: made on any thread, used on the loop's thread only, where `HTTP2Loop` itself traps on any other.
    private var simulator: APNsSimulator
    private var clock = SimulatorClock()
    private let journal: JournalFile?
    private var timer: HTTP2TimerID?
    private var connections: [ConnectionNumber: HTTP2ConnectionID] = [:]
    /// Connections whose flow-control windows are never opened again.
    private var starved: Set<HTTP2ConnectionID> = []
    /// True if windows are opened by us only: see `HTTP2ServerConfiguration.Faults.holdsWindow`.
    let holdsWindows: Bool

    /// Bytes of a HEADERS frame that show that it has begun, but less than a whole one: the frame's own head has nine bytes.
    private static let cutBytes = 5
    /// Names of commands for the clock, which the machine does not handle.
    private enum ClockCommand: String, CaseIterable { case clock }

    init(_ simulator: APNsSimulator, journal: JournalFile?, holdsWindows: Bool) {
        self.simulator = simulator
        self.journal = journal
        self.holdsWindows = holdsWindows
    }

    // MARK: - From the network

    func handle(_ event: HTTP2ServerEvent, at endpoint: Endpoint, on connection: HTTP2ConnectionID, _ loop: HTTP2Loop) {
        let id = ConnectionNumber(connection)
        switch event {
        case .opened:
            connections[id] = connection
            // The limit of one stream is in the listener's first SETTINGS already.
            _ = simulator.connected(id, to: endpoint, at: clock.now)
        case .requestReceived(let message, let stream): received(message, on: stream, loop)
        case .streamEnded(let stream, _):
            simulator.closed(stream: stream.number, on: id)
            if holdsWindows, !starved.contains(connection) { loop.releaseWindow(connection) }
        case .closed:
            connections[id] = nil
            starved.remove(connection)
            simulator.disconnected(id, at: clock.now)
        case .settingsAcknowledged, .goAwayReceived: break
        }
        turnEnded(loop)
    }

    private func received(_ message: HTTP2Message, on stream: HTTP2StreamID, _ loop: HTTP2Loop) {
        let now = clock.now
        let id = ConnectionNumber(stream.connection)
        guard simulator.opened(stream: stream.number, on: id, at: now) else { return loop.reset(stream, .refusedStream) }
        let request = PushRequest(
            method: message[":method"] ?? "", path: message[":path"] ?? "",
            headers: message.headers.filter { !$0.name.hasPrefix(":") }.map { ($0.name, $0.value) }, body: message.body)
        let orders = simulator.handle(request, stream: stream.number, on: id, at: now)
        // The journal has the outcome of each request.
        journal?.append(simulator.takeJournal())
        for order in orders { run(order, on: stream, loop) }
    }

    // MARK: - Orders

    private func run(_ order: Order, on stream: HTTP2StreamID, _ loop: HTTP2Loop) {
        switch order {
        case .answer(let response, let milliseconds):
            guard milliseconds > 0 else { return loop.respond(HTTP2Message(response), to: stream) }
            loop.schedule(after: .milliseconds(milliseconds)) { $0.respond(HTTP2Message(response), to: stream) }
        case .limitStreams(let limit): loop.sendSettings(stream.connection, streamsMax: limit)
        case .reset(let code): loop.reset(stream, HTTP2ErrorCode(rawValue: code))
        case .goAway(let lastStream, let reason, let closes):
            goAway(stream.connection, last: lastStream.number(before: stream.number), reason: reason, closes: closes, loop)
        case .cut(let response, .insideHeaders):
            loop.cut(stream.connection, afterBytes: Self.cutBytes)
            loop.respond(HTTP2Message(response), to: stream)
        case .cut(let response, .afterHeaders):
            loop.sendHeaders(HTTP2Message(response).headers, to: stream)
            dropLater(stream.connection, loop)
        case .close(let resets): loop.drop(stream.connection, byReset: resets)
        case .blackHole: loop.stall(stream.connection)
        case .starveWindow: starved.insert(stream.connection)
        }
    }

    private func goAway(
        _ connection: HTTP2ConnectionID, last: Int32?, reason: Reason?, closes: Bool, _ loop: HTTP2Loop
    ) {
        let debug = reason.map { reason in JSONWriter.object { $0.field("reason", reason.rawValue) } } ?? []
        loop.goAway(connection, lastStream: last, debug: debug)
        if closes { dropLater(connection, loop) }
    }

    /// Ends the connection a turn later, when earlier output has been sent.
    private func dropLater(_ connection: HTTP2ConnectionID, _ loop: HTTP2Loop) {
        loop.schedule(after: .zero) { $0.drop(connection) }
    }

    // MARK: - From tests

    /// Runs one command, or several: `{"commands": […]}`, up to the first that fails.
    func perform(_ bytes: [UInt8], _ loop: HTTP2Loop) -> Result<[UInt8], WireError> {
        defer { turnEnded(loop) }
        do throws(WireError) {
            let root = try JSONDocument(parsing: bytes).root
            guard let commands = root.optional("commands") else { return .success(try perform(root)) }
            var answers: [[UInt8]] = []
            for command in try commands.array() { answers.append(try perform(command)) }
            return .success(JSONWriter.object { $0.array("answers", answers) })
        } catch {
            return .failure(error)
        }
    }

    private func perform(_ command: JSONValue) throws(WireError) -> [UInt8] {
        guard (try? command.word("do", ClockCommand.self)) == nil else { return try setClock(command) }
        return try simulator.perform(command, at: clock.now)
    }

    /// `{"do": "clock", "set": milliseconds since 1970, "advance": milliseconds, "stopped": true}`; each field is optional.
    private func setClock(_ command: JSONValue) throws(WireError) -> [UInt8] {
        if let stopped = try command.optional("stopped")?.bool() { clock.stop(stopped) }
        if let moment = try command.optionalInteger("set"), !clock.set(moment) {
            throw WireError(.outOfRange, at: "\(command.path).set", "the clock cannot go back: it is \(clock.now)")
        }
        if let milliseconds = try command.optionalInteger("advance") { _ = clock.set(clock.now + milliseconds) }
        return JSONWriter.object { answer in
            answer.field("ok", true)
            answer.field("now", clock.now)
        }
    }

    // MARK: - Time

    private func turnEnded(_ loop: HTTP2Loop) {
        for (id, order) in simulator.pass(to: clock.now) {
            guard case .goAway(_, let reason, let closes) = order, let connection = connections[id] else { continue }
            goAway(connection, last: nil, reason: reason, closes: closes, loop)
        }
        journal?.append(simulator.takeJournal())
        if let timer { loop.cancel(timer) }
        timer = nil
        guard !clock.isStopped, let deadline = simulator.nextDeadline else { return }
        timer = loop.schedule(after: .milliseconds(max(1, deadline - clock.now))) { [weak self] in self?.turnEnded($0) }
    }
}

/// Passes one listener's events to the transport.
final class ListenerHandler: HTTP2ServerHandler {
    private let endpoint: Endpoint
    private let transport: Transport

    init(_ endpoint: Endpoint, _ transport: Transport) {
        self.endpoint = endpoint
        self.transport = transport
    }

    func handle(_ event: HTTP2ServerEvent, on connection: HTTP2ConnectionID, _ loop: HTTP2Loop) {
        transport.handle(event, at: endpoint, on: connection, loop)
    }
}

extension Order.LastStream {
    /// The number for GOAWAY; nil for all received. Clients number their streams 1, 3, 5 …
    fileprivate func number(before stream: Int32) -> Int32? {
        switch self {
        case .all: nil
        case .before: max(0, stream - 2)
        case .number(let number): number
        }
    }
}

extension HTTP2Message {
    fileprivate init(_ response: Response) {
        self.init(
            status: response.status, headers: response.headers.map { HTTP2Header($0.name, $0.value) }, body: response.body)
    }
}
