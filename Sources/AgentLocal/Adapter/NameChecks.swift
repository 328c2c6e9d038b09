internal import HostCore
internal import RelayProtocol

/// Programs that wait until the relay has their new sessions as this host's, or has refused their names. A program chooses its
/// sessions' names itself, so another host of the workspace may have one already.
struct NameChecks {
    /// A request whose events were accepted, and which waits for its sessions' names.
    struct Call {
        let token: HookToken
        /// The program's own names and the session ids here, in the order of the events.
        let sessions: [(name: String, id: SessionID)]
        fileprivate var open: Set<SessionID>
        /// Names that another host has.
        fileprivate(set) var refused: Set<String> = []
        fileprivate let due: Int64

        var takenCount: Int { sessions.count { !refused.contains($0.name) } }
    }

    /// Longest wait. A connected relay answers within a commit or two; without an answer the events wait on disk, as if it were
    /// away.
    private static let patience = Duration.seconds(2)

    /// Most unconfirmed sessions: as many as may be live at once.
    private static let unconfirmedMax = LocalLimits().sessionsMax

    /// Sessions that began in this life of the daemon and that the relay has not confirmed.
    private(set) var unconfirmed: Set<SessionID> = []
    private var calls: [Call] = []
    /// True if the last call came with the current fact, so that the disk may not have taken its events.
    private var isLastNew = false

    var nextDeadline: Int64? { calls.map(\.due).min() }

    mutating func factCame() { isLastNew = false }

    mutating func began(_ session: SessionID) {
        // A connected relay would have reported some of so many sessions, so these are not waited for any more.
        if unconfirmed.count >= Self.unconfirmedMax { unconfirmed = [] }
        unconfirmed.insert(session)
    }

    /// Adds a call; nil if there is nothing to wait for.
    mutating func wait(_ token: HookToken, _ sessions: [(name: String, id: SessionID)], isLive: Bool, at now: Int64) -> Call? {
        let open = Set(sessions.map(\.id)).intersection(unconfirmed)
        let call = Call(token: token, sessions: sessions, open: open, due: now + Self.patience.milliseconds)
        guard isLive, !open.isEmpty else { return call }
        calls.append(call)
        isLastNew = true
        return nil
    }

    /// Returns calls that can be answered.
    mutating func named(_ session: SessionID, isOurs: Bool) -> [Call] {
        unconfirmed.remove(session)
        for index in calls.indices where calls[index].open.remove(session) != nil {
            if !isOurs { calls[index].refused.formUnion(calls[index].sessions.filter { $0.id == session }.map(\.name)) }
        }
        return take { $0.open.isEmpty }
    }

    /// Returns the calls that have waited long enough.
    mutating func timerFired(at now: Int64) -> [Call] { take { $0.due <= now } }

    /// Returns all calls, because the relay is away.
    mutating func linkEnded() -> [Call] { take { _ in true } }

    mutating func gone(_ token: HookToken) { _ = take { $0.token == token } }

    /// Returns the call whose events the disk did not take.
    mutating func nothingRecorded() -> Call? {
        guard isLastNew else { return nil }
        isLastNew = false
        return calls.popLast()
    }

    private mutating func take(where isTaken: (Call) -> Bool) -> [Call] {
        let taken = calls.filter(isTaken)
        if !taken.isEmpty { calls.removeAll(where: isTaken) }
        return taken
    }
}
