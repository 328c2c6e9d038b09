internal import RelayProtocol

/// The sessions of one agent process, and the editor's requests whose answers name them.
struct SessionTable {
    /// A request of the editor that is not answered yet.
    enum Asked {
        case initialize
        /// `session` is nil if the response will name it.
        case session(String?, directory: String?, isResumed: Bool)
        case prompt(String)
        case close(String)
        case mode(String, String?)
        /// A request for a setting, which may be the mode.
        case option(String)
    }

    private let limits: ACPLimits
    private let run: String
    private var sessions: [String: ACPSession] = [:]
    private var asked: [(id: [UInt8], what: Asked)] = []

    init(run: String, limits: ACPLimits) {
        self.run = run
        self.limits = limits
    }

    /// The agent's names of the sessions, sorted.
    var names: [String] { sessions.keys.sorted() }

    subscript(name: String) -> ACPSession? { sessions[name] }

    func name(of session: SessionID) -> String? { sessions.first { $0.value.id == session }?.key }

    /// Changes a session; nil if it is unknown.
    mutating func change<Result>(_ name: String, _ body: (inout ACPSession) -> Result) -> Result? {
        guard let place = sessions.index(forKey: name) else { return nil }
        return body(&sessions.values[place])
    }

    mutating func remove(_ name: String) { sessions[name] = nil }

    /// The session with that name, created if necessary; nil if there is no room for another, which is then not reported.
    mutating func ensure(_ name: String) -> SessionID? {
        if let known = sessions[name] { return known.id }
        guard sessions.count < limits.sessionsMax, let id = Self.identifier(name, run: run) else { return nil }
        sessions[name] = ACPSession(id: id, run: run, limits: limits)
        return id
    }

    mutating func note(_ id: [UInt8], _ what: Asked) {
        asked.removeAll { $0.id == id }
        asked.append((id, what))
        if asked.count > limits.requestsMax { asked.removeFirst() }
    }

    mutating func answered(_ id: [UInt8]) -> Asked? {
        asked.firstIndex { $0.id == id }.map { asked.remove(at: $0).what }
    }

    /// The agent's own name, so that a session that is loaded again is the same one. A short name may also be another agent's, so
    /// the id of this process is added.
    static func identifier(_ name: String, run: String) -> SessionID? {
        if name.utf8.count >= 20, let id = SessionID(name) { return id }
        // FNV-1a, 64 bits: names with characters that an identifier may not have must still be distinguished.
        let hash = name.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let digits = String(hash, radix: 16)
        return SessionID("acp-" + (name.utf8.count >= 20 ? "" : run.prefix(32) + "-") + digits)
    }
}
