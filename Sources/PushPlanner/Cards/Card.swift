import RelayProtocol

/// A device's card of one session or of all, and the session's rings there. On disk as a record of kind `card`.
struct Card {
    var stage = CardStage.none(channel: nil)
    /// The name that ActivityKit gave the card.
    var id: CardID? {
        didSet {
            guard let oldValue, oldValue != id else { return }
            earlier = earlier.filter { $0 != oldValue && $0 != id }.suffix(PushPolicy.earlierCardsMax - 1) + [oldValue]
        }
    }
    /// Earlier cards of the same session, latest last: late reports about them must not be taken for this card's.
    private(set) var earlier: [CardID] = []
    /// The last card whose end the service accepted.
    var over: CardID?
    var tokenAt: Int64 = 0
    /// The state that the app reported last.
    var state = CardReport.State.active
    /// Start of the card, in milliseconds since 1970.
    var startedAt: Int64 = 0
    /// The timestamp of the last push, in seconds since 1970. Each is larger than the one before.
    var timestamp: Int64 = 0
    var sentAt: Int64 = 0
    var urgentAt: Int64 = 0
    /// Time of the last push about requests to the person.
    var waitingAt: Int64 = 0
    /// True if the last push showed that a request waits for the person.
    var showsAttention = false
    /// Digest of the state in the last push.
    var face: UInt64 = 0
    /// Consecutive failed pushes.
    var tries: Int64 = 0

    /// Approvals that were rung for and are still pending.
    var rung: Set<ApprovalID> = [] { didSet { hasOtherRung = true } }
    /// Time and number of each approval's rings.
    var rungAt: [ApprovalID: Rung] = [:] { didSet { hasOtherRung = true } }
    /// Time since which the agent has been working without a pause.
    var workBeganAt: Int64?
    /// The error that the device was alerted to, while it lasts.
    var errorRung: String?
    /// The session's count of calls answered by rules, as far as the device's notification includes them; nil if they are not
    /// counted.
    var ruleAnswers: Int64?

    // MARK: Not on disk: found again from what is

    /// The state that waits to be sent. Only the latest is kept.
    var mailbox: Mailbox?
    /// Time of the next attempt at a start that another card blocks.
    var putOffUntil: Int64?
    /// The push that is under way. The next one waits for its outcome.
    var inFlight: PushID?
    /// Phase at the last look, to distinguish a change of phase from a small change.
    var phase: Phase?
    /// Set while every request is decided but the status still says waiting: time by which the host should report its new status. 0
    /// otherwise.
    var passingUntil: Int64 = 0
    /// Approvals that are to ring, with the time.
    var rings: [ApprovalID: Int64] = [:]
    var seen: Set<ApprovalID> = []
    /// The approvals that rang differ from those that its book has at hand.
    var hasOtherRung = true

    struct Rung: Equatable {
        /// Time of the last ring, in milliseconds since 1970.
        var at: Int64
        var times: Int64
        /// True if the last ring was by the one notification that counts the requests not shown one by one.
        var isCounted = false

        /// Time of the next ring, in milliseconds since 1970; nil for none.
        func next(_ settings: PushSettings) -> Int64? { settings.reminder(afterRing: times, at: at) }
    }

    struct Phase: Equatable {
        var status: SessionStatus
        var waiting: Set<ApprovalID>
        var error: String?
        var budgetLevel: Int64

        /// True if a request waits for the person, here or at the terminal.
        var isAttention: Bool { !waiting.isEmpty || status.isWaiting }
    }

    struct Mailbox: Equatable {
        enum Urgency: Int, Comparable {
            /// Tools, to-dos, cost.
            case small
            case phase
            /// A request appeared or was settled, an error, or the end.
            case waiting

            static func < (left: Urgency, right: Urgency) -> Bool { left.rawValue < right.rawValue }
        }

        var urgency: Urgency
        /// Time of the push, in milliseconds since 1970.
        var dueAt: Int64
        /// Time of the first of these changes.
        var since: Int64
    }

    var token: String? { stage.token }
    var channel: String? { stage.channel }
    var isEndOwed: Bool { stage.isEndOwed }
    var canBePushed: Bool { stage.word == .active && isReachable }
    var isReachable: Bool { token != nil || channel != nil }

    /// True for a card that was started by push and is reached by its channel, but not yet reported by its app.
    var isReachedUnnamed: Bool { stage.word == .active && id == nil && channel != nil }

    /// True if the next card that the app reports must be this one.
    var isUnnamedListener: Bool { isReachedUnnamed || isEndOwed && id == nil && channel != nil }

    /// The card exists, and has not been sent anything.
    mutating func becomeActive() {
        stage.becomeActive()
        forgetShown()
    }

    /// Forgets the state shown, because the last push did not reach the card.
    mutating func forgetShown() {
        face = 0
        phase = nil
        showsAttention = false
        passingUntil = 0
        waitingAt = 0
    }

    /// True if a report brings an ended card back. Normally a late report changes nothing; but a card whose end could not be sent,
    /// for lack of a valid token, is still on the screen.
    func isRevived(by report: CardReport) -> Bool {
        token == nil && report.token != nil && (state == .active || state == .stale)
    }

    /// Shifts all times when the wall clock is set, so that intervals stay the same.
    mutating func move(by jump: Int64) {
        startedAt = startedAt.moved(by: jump)
        sentAt = sentAt.moved(by: jump)
        urgentAt = urgentAt.moved(by: jump)
        waitingAt = waitingAt.moved(by: jump)
        passingUntil = passingUntil.moved(by: jump)
        workBeganAt = workBeganAt?.moved(by: jump)
        if let mailbox {
            self.mailbox = Mailbox(urgency: mailbox.urgency, dueAt: mailbox.dueAt + jump, since: mailbox.since + jump)
        }
        rings = rings.mapValues { $0 + jump }
        for id in rungAt.keys { rungAt[id]!.at = rungAt[id]!.at.moved(by: jump) }
    }

    /// The clock may have been set while the relay was down: no past moment is in the future.
    mutating func limit(to now: Int64) {
        startedAt = min(startedAt, now)
        sentAt = min(sentAt, now)
        urgentAt = min(urgentAt, now)
        waitingAt = min(waitingAt, now)
        if let workBeganAt { self.workBeganAt = min(workBeganAt, now) }
        for id in rungAt.keys { rungAt[id]!.at = min(rungAt[id]!.at, now) }
    }

    /// True if it rang without a notification of its own.
    func isCounted(_ id: ApprovalID) -> Bool { rung.contains(id) && rungAt[id]?.isCounted == true }

    /// True if it rang by a notification of its own.
    func isShown(_ id: ApprovalID) -> Bool { rung.contains(id) && rungAt[id]?.isCounted != true }

    /// Records a ring, and the time of the next one if it is still pending then.
    mutating func rang(for id: ApprovalID, isCounted: Bool = false, at now: Int64, _ settings: PushSettings) {
        let rung = Rung(at: now, times: (rungAt[id]?.times ?? 0) + 1, isCounted: isCounted)
        self.rung.insert(id)
        rungAt[id] = rung
        rings[id] = rung.next(settings)
    }

    /// The last ring may not have arrived: the next one is at this time.
    mutating func ringAgain(for id: ApprovalID, at time: Int64) {
        rung.remove(id)
        rings[id] = time
        guard let times = rungAt[id]?.times else { return }
        if times > 1 { rungAt[id]?.times = times - 1 } else { rungAt[id] = nil }
    }

    /// Moves postponed rings forward: first rings to `soon` at the latest, reminders to `soon` or their own time, whichever is
    /// later.
    mutating func hastenRings(to soon: Int64, _ settings: PushSettings) {
        for (id, due) in rings {
            let reminder = rung.contains(id) ? rungAt[id].flatMap { $0.next(settings) } : nil
            rings[id] = reminder.map { max($0, soon) } ?? min(due, soon)
        }
    }

    init() {}

    /// A card that may have been known and forgotten: `timestamp` is at least that of the last push to it.
    init(after timestamp: Int64?) { self.timestamp = timestamp ?? 0 }

    init(stored value: JSONValue) throws(WireError) {
        stage = CardStage(
            try value.word("stage"), token: try value.optionalString("token"), channel: try value.optionalString("channel"),
            isEndOwed: try value.flag("endOwed"), isUnanswered: try value.flag("unanswered"))
        id = try value.optionalIdentifier("id")
        // Older records hold one.
        if let previous: CardID = try value.optionalIdentifier("previous") { earlier = [previous] }
        for entry in try value.optional("earlier")?.array() ?? [] { earlier.append(try entry.identifier()) }
        over = try value.optionalIdentifier("over")
        tokenAt = try value.integer("tokenAt")
        state = try value.word("state")
        startedAt = try value.integer("startedAt")
        timestamp = try value.integer("timestamp")
        sentAt = try value.integer("sentAt")
        urgentAt = try value.integer("urgentAt")
        waitingAt = try value.optionalInteger("waitingAt") ?? 0
        showsAttention = try value.flag("attention")
        face = UInt64(try value.string("face")) ?? 0
        tries = try value.integer("tries")
        for entry in try value.array("rung") { rung.insert(try entry.identifier()) }
        // Older records lack the times.
        for entry in try value.optional("rungAt")?.array() ?? [] {
            rungAt[try entry.object().identifier("approval")] = Rung(
                at: try entry.integer("at"), times: try entry.integer("times"), isCounted: try entry.flag("counted"))
        }
        workBeganAt = try value.optionalInteger("runBeganAt")
        errorRung = try value.optionalString("errorRung")
        ruleAnswers = try value.optionalInteger("ruleAnswers")
    }

    func bytes(of key: CardKey) -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("device", key.device.device)
            writer.field("session", key.session)
            writer.field("stage", stage.word.rawValue)
            writer.field("id", id)
            writer.strings("earlier", earlier.map(\.rawValue))
            writer.field("over", over)
            writer.field("token", token)
            writer.field("tokenAt", tokenAt)
            writer.field("channel", channel)
            writer.field("state", state.rawValue)
            writer.field("startedAt", startedAt)
            writer.field("timestamp", timestamp)
            writer.field("sentAt", sentAt)
            writer.field("urgentAt", urgentAt)
            writer.field("waitingAt", waitingAt)
            writer.flag("attention", showsAttention)
            writer.field("face", String(face))
            writer.field("tries", tries)
            writer.flag("endOwed", isEndOwed)
            writer.flag("unanswered", stage == .unanswered)
            writer.strings("rung", rung.map(\.rawValue).sorted())
            writer.array(
                "rungAt",
                rungAt.sorted { $0.key.rawValue < $1.key.rawValue }.map { id, rung in
                    JSONWriter.object {
                        $0.field("approval", id)
                        $0.field("at", rung.at)
                        $0.field("times", rung.times)
                        $0.flag("counted", rung.isCounted)
                    }
                })
            writer.field("runBeganAt", workBeganAt)
            writer.field("errorRung", errorRung)
            writer.field("ruleAnswers", ruleAnswers)
        }
    }
}

extension Int64 {
    /// The time shifted by `jump`. 0 stands for never and stays; other times stay after 1970.
    func moved(by jump: Int64) -> Int64 { self == 0 ? 0 : Swift.max(1, self + jump) }
}

/// FNV-1a, to distinguish states of a card. It need not resist attacks: a collision only suppresses a push.
func digest(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
}
