internal import RelayProtocol

/// The turns of all sessions of one agent process, and what clients asked of them.
struct SteeringBook {
    private let limits: ACPLimits
    /// The prefix of every identifier of a request of ours; as long as this process lives, no other has it.
    private let idPrefix: [UInt8]
    private var idCount = 0
    private var sessions: [String: SessionTurns] = [:]
    /// The agent has shown a prompt when it took it, and will again.
    private(set) var echoes = false
    /// The editor has left, or the agent.
    private(set) var isClosing = false
    /// Commands that came, oldest first.
    private var met: [SteeringName] = []
    /// Sessions of which something has changed since the last look.
    private var touched: Set<String> = []

    init(run: String, limits: ACPLimits) {
        self.limits = limits
        idPrefix = Array("\"heliograph-\(run.prefix(40))-".utf8)
    }

    subscript(name: String) -> SessionTurns? { sessions[name] }

    var names: [String] { sessions.keys.sorted() }

    /// No effect if the session is not known.
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

    /// In a fixed order.
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

    /// - Returns: false if the command came before: it has its outcome, or will have it.
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

    /// The session of the prompt, if the agent has not got it yet.
    func session(queueing id: [UInt8]) -> String? {
        names.first { sessions[$0]?.queued.contains { $0.id == id } == true }
    }

    func session(prompting id: [UInt8]) -> String? { names.first { sessions[$0]?.own?.id == id } }

    func session(asking id: [UInt8]) -> String? { names.first { sessions[$0]?.questions.contains { $0.id == id } == true } }

    func session(setting id: [UInt8]) -> String? {
        names.first { sessions[$0]?.settings.contains { $0.id == id } == true }
    }
}
