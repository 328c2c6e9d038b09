internal import HostCore
internal import RelayProtocol

/// Programs that reported sessions which the relay may not have as this host's: they are answered when it has, or has refused the name. Which name a
/// program takes is its own choice, so another host of the workspace may have it.
struct NameChecks {
    /// A request of events that has been taken in, except what its sessions' names cost.
    struct Call {
        let token: HookToken
        /// By its events, in order: the program's own names, and the sessions that they are here.
        let sessions: [(name: String, id: SessionID)]
        fileprivate var open: Set<SessionID>
        /// Names that another host has.
        fileprivate(set) var refused: Set<String> = []
        fileprivate let due: Int64

        var takenCount: Int { sessions.count { !refused.contains($0.name) } }
    }

    /// A relay that is there answers within a commit or two. Without an answer the events wait on disk, as if it were away.
    private static let patience = Duration.seconds(2)

    /// As many as may be live at once.
    private static let unconfirmedMax = LocalLimits().sessionsMax

    /// Sessions that began in this life of the daemon and of which the relay has said nothing.
    private(set) var unconfirmed: Set<SessionID> = []
    private var calls: [Call] = []
    /// The last one came with the fact at hand: the disk may not have taken its events.
    private var isLastNew = false

    var nextDeadline: Int64? { calls.map(\.due).min() }

    mutating func factCame() { isLastNew = false }

    mutating func began(_ session: SessionID) {
        // Of so many the relay would have said something, had it been there: nobody waits for these any more.
        if unconfirmed.count >= Self.unconfirmedMax { unconfirmed = [] }
        unconfirmed.insert(session)
    }

    /// Nil: there is nothing to wait for.
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

    /// Returns those that have waited long enough.
    mutating func timerFired(at now: Int64) -> [Call] { take { $0.due <= now } }

    /// The relay is away: nobody waits for it.
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
