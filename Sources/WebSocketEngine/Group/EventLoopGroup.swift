package import Logging

/// A main event loop, and others that also serve connections.
///
/// A single loop serves all connections. Otherwise the main loop accepts them and gives each to the loop with the fewest. Orders
/// for the other loops are collected during a turn and handed over at its end: one lock and one wake-up for each loop, however many
/// orders and connections there are. Confined to the main loop's thread.
@safe package final class EventLoopGroup {
    /// Limit of loops: a loop's number has to fit into an identifier, and with so many the main loop has long been the bottleneck.
    package static let loopsMax = 64

    package let main: EventLoop
    /// The tick: called after each turn of the main loop with activity. Delayed while another loop has not begun with its last
    /// orders: it then gets more at once, which is cheaper, and its queue does not grow.
    package var turnEnded: (() -> Void)?

    let lanes: [LoopLane]

    /// Runs the group. Blocks the calling thread, which becomes the main loop's, like `EventLoop.run`. With `loops` above 1, that
    /// many loops serve connections, each on its own thread.
    package static func run(
        _ configuration: EventLoop.Configuration, loops: Int, logger: Logger, _ body: (EventLoopGroup) throws -> Void
    ) throws {
        precondition((1...loopsMax).contains(loops), "a group has 1 to \(loopsMax) loops")
        var threads: [LoopThread] = []
        // After the main loop, whose orders they still carry out.
        defer { for thread in threads { thread.stop() } }
        try EventLoop.run(configuration, logger: logger) { main in
            for number in 1..<(loops > 1 ? loops + 1 : 1) {
                threads.append(try LoopThread(configuration, number: number, logger: logger))
            }
            let group = EventLoopGroup(main, threads)
            // The loop retains the group from here on.
            main.turnEnded = { group.endTurn() }
            try body(group)
        }
    }

    private init(_ main: EventLoop, _ threads: [LoopThread]) {
        self.main = main
        let handle = main.handle
        lanes = threads.map { LoopLane(to: $0, from: handle) }
    }

    private func endTurn() {
        if !lanes.contains(where: { $0.isBehind() }) { turnEnded?() }
        for lane in lanes { lane.handOver() }
    }

    /// True if this turn has orders for other loops, to be handed over at its end.
    package var isGathering: Bool { lanes.contains { !$0.gathered.isEmpty } }

    /// True if other loops serve connections.
    package var isShared: Bool { !lanes.isEmpty }

    // MARK: Orders, in order for each connection

    package func send(_ message: OutgoingMessage, to connection: ConnectionID) {
        guard let lane = lane(of: connection.loop) else { return main.send(message, to: connection) }
        lane.gathered.send(message, to: connection)
    }

    /// Sends the message to each of these, as to one.
    package func send(_ message: OutgoingMessage, to connections: [ConnectionID]) {
        guard isShared else { return main.send(message, to: connections[...]) }
        for connection in connections { send(message, to: connection) }
    }

    package func close(_ connection: ConnectionID, code: UInt16, reason: String) {
        guard let lane = lane(of: connection.loop) else { return main.close(connection, code: code, reason: reason) }
        lane.gathered.add(.close(connection, code: code, reason: reason))
    }

    /// See `EventLoop.cutOff`.
    package func cutOff(_ connection: ConnectionID, code: UInt16, reason: String) {
        guard let lane = lane(of: connection.loop) else { return main.cutOff(connection, code: code, reason: reason) }
        lane.gathered.add(.cutOff(connection, code: code, reason: reason))
    }

    /// See `EventLoop.pauseReading`. Input that another loop has already read still arrives.
    package func pauseReading(_ connection: ConnectionID) {
        guard let lane = lane(of: connection.loop) else { return main.pauseReading(connection) }
        lane.gathered.add(.pauseReading(connection))
    }

    package func resumeReading(_ connection: ConnectionID) {
        guard let lane = lane(of: connection.loop) else { return main.resumeReading(connection) }
        lane.gathered.add(.resumeReading(connection))
    }

    package func respond(to request: HTTPRequestID, _ response: HTTPResponse) {
        guard let lane = lane(of: request.loop) else { return main.respond(to: request, response) }
        lane.gathered.add(.respond(request, response))
    }

    /// Nil for the main loop, which ignores unknown connections.
    private func lane(of loop: Int) -> LoopLane? { loop > 0 && loop <= lanes.count ? lanes[loop - 1] : nil }

    // MARK: Listening

    /// `handler` receives the connections that the main loop serves itself, and every refusal; `makeHandler` is called on the thread of
    /// each other loop.
    package func listen(
        _ configuration: ListenerConfiguration, handler: any ServerHandler,
        onOthers makeHandler: @escaping @Sendable (EventLoop) -> any ServerHandler
    ) throws -> Listener {
        let admission = Admission(loops: max(1, lanes.count))
        let branches = try lanes.map(\.thread).map { thread in
            try thread.run { loop in
                let listener = try loop.makeListener(configuration, handler: makeHandler(loop), admission)
                return ListenerBranch(listener, on: loop, of: thread)
            }
        }
        return try main.listen(configuration, handler: handler, admission, branches)
    }

    /// See `EventLoop.renewCertificate`.
    package func renewCertificate(_ tls: ListenerConfiguration.TLS) {
        main.renewCertificate(tls)
        for lane in lanes { lane.gathered.add(.renewCertificate(tls)) }
    }

    // MARK: Looking on

    /// `answer` gets the sum over all loops, on the main loop's thread.
    package func census(_ answer: @escaping (EngineCensus) -> Void) {
        gather({ $0.census }) { found in answer(found.reduce(into: EngineCensus()) { $0.add($1) }) }
    }

    /// `answer` gets the unsent bytes of each connection on all loops, on the main loop's thread; see `EventLoop.backlogs`.
    package func backlogs(_ answer: @escaping ([(connection: ConnectionID, bytes: Int)]) -> Void) {
        gather({ $0.backlogs }) { answer($0.flatMap { $0 }) }
    }

    /// `answer` gets this connection's unsent bytes once all earlier orders were carried out, on the main loop's thread and in a
    /// later turn; see `EventLoop.outboxBytes`.
    package func weigh(_ connection: ConnectionID, _ answer: @escaping (Int) -> Void) {
        let (bound, handle) = (LoopBound(answer, loop: main), main.handle)
        let tell: @Sendable (Int) -> Void = { bytes in handle.execute { bound.value(bytes) } }
        guard let lane = lane(of: connection.loop) else { return tell(main.outboxBytes(of: connection)) }
        lane.gathered.add(.weigh(connection, tell))
    }

    private func gather<Finding: Sendable>(
        _ look: @escaping @Sendable (EventLoop) -> Finding, _ answer: @escaping ([Finding]) -> Void
    ) {
        guard isShared else { return answer([look(main)]) }
        let gathering = Gathering([look(main)], missing: lanes.count, answer)
        let (bound, handle) = (LoopBound(gathering, loop: main), main.handle)
        for lane in lanes {
            lane.thread.handOver { loop in
                let finding = look(loop)
                handle.execute { bound.value.add(finding) }
            }
        }
    }

    private final class Gathering<Finding> {
        private var findings: [Finding]
        private var missing: Int
        private let answer: ([Finding]) -> Void

        init(_ findings: [Finding], missing: Int, _ answer: @escaping ([Finding]) -> Void) {
            self.findings = findings
            self.missing = missing
            self.answer = answer
        }

        func add(_ finding: Finding) {
            findings.append(finding)
            missing -= 1
            if missing == 0 { answer(findings) }
        }
    }
}
