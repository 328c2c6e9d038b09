internal import RelayProtocol

/// The turns of all sessions of one agent process, and the commands of clients for them.
struct SteeringBook {
    private let limits: ACPLimits
    /// The prefix of all identifiers of our requests; nobody else uses it while this process lives.
    private let idPrefix: [UInt8]
    private var idCount = 0
    private var sessions: [String: SessionTurns] = [:]
    /// True if the agent has shown a prompt when it took it; it will do so again.
    private(set) var echoes = false
    /// True if the editor or the agent has left.
    private(set) var isClosing = false
    /// Received commands, oldest first.
    private var met: [SteeringName] = []
    /// Sessions that have changed since the last look.
    private var touched: Set<String> = []

    init(run: String, limits: ACPLimits) {
        self.limits = limits
        idPrefix = Array("\"heliograph-\(run.prefix(40))-".utf8)
    }

    subscript(name: String) -> SessionTurns? { sessions[name] }

    var names: [String] { sessions.keys.sorted() }

    /// Changes a session. Has no effect if it is unknown.
    @discardableResult
    mutating func change<Result>(_ name: String, _ body: (inout SessionTurns) -> Result) -> Result? {
        guard let place = sessions.index(forKey: name) else { return nil }
        touched.insert(name)
        return body(&sessions.values[place])
    }

    mutating func ensure(_ name: String) {
        if sessions[name] == nil { sessions[name] = SessionTurns() }
        touched.insert(name)
    }

    mutating func remove(_ name: String) {
        sessions[name] = nil
        touched.insert(name)
    }

    mutating func missedSome() {
        for name in names { change(name) { $0.missedSome() } }
    }

    mutating func closed(question id: [UInt8]) {
        for name in names where sessions[name]?.questions.contains(where: { $0.id == id }) == true {
            change(name) { $0.closed(question: id) }
        }
    }

    mutating func close() {
        isClosing = true
        touched.formUnion(sessions.keys)
    }

    mutating func hasEchoed() { echoes = true }

    /// Returns the changed sessions once, in a fixed order.
    mutating func takeTouched() -> [String] {
        defer { touched = [] }
        return touched.sorted()
    }

    // MARK: Identifiers

    mutating func nextID() -> [UInt8] {
        idCount += 1
        return idPrefix + Array("\(idCount)\"".utf8)
    }

    func isOwn(_ id: [UInt8]) -> Bool { id.starts(with: idPrefix) }

    /// Records a command.
    ///
    /// - Returns: false if it came before: it has its outcome, or will have it.
    mutating func meet(_ name: SteeringName) -> Bool {
        guard !met.contains(name) else { return false }
        met.append(name)
        if met.count > limits.steeringNamesMax { met.removeFirst() }
        return true
    }

    // MARK: Waiting prompts of the editor

    func hasRoomToQueue(_ line: [UInt8]) -> Bool {
        let queued = sessions.values.flatMap(\.queued)
        return queued.count < limits.queuedPromptsMax
            && queued.reduce(line.count) { $0 + $1.line.count } <= limits.queuedBytesMax
    }

    var withQueue: [String] { names.filter { sessions[$0]?.queued.isEmpty == false } }

    /// The session in which this prompt is queued; nil if the agent has it, or it is unknown.
    func session(queueing id: [UInt8]) -> String? {
        names.first { sessions[$0]?.queued.contains { $0.id == id } == true }
    }

    func session(prompting id: [UInt8]) -> String? { names.first { sessions[$0]?.own?.id == id } }

    func session(asking id: [UInt8]) -> String? { names.first { sessions[$0]?.questions.contains { $0.id == id } == true } }

    func session(setting id: [UInt8]) -> String? {
        names.first { sessions[$0]?.settings.contains { $0.id == id } == true }
    }
}
