import RelayProtocol

/// A device's display and alerts of a session: its card, and the rings for it. On disk as a record of kind `card`.
struct Card {
    var stage = CardStage.none(channel: nil)
    /// The name that ActivityKit gave the card.
    var id: CardID? {
        didSet {
            guard let oldValue, oldValue != id else { return }
            earlier = earlier.filter { $0 != oldValue && $0 != id }.suffix(PushPolicy.earlierCardsMax - 1) + [oldValue]
        }
    }
    /// Earlier cards of the same place, the latest last: late reports about them are not about this card.
    private(set) var earlier: [CardID] = []
    /// The last of which the service took the end.
    var over: CardID?
    var tokenAt: Int64 = 0
    /// The app's last report of it.
    var state = CardReport.State.active
    /// Milliseconds since 1970.
    var startedAt: Int64 = 0
    /// The timestamp of the last push, in seconds since 1970. Each is larger than the one before.
    var timestamp: Int64 = 0
    var sentAt: Int64 = 0
    var urgentAt: Int64 = 0
    /// When what waits for the person was last sent.
    var waitingAt: Int64 = 0
    /// The last push says that the person is waited for.
    var showsAttention = false
    /// Digest of the state that was sent last.
    var face: UInt64 = 0
    /// Pushes that failed in a row.
    var tries: Int64 = 0

    /// Approvals that were rung for and are still pending.
    var rung: Set<ApprovalID> = [] { didSet { hasOtherRung = true } }
    /// When each last rang, and how often.
    var rungAt: [ApprovalID: Rung] = [:] { didSet { hasOtherRung = true } }
    /// Since when the agent has been working without a pause.
    var workBeganAt: Int64?
    /// The error that was rung for, while it lasts.
    var errorRung: String?
    /// Of the session, as far as the device's notification has counted them; nil: none are to be counted.
    var ruleAnswers: Int64?

    // MARK: Not on disk: found again from what is

    /// The state that waits to be sent: latest wins.
    var mailbox: Mailbox?
    /// When a start is tried again that another card is in the way of.
    var putOffUntil: Int64?
    /// The push that is under way. The next waits for its answer.
    var inFlight: PushID?
    /// Phase at the last look, to tell a change of phase from a small one.
    var phase: Phase?
    /// Everything is decided though the status still says that the person is waited for: the host has until then to say how it goes on. 0: not so.
    var passingUntil: Int64 = 0
    /// Approvals to ring for, and when.
    var rings: [ApprovalID: Int64] = [:]
    var seen: Set<ApprovalID> = []
    /// What rang differs from what its book has at hand.
    var hasOtherRung = true

    struct Rung: Equatable {
        /// The last time, in milliseconds since 1970.
        var at: Int64
        var times: Int64
        /// The last time by the one notification that counts all that a device does not show one by one.
        var isCounted = false

        /// When the next is due, in milliseconds since 1970; nil: never.
        func next(_ settings: PushSettings) -> Int64? { settings.reminder(afterRing: times, at: at) }
    }

    struct Phase: Equatable {
        var status: SessionStatus
        var waiting: Set<ApprovalID>
        var error: String?
        var budgetLevel: Int64

        /// The person is waited for: by something that is asked here, or at the terminal.
        var isAttention: Bool { !waiting.isEmpty || status.isWaiting }
    }

    struct Mailbox: Equatable {
        enum Urgency: Int, Comparable {
            /// Tools, todos, cost.
            case small
            case phase
            /// The person is waited for, or no longer; an error; the end.
            case waiting

            static func < (left: Urgency, right: Urgency) -> Bool { left.rawValue < right.rawValue }
        }

        var urgency: Urgency
        /// Milliseconds since 1970.
        var dueAt: Int64
        /// When the first of these changes came.
        var since: Int64
    }

    var token: String? { stage.token }
    var channel: String? { stage.channel }
    var isEndOwed: Bool { stage.isEndOwed }
    var canBePushed: Bool { stage.word == .active && isReachable }
    var isReachable: Bool { token != nil || channel != nil }

    /// Started by push, and reached by its channel, though its app has not told of it.
    var isReachedUnnamed: Bool { stage.word == .active && id == nil && channel != nil }

    /// True if the next card that the app reports must be this one.
    var isUnnamedListener: Bool { isReachedUnnamed || isEndOwed && id == nil && channel != nil }

    /// The card exists, and has been sent nothing yet.
    mutating func becomeActive() {
        stage.becomeActive()
        forgetShown()
    }

    /// The last state did not reach it.
    mutating func forgetShown() {
        face = 0
        phase = nil
        showsAttention = false
        passingUntil = 0
        waitingAt = 0
    }

    /// An app may tell once more of a card that was ended: it stays so. But one that nobody could end, because there was no token
    /// or the service knew it no longer, is on the screen still.
    func isRevived(by report: CardReport) -> Bool {
        token == nil && report.token != nil && (state == .active || state == .stale)
    }

    /// The wall clock was set: what was so long ago still is.
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

    /// It rang, and has no notification of its own.
    func isCounted(_ id: ApprovalID) -> Bool { rung.contains(id) && rungAt[id]?.isCounted == true }

    /// It rang by a notification of its own.
    func isShown(_ id: ApprovalID) -> Bool { rung.contains(id) && rungAt[id]?.isCounted != true }

    /// Notes a ring, and when the next is due should this still be asked then.
    mutating func rang(for id: ApprovalID, isCounted: Bool = false, at now: Int64, _ settings: PushSettings) {
        let rung = Rung(at: now, times: (rungAt[id]?.times ?? 0) + 1, isCounted: isCounted)
        self.rung.insert(id)
        rungAt[id] = rung
        rings[id] = rung.next(settings)
    }

    /// The last ring may be unheard: the next is at this time.
    mutating func ringAgain(for id: ApprovalID, at time: Int64) {
        rung.remove(id)
        rings[id] = time
        guard let times = rungAt[id]?.times else { return }
        if times > 1 { rungAt[id]?.times = times - 1 } else { rungAt[id] = nil }
    }

    /// Whatever was put off rings as soon as it may: what has not rung by this time, and the rest when that was meant to be.
    mutating func hastenRings(to soon: Int64, _ settings: PushSettings) {
        for (id, due) in rings {
            let reminder = rung.contains(id) ? rungAt[id].flatMap { $0.next(settings) } : nil
            rings[id] = reminder.map { max($0, soon) } ?? min(due, soon)
        }
    }

    init() {}

    /// One that may have been forgotten: `timestamp` is at least that of the last push to it.
    init(after timestamp: Int64?) { self.timestamp = timestamp ?? 0 }

    init(stored value: JSONValue) throws(WireError) {
        stage = CardStage(
            try value.word("stage"), token: try value.optionalString("token"), channel: try value.optionalString("channel"),
            isEndOwed: try value.flag("endOwed"), isUnanswered: try value.flag("unanswered"))
        id = try value.optionalIdentifier("id")
        // Records of before hold one.
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
        // Records of before do not say when.
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
    /// A time that lies `jump` later; never before 1970, where 0 is: never.
    func moved(by jump: Int64) -> Int64 { self == 0 ? 0 : Swift.max(1, self + jump) }
}

/// FNV-1a: tells one state of a card from another; nobody gains by making two alike.
func digest(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
}
