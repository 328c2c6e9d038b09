import RelayProtocol

/// The one notification that counts the approvals and questions beyond those that a device shows one by one.
struct Overflow: Equatable {
    /// Name of the notification.
    static let name = "waiting"

    struct Count: Equatable {
        /// Approvals and questions without a notification of their own.
        var more: Int64
        /// All approvals and questions that wait for the person.
        var all: Int64

        /// Stands for a shown count that is not known.
        static let unknown = Count(more: 0, all: 0)
    }

    /// The count of the last planned push; nil if that said that nothing more waits.
    private(set) var told: Count?
    /// The count that the device shows; nil if it shows none, or that nothing more waits.
    private(set) var shown: Count?

    // MARK: Not on disk

    /// Time of the last planned push, and of the last that rang, in milliseconds since 1970.
    private var toldAt: Int64 = 0
    private var rangAt: Int64 = 0
    /// Time of the next push, in milliseconds since 1970.
    private(set) var dueAt: Int64?
    /// True if requests that have not rung wait for `dueAt`.
    private(set) var isGathering = false
    /// Consecutive failed pushes, and the time until which the next one waits.
    private var tries: Int64 = 0
    private var waitsUntil: Int64 = 0

    init() {}

    init(stored value: JSONValue) throws(WireError) {
        if let told = value.optional("waitingTold") { self.told = try Count(stored: told.object()) }
        if let shown = value.optional("waitingShown") { self.shown = try Count(stored: shown.object()) }
    }

    func write(to writer: inout JSONWriter) {
        if let told { writer.object("waitingTold") { told.write(to: &$0) } }
        if let shown { writer.object("waitingShown") { shown.write(to: &$0) } }
    }

    /// The time at which a push about a changed count is due: it waits a little for the rest of a burst, and for the minimum
    /// interval between two.
    mutating func due(rings: Bool, at now: Int64) -> Int64 {
        let floor = rings ? rangAt + PushPolicy.attentionFloor : toldAt + PushPolicy.waitingFloor
        let due = max(now + PushPolicy.settle, floor, waitsUntil)
        let isSooner = dueAt.map { rings && !isGathering && due < $0 } ?? true
        if isSooner { dueAt = due }
        if rings { isGathering = true }
        return dueAt ?? due
    }

    /// A push with this count was planned.
    mutating func tell(_ count: Count, rings: Bool, at now: Int64) {
        told = count.more > 0 ? count : nil
        toldAt = now
        if rings { rangAt = now }
        rest()
    }

    /// Records the count as shown, without a push.
    mutating func spare(_ count: Count) {
        told = count.more > 0 ? count : nil
        shown = told
        rest()
    }

    /// Cancels what is due.
    mutating func rest() { (dueAt, isGathering) = (nil, false) }

    /// Handles the outcome of the last planned push. Returns true if it failed.
    mutating func answered(_ outcome: PushOutcome, isWithdrawn: Bool, at now: Int64) -> Bool {
        if isWithdrawn, !outcome.mayBeHeard {
            told = shown
            return false
        }
        guard outcome.isToRepeat else {
            shown = told
            forgetFailures()
            return false
        }
        if outcome.mayBeHeard { shown = .unknown }
        told = shown
        tries += 1
        waitsUntil = now + PushPolicy.wait(afterTries: tries)
        rest()
        return true
    }

    /// Handles the outcome of an earlier push than the last. Returns whether it failed.
    mutating func earlierAnswered(_ outcome: PushOutcome) -> Bool {
        if outcome.mayBeHeard { shown = .unknown }
        return outcome.isToRepeat
    }

    /// Makes a push that waits for its next attempt due now.
    mutating func forgetFailures() { (tries, waitsUntil) = (0, 0) }

    /// Shifts all times when the wall clock is set, so that intervals stay the same.
    mutating func move(by jump: Int64) {
        toldAt = toldAt.moved(by: jump)
        rangAt = rangAt.moved(by: jump)
        waitsUntil = waitsUntil.moved(by: jump)
        dueAt = dueAt?.moved(by: jump)
    }
}

extension Overflow.Count {
    fileprivate init(stored value: JSONValue) throws(WireError) {
        self.init(more: try value.integer("more"), all: try value.integer("all"))
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.field("more", more)
        writer.field("all", all)
    }
}
