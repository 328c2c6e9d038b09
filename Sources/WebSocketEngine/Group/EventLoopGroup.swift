package import Logging

/// A main event loop, and others beside it that serve connections.
///
/// Alone, the main one serves them itself. Otherwise it accepts them and hands each to the loop that has the fewest; what it wants
/// of them is gathered while its turn lasts, and handed over when it ends: one lock and one wake-up for each loop, whatever the turn
/// brought and however many it is for. Confined to the main loop's thread.
@safe package final class EventLoopGroup {
    /// A number of a loop has to fit into an identifier, and by then the main one has been the bottleneck for long.
    package static let loopsMax = 64

    package let main: EventLoop
    /// Called after each turn of the main loop in which anything happened: the tick. Put off while a loop has not begun with what it
    /// was given: it then gets more in one go, which is cheaper, and nothing piles up in front of it.
    package var turnEnded: (() -> Void)?

    let lanes: [LoopLane]

    /// Blocks the calling thread, which is the main loop's, as `EventLoop.run` does. With `loops` over 1 so many serve connections, each on
    /// a thread of its own.
    package static func run(
        _ configuration: EventLoop.Configuration, loops: Int, logger: Logger, _ body: (EventLoopGroup) throws -> Void
    ) throws {
        precondition((1...loopsMax).contains(loops), "a group has 1 to \(loopsMax) loops")
        var threads: [LoopThread] = []
        // After the main loop, whose orders they carry out to the end.
        defer { for thread in threads { thread.stop() } }
        try EventLoop.run(configuration, logger: logger) { main in
            for number in 1..<(loops > 1 ? loops + 1 : 1) {
                threads.append(try LoopThread(configuration, number: number, logger: logger))
            }
            let group = EventLoopGroup(main, threads)
            // The loop holds the group from here on.
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

    /// Whether other loops serve connections.
    package var isShared: Bool { !lanes.isEmpty }

    // MARK: Orders, in order for each connection

    package func send(_ message: OutgoingMessage, to connection: ConnectionID) {
        guard let lane = lane(of: connection.loop) else { return main.send(message, to: connection) }
        lane.gathered.send(message, to: connection)
    }

    package func close(_ connection: ConnectionID, code: UInt16, reason: String) {
        guard let lane = lane(of: connection.loop) else { return main.close(connection, code: code, reason: reason) }
        lane.gathered.add(.close(connection, code: code, reason: reason))
    }

    package func respond(to request: HTTPRequestID, _ response: HTTPResponse) {
        guard let lane = lane(of: request.loop) else { return main.respond(to: request, response) }
        lane.gathered.add(.respond(request, response))
    }

    /// Nil: the main loop, which ignores whom it does not know.
    private func lane(of loop: Int) -> LoopLane? { loop > 0 && loop <= lanes.count ? lanes[loop - 1] : nil }

    // MARK: Listening

    /// `handler` hears of connections where the main loop serves them itself, and of who is turned away; `makeHandler` is called on the
    /// thread of each other loop.
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
        guard isShared else { return answer(main.census) }
        let sum = CensusSum(main.census, missing: lanes.count, answer)
        let (bound, handle) = (LoopBound(sum, loop: main), main.handle)
        for lane in lanes {
            lane.thread.handOver { loop in
                let census = loop.census
                handle.execute { bound.value.add(census) }
            }
        }
    }

    private final class CensusSum {
        private var census: EngineCensus
        private var missing: Int
        private let answer: (EngineCensus) -> Void

        init(_ census: EngineCensus, missing: Int, _ answer: @escaping (EngineCensus) -> Void) {
            self.census = census
            self.missing = missing
            self.answer = answer
        }

        func add(_ other: EngineCensus) {
            census.add(other)
            missing -= 1
            if missing == 0 { answer(census) }
        }
    }
}
