internal import HostCore
internal import RelayProtocol

/// The permissions and forms that clients are asked about, from the question to its outcome.
struct PermissionBook {
    /// A question that is open at the editor and at the clients. The first answer makes it *owed* (from a client) or ends it (at
    /// the editor).
    struct Open {
        let question: ACPQuestion
        /// The calls to which it applies.
        var calls: Set<String>
        /// Input of its call if the agent has not reported that call yet.
        var awaited: CallInput?
        /// Set while a permission for all calls waits for more calls to begin.
        var gathering: Gathering?
    }

    /// A permission for all reported calls that the agent may still make. Nobody may allow what they were not shown, so clients are
    /// asked only when no other call has begun for a while.
    struct Gathering {
        let session: SessionID
        let request: PermissionRequest
        /// Monotonic time in milliseconds.
        let askedAt: Int64
        /// Time at which the last call began; nil while none is open.
        var lastCallAt: Int64?
    }

    /// A permission that a client has answered; the agent's reaction is still to come.
    private struct Answered {
        let session: SessionID
        let approval: ApprovalID
        var calls: Set<String>
        var awaited: CallInput?
        let isAllowed: Bool
        let isForm: Bool
    }

    private let limits: ACPLimits
    /// Open permissions by the agent's identifier of the request.
    private var open: [[UInt8]: Open] = [:]
    /// Permissions that clients are not asked about yet, by the agent's identifier of the request.
    private var gathering: [[UInt8]: Gathering] = [:]
    /// Requests that were answered from here; the editor's own answer to each is dropped when it comes.
    private var owed: [[UInt8]] = []
    private var answered: [Answered] = []
    /// Permissions that only clients can decide, because the editor's answer did not count. They are also in `open` or `gathering`.
    private var leftToClients: [[UInt8]: SessionID] = [:]

    init(limits: ACPLimits) { self.limits = limits }

    func hasRoom(for id: [UInt8]) -> Bool {
        // The editor's late answer to another question of this name could be taken for the answer to this one.
        open.count + gathering.count < limits.questionsMax && open[id] == nil && gathering[id] == nil && !owed.contains(id)
    }

    mutating func begin(
        _ id: [UInt8], _ question: ACPQuestion, calls: Set<String>, awaiting input: CallInput? = nil,
        gathering: Gathering? = nil
    ) {
        open[id] = Open(question: question, calls: calls, awaited: input, gathering: gathering)
    }

    /// True if a permission of the session waits until the agent reports its call.
    func awaitsCall(in session: SessionID) -> Bool {
        open.values.contains { $0.question.session == session && $0.awaited != nil }
            || answered.contains { $0.session == session && $0.awaited != nil }
    }

    /// Handles a newly reported call. The only permission that awaits a call with this input is for it; if there are several, none
    /// is known to be.
    mutating func met(_ call: String, with input: CallInput, in session: SessionID) {
        guard !claimed(in: session).contains(call) else { return }
        let asked = open.filter { $0.value.question.session == session && $0.value.awaited == input }.map(\.key)
        let given = answered.indices.filter { answered[$0].session == session && answered[$0].awaited == input }
        let isOne = asked.count + given.count == 1
        for id in asked {
            open[id]?.awaited = nil
            if isOne { open[id]?.calls = [call] }
        }
        for place in given {
            answered[place].awaited = nil
            if isOne { answered[place].calls = [call] }
        }
    }

    /// Calls that have a permission.
    func claimed(in session: SessionID) -> Set<String> {
        let asked = open.values.filter { $0.question.session == session }.map(\.calls)
        return (asked + answered.filter { $0.session == session }.map(\.calls)).reduce(into: []) { $0.formUnion($1) }
    }

    // MARK: For all calls

    mutating func gather(_ id: [UInt8], _ permission: Gathering) { gathering[id] = permission }

    /// Ends and returns the questions that were asked without this call; they are gathered once more.
    mutating func callBegan(in session: SessionID, at now: HostInstant) -> [(id: [UInt8], open: Open)] {
        let asked = inOrder { $0.gathering?.session == session }
        for (id, question) in asked {
            open[id] = nil
            gathering[id] = question.gathering
        }
        for id in gathering.keys where gathering[id]?.session == session { gathering[id]?.lastCallAt = now.monotonic }
        return asked
    }

    var nextDeadline: Int64? { gathering.values.map(deadline).min() }

    mutating func takeGathered(at now: HostInstant) -> [(id: [UInt8], permission: Gathering)] {
        let due = gathering.filter { deadline($0.value) <= now.monotonic }
            .sorted {
                let (left, right) = ($0.value.askedAt, $1.value.askedAt)
                return left == right ? $0.key.lexicographicallyPrecedes($1.key) : left < right
            }
        for (id, _) in due { gathering[id] = nil }
        return due.map { (id: $0.key, permission: $0.value) }
    }

    /// Removes and returns permissions about which clients will not be asked.
    mutating func takeUngathered() -> [[UInt8]] {
        defer { gathering = [:] }
        return gathering.keys.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private func deadline(_ permission: Gathering) -> Int64 {
        permission.lastCallAt.map { max($0, permission.askedAt) + limits.gatherMilliseconds }
            ?? permission.askedAt + limits.firstCallMilliseconds
    }

    // MARK: Answers and ends

    /// Handles the editor's answer. Returns whether it came too late, and which question it ends.
    mutating func answeredByEditor(_ id: [UInt8]) -> (isLate: Bool, ended: Open?) {
        if let place = owed.firstIndex(of: id) {
            owed.remove(at: place)
            return (true, nil)
        }
        gathering[id] = nil
        leftToClients[id] = nil
        return (false, open.removeValue(forKey: id))
    }

    /// Ignores the editor's answer and leaves the decision to clients. Returns false if they are not asked.
    mutating func leavesToClients(_ id: [UInt8]) -> Bool {
        guard let session = open[id]?.question.session ?? gathering[id]?.session else { return false }
        leftToClients[id] = session
        return true
    }

    /// Returns true if the editor's answer to this did not count, so that it gets no other.
    mutating func takeLeftToClients(_ id: [UInt8]) -> Bool { leftToClients.removeValue(forKey: id) != nil }

    /// Removes and returns such permissions of a session, or all.
    mutating func takeLeftToClients(of session: SessionID? = nil) -> [[UInt8]] {
        let ids = leftToClients.filter { session == nil || $0.value == session }.keys
        for id in ids { leftToClients[id] = nil }
        return ids.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Records the client's answer; nil if the question is not open. The choice is `none` if the agent offered no such answer.
    mutating func decide(
        _ approval: ApprovalID, _ verdict: ACPVerdict
    ) -> (id: [UInt8], open: Open, choice: PermissionChoice, isAtEditor: Bool)? {
        guard let (id, entry) = open.first(where: { $0.value.question.approval == approval }) else { return nil }
        let choice = PermissionChoice(verdict, for: entry.question)
        open[id] = nil
        let isAtEditor = leftToClients[id] == nil
        guard choice != .none else { return (id, entry, choice, isAtEditor) }
        owe(id)
        let isAllowed =
            switch choice {
            case .option(let id): entry.question.options.contains { $0.id == id && $0.kind.hasPrefix("allow_") }
            case .filledIn: true
            case .cancelled, .declined, .dismissed, .none: false
            }
        answered.append(
            Answered(
                session: entry.question.session, approval: approval, calls: entry.calls, awaited: entry.awaited,
                isAllowed: isAllowed, isForm: entry.question.isForm))
        return (id, entry, choice, isAtEditor)
    }

    /// Removes the oldest answered permissions above the limit, for which no evidence is awaited any more.
    mutating func excess() -> [(SessionID, ApprovalID)] {
        let count = answered.count - limits.evidenceMax
        guard count > 0 else { return [] }
        defer { answered.removeFirst(count) }
        return answered.prefix(count).map { ($0.session, $0.approval) }
    }

    /// Removes a question that no client decides, so that only the editor does.
    mutating func release(_ approval: ApprovalID) -> Open? {
        guard let id = open.first(where: { $0.value.question.approval == approval })?.key else { return nil }
        return open.removeValue(forKey: id)
    }

    /// Handles the agent's withdrawal of its question.
    mutating func takenBack(_ id: [UInt8]) -> Open? {
        gathering[id] = nil
        leftToClients[id] = nil
        return open.removeValue(forKey: id)
    }

    /// Ends the open questions of a session, or all. `isAnswered`: we answer them, so that the editor's own answers are dropped.
    mutating func end(of session: SessionID?, isAnswered: Bool) -> [(id: [UInt8], open: Open)] {
        let ended = inOrder { session == nil || $0.question.session == session }
        for (id, _) in ended {
            open[id] = nil
            if isAnswered { owe(id) }
        }
        gathering = gathering.filter { session != nil && $0.value.session != session }
        return ended
    }

    /// Matching permissions, in an order that does not depend on a dictionary's.
    private func inOrder(_ isMeant: (Open) -> Bool) -> [(id: [UInt8], open: Open)] {
        open.filter { isMeant($0.value) }
            .sorted { $0.value.question.approval.rawValue < $1.value.question.approval.rawValue }
            .map { (id: $0.key, open: $0.value) }
    }

    /// Removes and returns the answered permissions of this call alone, about which its agent asks again: what the call does next
    /// shows the outcome of the newer answer.
    mutating func askedAgain(about call: String, in session: SessionID) -> [ApprovalID] {
        let earlier = answered.filter { $0.session == session && !$0.isForm && $0.calls == [call] }.map(\.approval)
        answered.removeAll { earlier.contains($0.approval) }
        return earlier
    }

    /// Handles the end of a call, which shows the outcome of the answer to its permission. `hasRun`: false if the call ended before
    /// its agent said that it runs.
    mutating func shown(_ call: String, failed: Bool, hasRun: Bool, in session: SessionID) -> (ApprovalID, ACPOutcome)? {
        guard let place = answered.firstIndex(where: { $0.session == session && $0.calls.contains(call) }) else { return nil }
        let entry = answered.remove(at: place)
        // The agent's own guard may have stopped what was allowed.
        if failed, !hasRun, entry.isAllowed, !entry.isForm { return (entry.approval, .unknown) }
        // After its form was declined a call continues as after it was filled in.
        return (entry.approval, (failed || entry.isForm) && !entry.isAllowed ? .refused : .ran)
    }

    /// Handles an agent's word that the call runs, which after an allow shows that the answer applied.
    mutating func began(_ call: String, in session: SessionID) -> ApprovalID? {
        let place = answered.firstIndex {
            $0.session == session && $0.isAllowed && !$0.isForm && $0.calls.contains(call)
        }
        return place.map { answered.remove(at: $0).approval }
    }

    /// Removes and returns the answered permissions of a turn or an agent that has ended without evidence about them.
    mutating func unproven(in session: SessionID?) -> [(SessionID, ApprovalID)] {
        let gone = answered.filter { session == nil || $0.session == session }
        answered.removeAll { session == nil || $0.session == session }
        return gone.map { ($0.session, $0.approval) }
    }

    /// Records that we answered the question: the editor's own answer is dropped when it comes.
    mutating func owe(_ id: [UInt8]) {
        guard leftToClients.removeValue(forKey: id) == nil else { return }
        owed.append(id)
        if owed.count > limits.lateAnswersMax { owed.removeFirst() }
    }
}
