internal import AgentACP
internal import RelayProtocol

/// Reports for the daemon, in order and bounded. The oldest events are dropped first, and their number goes into their session's
/// log; items about a question stay, because it is waited for.
struct ReportQueue: Sendable {
    enum Item: Sendable {
        case event(SessionID, Event)
        case settled(SessionID, ApprovalID, ACPOutcome)
        case ask(ACPQuestion)
        case withdraw(ApprovalID)
        /// Commands that the session takes at the moment of sending.
        case stands(SessionID)
        case steered(SessionID, SteeringChange)
        /// All outcomes of this session's commands that this listener received are reported.
        case closed(SessionID, listener: Int)
    }

    /// One request to the daemon, or another task.
    enum Batch: Sendable {
        case events([[UInt8]], of: Set<SessionID>)
        case settled([UInt8])
        case ask(ACPQuestion)
        case withdraw(ApprovalID)
        case stands(SessionID)
        case steered(SessionID, SteeringChange)
        case closed(SessionID, listener: Int)
    }

    private let limits: ACPDriverLimits
    private var items: [Item] = []
    private var bytes = 0
    private var dropped: [SessionID: Int64] = [:]
    /// Output of running calls: the newest of each, which may be dropped.
    private var outputs: [(session: SessionID, call: String, text: String)] = []

    init(limits: ACPDriverLimits) { self.limits = limits }

    var isEmpty: Bool { items.isEmpty && dropped.isEmpty }

    /// Returns true if this is the first event that was dropped since dropped ones were last reported.
    mutating func put(_ item: Item) -> Bool {
        let hadDropped = !dropped.isEmpty
        guard !replaces(item) else { return false }
        items.append(item)
        bytes += Self.size(item)
        while bytes > limits.queueBytes || items.count > limits.queueCount {
            guard let place = items.firstIndex(where: { if case .event = $0 { true } else { false } }),
                case .event(let session, _) = items[place]
            else { break }
            bytes -= Self.size(items.remove(at: place))
            dropped[session, default: 0] += 1
        }
        return !hadDropped && !dropped.isEmpty
    }

    var hasOutputs: Bool { !outputs.isEmpty }

    mutating func show(_ session: SessionID, call: String, text: String) {
        outputs.removeAll { $0.session == session && $0.call == call }
        outputs.append((session, call, text))
        if outputs.count > limits.outputsMax { outputs.removeFirst() }
    }

    /// The waiting output of calls, to be sent after all other reports, which contain the calls' starts.
    mutating func takeOutputs() -> [[UInt8]] {
        defer { outputs = [] }
        return outputs.map { output in
            JSONWriter.object { line in
                line.field("session", output.session)
                line.field("kind", "tool.output")
                line.object("head") { $0.field("call", output.call) }
                line.object("body") { $0.field("text", output.text) }
            }
        }
    }

    /// Replaces a waiting report of a session's state: it is sent once, no later than the first would have been. The daemon gives a
    /// session the next command when the one before has its outcome, and must know by then that there is a turn.
    private mutating func replaces(_ item: Item) -> Bool {
        switch item {
        case .stands(let session):
            return items.contains { if case .stands(session) = $0 { true } else { false } }
        case .steered:
            // A daemon that is away has forgotten the commands that it gave us, and reports their outcome itself.
            let places = items.indices.filter { if case .steered = items[$0] { true } else { false } }
            if places.count >= limits.daemon.changesMax { items.remove(at: places[0]) }
            return false
        default: return false
        }
    }

    mutating func next(now: Int64) -> Batch? {
        var lines = dropped.sorted { $0.key.rawValue < $1.key.rawValue }.map {
            Self.line($0.key, Event(.truncated(count: $0.value), at: now))
        }
        var sessions = Set(dropped.keys)
        dropped = [:]
        var room = limits.batchBytes
        var taken = 0
        for item in items {
            guard case .event(let session, let event) = item, lines.count < limits.batchCount, room > 0 else { break }
            lines.append(Self.line(session, event))
            sessions.insert(session)
            room -= event.bytes.count
            taken += 1
        }
        bytes -= items.prefix(taken).reduce(0) { $0 + Self.size($1) }
        items.removeFirst(taken)
        if !lines.isEmpty { return .events(lines, of: sessions) }
        guard !items.isEmpty else { return nil }
        let item = items.removeFirst()
        bytes -= Self.size(item)
        switch item {
        case .event: preconditionFailure("a batch holds at least one event")
        case .ask(let question): return .ask(question)
        case .withdraw(let approval): return .withdraw(approval)
        case .stands(let session): return .stands(session)
        case .steered(let session, let change): return .steered(session, change)
        case .closed(let session, let listener): return .closed(session, listener: listener)
        case .settled(let session, let approval, let outcome):
            return .settled(
                JSONWriter.object {
                    $0.field("session", session)
                    $0.field("approval", approval)
                    $0.field("outcome", outcome.rawValue)
                })
        }
    }

    /// Removes the questions because the daemon is away, so that no client can be asked.
    mutating func removeQuestions() -> [ApprovalID] {
        var questions: [ApprovalID] = []
        items.removeAll { item in
            guard case .ask(let question) = item else { return false }
            questions.append(question.approval)
            bytes -= Self.size(item)
            return true
        }
        return questions
    }

    /// Removes everything, because the daemon accepts none of it.
    mutating func clear() {
        items = []
        bytes = 0
        dropped = [:]
        outputs = []
    }

    /// The event as the line that a program reports to the daemon.
    static func line(_ session: SessionID, _ event: Event) -> [UInt8] {
        // An event is an object that is not empty.
        Array("{\"session\":\"\(session.rawValue)\",".utf8) + event.bytes.dropFirst()
    }

    private static func size(_ item: Item) -> Int {
        switch item {
        case .event(_, let event): event.bytes.count
        case .ask(let question): question.input.count
        case .settled, .withdraw, .stands, .steered, .closed: 0
        }
    }
}
