internal import HostCore
internal import RelayProtocol

/// Commands for threads whose outcome Codex has not shown yet.
struct CodexSteering {
    /// The sign by which Codex shows that it has taken a command.
    enum Evidence: Equatable {
        /// The person's message, under our name for it, which begins a turn; nil while Codex has not named the turn.
        case opening(turn: String?)
        /// The person's message in the running turn.
        case addition(turn: String)
        /// The end of this turn, as an interrupted one.
        case interruption(turn: String)
        /// The end of the session.
        case end
        case setting(CodexSetting)
    }

    struct Given {
        let name: SteeringName
        let session: SessionID
        var evidence: Evidence
        /// Monotonic time at which the command was sent.
        let at: Int64
        /// True if the connection failed on which the command was sent: Codex may or may not have read it.
        var isInDoubt = false
    }

    private struct Parked {
        let request: SteeringRequest
        let thread: String
        /// Monotonic time after which the request is not sent any more.
        let until: Int64
    }

    private let countMax: Int
    private var given: [Given] = []
    /// Requests that wait until their thread is watched again, in the order in which they came.
    private var parked: [Parked] = []

    init(countMax: Int) { self.countMax = countMax }

    mutating func give(_ name: SteeringName, in session: SessionID, _ evidence: Evidence, at now: Int64) {
        given.append(Given(name: name, session: session, evidence: evidence, at: now))
        // The desk has long stopped waiting for the oldest.
        if given.count > countMax { given.removeFirst() }
    }

    /// Notes the turn in which Codex has put a prompt.
    mutating func placed(_ name: SteeringName, turn: String) {
        guard let place = given.firstIndex(where: { $0.name == name }), given[place].evidence == .opening(turn: nil) else {
            return
        }
        given[place].evidence = .opening(turn: turn)
    }

    subscript(name: SteeringName) -> Given? { given.first { $0.name == name } }

    /// True if a client asked for the setting since that time. An older request that Codex never carried out does not explain a
    /// change now.
    func isAsked(_ setting: CodexSetting, in session: SessionID, since: Int64) -> Bool {
        given.contains { $0.session == session && $0.evidence == .setting(setting) && $0.at >= since }
    }

    /// True if a setting was sent since that time and Codex has not confirmed it.
    func isSetting(_ session: SessionID, since: Int64) -> Bool {
        given.contains { given in
            guard given.session == session, given.at >= since, case .setting = given.evidence else { return false }
            return true
        }
    }

    /// Removes the command; nil if it was removed before.
    mutating func end(_ name: SteeringName) -> Given? {
        given.firstIndex { $0.name == name }.map { given.remove(at: $0) }
    }

    /// Removes and returns the command whose message Codex showed.
    mutating func shown(message: String, in session: SessionID) -> Given? {
        given.firstIndex { $0.session == session && $0.name.codexMessage == message }.map { given.remove(at: $0) }
    }

    /// Removes and returns the commands whose outcome the end of a turn shows, or leaves without evidence.
    mutating func ended(turn: String, in session: SessionID) -> [Given] {
        let ended: [Evidence] = [.opening(turn: turn), .addition(turn: turn), .interruption(turn: turn)]
        return take { $0.session == session && ended.contains($0.evidence) }
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

    /// Removes and returns the commands that an earlier connection left in doubt, once this one has sent all items of the thread.
    mutating func takeInDoubt(in session: SessionID) -> [Given] { take { $0.session == session && $0.isInDoubt } }

    mutating func forget(_ session: SessionID) { given.removeAll { $0.session == session } }

    private mutating func take(where isTaken: (Given) -> Bool) -> [Given] {
        let taken = given.filter(isTaken)
        given.removeAll(where: isTaken)
        return taken
    }

    // MARK: Waiting for a thread

    mutating func park(_ request: SteeringRequest, of thread: String, until: Int64) {
        parked.append(Parked(request: request, thread: thread, until: until))
    }

    var nextDeadline: Int64? { parked.map(\.until).min() }

    mutating func takeParked(_ thread: String) -> [SteeringRequest] { unpark { $0.thread == thread } }

    mutating func takeOverdue(at now: Int64) -> [SteeringRequest] { unpark { $0.until <= now } }

    mutating func takeAllParked() -> [SteeringRequest] { unpark { _ in true } }

    private mutating func unpark(where isTaken: (Parked) -> Bool) -> [SteeringRequest] {
        let taken = parked.filter(isTaken)
        parked.removeAll(where: isTaken)
        return taken.map(\.request)
    }
}

extension SteeringName {
    /// The name that Codex keeps with a prompt's message. It is unique, because no identifier has a dot.
    var codexMessage: String { "heliograph.\(client.rawValue).\(command.rawValue)" }
}
