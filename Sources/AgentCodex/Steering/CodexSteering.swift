internal import HostCore
internal import RelayProtocol

/// What people sent to steer threads and Codex has not shown the end of.
struct CodexSteering {
    /// What Codex shows when it has taken it.
    enum Evidence: Equatable {
        /// The person's message, under our name for it; in this turn, as far as Codex has said.
        case message(turn: String?)
        /// The end of this turn, as an interrupted one.
        case interruption(turn: String)
        /// What the thread is set to.
        case setting(CodexSetting)
    }

    struct Given {
        let name: SteeringName
        let session: SessionID
        var evidence: Evidence
        /// The connection on which it was sent broke: Codex may or may not have read it.
        var isInDoubt = false
    }

    private let countMax: Int
    private var given: [Given] = []
    /// What waits until its thread is watched again, by the thread.
    private var parked: [String: [SteeringRequest]] = [:]

    init(countMax: Int) { self.countMax = countMax }

    mutating func give(_ name: SteeringName, in session: SessionID, _ evidence: Evidence) {
        given.append(Given(name: name, session: session, evidence: evidence))
        // Its desk has long stopped waiting for the oldest.
        if given.count > countMax { given.removeFirst() }
    }

    /// Codex said in which turn it is.
    mutating func placed(_ name: SteeringName, turn: String) {
        guard let place = given.firstIndex(where: { $0.name == name }), given[place].evidence == .message(turn: nil) else {
            return
        }
        given[place].evidence = .message(turn: turn)
    }

    subscript(name: SteeringName) -> Given? { given.first { $0.name == name } }

    func isAsked(_ setting: CodexSetting, in session: SessionID) -> Bool {
        given.contains { $0.session == session && $0.evidence == .setting(setting) }
    }

    /// It is over; nil where that was known.
    mutating func end(_ name: SteeringName) -> Given? {
        given.firstIndex { $0.name == name }.map { given.remove(at: $0) }
    }

    /// Codex showed a message under this name.
    mutating func shown(message: String, in session: SessionID) -> Given? {
        given.firstIndex { $0.session == session && $0.name.codexMessage == message }.map { given.remove(at: $0) }
    }

    /// What a turn that is over leaves without evidence of its own, or is the evidence of.
    mutating func ended(turn: String, in session: SessionID) -> [Given] {
        take { $0.session == session && ($0.evidence == .message(turn: turn) || $0.evidence == .interruption(turn: turn)) }
    }

    mutating func isSet(to settings: CodexThreadSettings, in session: SessionID) -> [Given] {
        take {
            guard $0.session == session, case .setting(let setting) = $0.evidence else { return false }
            return settings.has(setting)
        }
    }

    mutating func connectionBroke() {
        for place in given.indices { given[place].isInDoubt = true }
    }

    /// What an earlier connection left in doubt, where this one has told all that it has of the thread.
    mutating func takeInDoubt(in session: SessionID) -> [Given] { take { $0.session == session && $0.isInDoubt } }

    mutating func forget(_ session: SessionID) { given.removeAll { $0.session == session } }

    private mutating func take(where isTaken: (Given) -> Bool) -> [Given] {
        let taken = given.filter(isTaken)
        given.removeAll(where: isTaken)
        return taken
    }

    // MARK: Waiting for a thread

    mutating func park(_ request: SteeringRequest, until thread: String) { parked[thread, default: []].append(request) }

    mutating func takeParked(_ thread: String) -> [SteeringRequest] { parked.removeValue(forKey: thread) ?? [] }

    mutating func takeAllParked() -> [SteeringRequest] {
        defer { parked = [:] }
        return parked.sorted { $0.key < $1.key }.flatMap(\.value)
    }
}

extension SteeringName {
    /// Codex keeps it with the message that a prompt becomes. No identifier has a dot, so no two are alike.
    var codexMessage: String { "heliograph.\(client.rawValue).\(command.rawValue)" }
}
