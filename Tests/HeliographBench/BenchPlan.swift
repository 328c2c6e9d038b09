/// Settings of a run. All defaults together give a run of seconds on a small machine.
package struct BenchPlan: Sendable {
    package enum Scenario: String, Sendable, CaseIterable {
        /// Hosts make events, and subscribers receive them.
        case fanout
        /// Host → relay → client → relay → host, in turn.
        case approval
        /// Hosts send as fast as they are acknowledged, without clients.
        case ingest
        /// Connected clients that do nothing.
        case idle
        /// Clients that all connect at once, each for a snapshot.
        case storm
        /// Clients that all return at once with a position, after a restart if the relay was started by this program.
        case resume
        /// Clients that stay while the node that owns their workspace is lost: until each is up to date again at another.
        case takeover
    }

    /// Losses that an event survives.
    package enum Durability: String, Sendable, CaseIterable {
        /// `events`: on disk before any client sees it.
        case durable
        /// `deltas`: live only. Gaps are allowed, repeats are not.
        case live
    }

    package var scenario: Scenario
    package var hosts = 1
    package var sessions = 1
    package var clients = 100
    /// Events a second over all sessions, sent when they are due even if responses are late; nil sends as the window allows.
    package var rate: Int?
    /// Events of a session that not every subscriber has received (`fanout`), or that are not acknowledged, over all hosts
    /// (`ingest`).
    package var window = 64
    /// Events in one message of a host.
    package var batch = 1
    /// Bytes of one event, as it is on the wire.
    package var size = 300
    /// The content of events looks as that of a host that seals it.
    package var isSealed = false
    package var duration = Duration.seconds(5)
    /// Time before measuring begins.
    package var warmUp = Duration.seconds(1)
    package var durability = Durability.durable
    /// Events that the session has before clients connect (`storm`, `resume`).
    package var history = 20
    /// Events that a returning client has missed (`resume`).
    package var missed = 20
    /// Connections in progress at once while clients gather; a storm has no such limit.
    package var connecting = 64

    /// The process that is lost, and true if it is stopped, not killed (`takeover`).
    package var owner: Int32?
    package var isOwnerStopped = false

    package init(_ scenario: Scenario) { self.scenario = scenario }

    /// Limits of this program, which has one thread and allocates memory before the run.
    static let clientsMax = 200_000
    static let sessionsMax = 10_000
    static let windowMax = 1 << 20
    static let rateMax = 10_000_000

    /// Open files other than connections.
    private static let otherDescriptors = 64

    /// Each connection is an open file of this process, and another one of the relay.
    func check(descriptors most: Int) throws(BenchError) {
        let needed = hosts + clients + Self.otherDescriptors
        guard scenario == .ingest || needed <= most else {
            throw BenchError(
                .plan,
                "\(clients) clients need \(needed) open files, here and at the relay; this process may have \(most) (ulimit -Hn)"
            )
        }
    }

    package func check() throws(BenchError) {
        let rules: [(Bool, String)] = [
            ((1...10_000).contains(hosts), "hosts: 1 to 10000"),
            (
                (hosts...Self.sessionsMax).contains(sessions),
                "sessions: one for each host at least, \(Self.sessionsMax) at most"
            ),
            ((0...Self.clientsMax).contains(clients), "clients: 0 to \(Self.clientsMax)"),
            (scenario == .ingest || clients >= 1, "clients: 1 at least, where somebody watches"),
            (rate.map((1...Self.rateMax).contains) ?? true, "rate: 1 to \(Self.rateMax) events a second"),
            ((1...Self.windowMax).contains(window), "window: 1 to \(Self.windowMax) events"),
            ((1...EventTemplate.batchMax).contains(batch), "batch: 1 to \(EventTemplate.batchMax) events"),
            (rate != nil || batch <= window, "batch: no more than the window"),
            (
                (EventTemplate.sizeMin...EventTemplate.sizeMax).contains(size),
                "size: \(EventTemplate.sizeMin) to \(EventTemplate.sizeMax) bytes"
            ),
            (batch * size <= EventTemplate.messageBytesMax, "batch and size: \(EventTemplate.messageBytesMax) bytes together"),
            (duration > .zero && duration <= .seconds(86_400), "duration: up to a day"),
            (warmUp >= .zero && warmUp <= .seconds(3_600), "warm-up: up to an hour"),
            ((0...100_000).contains(history), "history: 0 to 100000 events"),
            ((0...history).contains(missed), "missed: no more than the history"),
        ]
        for (holds, sentence) in rules where !holds { throw BenchError(.plan, sentence) }
    }
}
