import RelayProtocol

/// The one notification that counts the approvals and questions beyond those that a device shows one by one.
struct Overflow: Equatable {
    /// Of the notification.
    static let name = "waiting"

    struct Count: Equatable {
        /// Those without a notification of their own.
        var more: Int64
        /// Everything that waits for the person.
        var all: Int64

        /// Some count is shown, and nobody knows which.
        static let unknown = Count(more: 0, all: 0)
    }

    /// As the last push says that was planned; nil: that nothing more waits.
    private(set) var told: Count?
    /// As the device shows it; nil: nothing, or that nothing more waits.
    private(set) var shown: Count?

    // MARK: Not on disk

    /// When the last was planned, and the last that rang; in milliseconds since 1970.
    private var toldAt: Int64 = 0
    private var rangAt: Int64 = 0
    /// When the next is.
    private(set) var dueAt: Int64?
    /// What has not rung waits for that.
    private(set) var isGathering = false
    /// Pushes that failed in a row, and until when the next waits for that.
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

    /// The count differs from what was told: a push about it waits a little for the rest of a burst, and for the floor between two.
    mutating func due(rings: Bool, at now: Int64) -> Int64 {
        let floor = rings ? rangAt + PushPolicy.attentionFloor : toldAt + PushPolicy.waitingFloor
        let due = max(now + PushPolicy.settle, floor, waitsUntil)
        let isSooner = dueAt.map { rings && !isGathering && due < $0 } ?? true
        if isSooner { dueAt = due }
        if rings { isGathering = true }
        return dueAt ?? due
    }

    /// A push that says this was planned.
    mutating func tell(_ count: Count, rings: Bool, at now: Int64) {
        told = count.more > 0 ? count : nil
        toldAt = now
        if rings { rangAt = now }
        rest()
    }

    /// This need not be told.
    mutating func spare(_ count: Count) {
        told = count.more > 0 ? count : nil
        shown = told
        rest()
    }

    /// Nothing is due.
    mutating func rest() { (dueAt, isGathering) = (nil, false) }

    /// The last push that was planned has its answer. Returns whether it failed.
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

    /// An earlier one than the last has its answer. Returns whether it failed.
    mutating func earlierAnswered(_ outcome: PushOutcome) -> Bool {
        if outcome.mayBeHeard { shown = .unknown }
        return outcome.isToRepeat
    }

    /// A push that waits for its next try is due.
    mutating func forgetFailures() { (tries, waitsUntil) = (0, 0) }

    /// The wall clock was set: what was so long ago still is.
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
