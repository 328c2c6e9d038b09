internal import HostCore
internal import RelayProtocol

/// One thread of Codex as people see it, over all connections to its server.
struct CodexSession {
    struct Call {
        var tool: String
        var order: Int
        /// True if its turn is over and it still runs.
        var isLeft = false
        /// Number of pieces of its output so far.
        var pieces = 0
    }

    struct Message {
        var id: String
        var text = ""
        /// Bytes of `text` that were streamed; only whole lines are.
        var streamed = 0
    }

    /// Facts about a subagent's thread.
    struct Delegation {
        /// The session in which the subagent is reported.
        var parent: SessionID
        var nickname: String?
        /// The text with which the subagent was spawned.
        var task: String?
        /// True if the subagent's start was reported, and its end was not.
        var isStarted = false
        /// The subagent's tokens that were added to those of the parent, and the run to which they belong.
        var counted = Tokens()
        var countedRun: String?

        init(parent: SessionID) { self.parent = parent }

        var name: String? {
            let words = [nickname, task].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ": ")
            return words.isEmpty ? nil : TextCut.line(words, bytesMax: WireLimits.nameBytesMax)
        }

        func moved(to parent: SessionID) -> Delegation {
            var moved = self
            moved.parent = parent
            return moved
        }
    }

    let id: SessionID
    let thread: String
    /// Facts about a subagent; nil for a separate session.
    var delegation: Delegation?
    var workingDirectory: String?
    /// The model's display name; Codex's own name is among the settings.
    var model: String?
    /// The thread's settings on this connection.
    var settings = CodexThreadSettings()
    var title: String?
    var isEnded = false
    var status: SessionStatus?
    var statusReason: String?
    /// Times that the agent typed into a command that runs.
    var typedCount = 0
    /// Reason for which Codex asks its model again.
    var retryReason: String?
    /// The last reported turn, and its reported items.
    private(set) var turn: String?
    private(set) var told: [String] = []
    /// Earlier reported turns.
    private(set) var earlierTurns: [String] = []
    /// Time since which Codex has unloaded the thread, until it is loaded again or the session has ended.
    var unloadedAt: Int64?
    /// True if turns were reverted and that was not reported yet.
    var isReverted = false
    /// The last turn, empty for none, after a revert that was reported before Codex's own message about it.
    var revertedTo: String?
    var calls: [String: Call] = [:]
    /// True if Codex has listed, on this connection, the commands that run on after their turns.
    var areTerminalsKnown = false
    var messages: [Message] = []
    /// File changes by item. They are sent with the item; the request for approval lacks them.
    private(set) var changes: [String: [UInt8]] = [:]
    /// Items whose changes, and turns whose usage, were looked for, once each: a conversation may be too long to read as a whole.
    private var sought: Set<String> = []
    var todos: [UInt8] = []
    var usage = CodexUsage()
    var activeTurn: String?
    /// Approval policy with which that turn began, and which it keeps to its end. Nil if it began before we joined.
    var turnPolicy: String?
    /// The last turn that is a review.
    var review: String?
    /// The freer policy that a held session last got, and the monotonic time of that.
    var freed: (policy: String, at: Int64)?
    /// Approval policy before the hold, to be restored afterwards.
    var policyBefore: String?
    /// True if Codex last reported the thread as active.
    var isActive = false
    /// True if Codex last reported an open question of any kind.
    var isAsking = false
    /// Offer and standing that were last sent.
    var offer: SteeringOffer?
    var standing: SteeringStanding?
    /// Time since which Codex shows a dialog.
    var dialogSince: Int64?
    /// Kind of that dialog.
    var dialog = ApprovalKind.tool
    /// Time since which we do not watch the thread; nil while we do.
    var lostAt: Int64?
    /// Monotonic time of the thread's last message.
    var heardAt: Int64
    var hasNews = false
    private var callOrder = 0

    init(id: SessionID, thread: String, at now: Int64) {
        self.id = id
        self.thread = thread
        heardAt = now
    }

    /// Forgets the turn, because it is unknown now what runs.
    mutating func forgetTurn() {
        activeTurn = nil
        turnPolicy = nil
        areTerminalsKnown = false
        isActive = false
        isAsking = false
    }

    mutating func begin(_ turn: String, countMax: Int) {
        guard self.turn != turn else { return }
        if let before = self.turn { earlierTurns = (earlierTurns + [before]).suffix(countMax) }
        self.turn = turn
        told = []
        sought = []
        hasNews = true
    }

    /// Returns true the first time that the changes of an item, or the usage of a turn, are looked for.
    mutating func seeks(_ name: String, countMax: Int) -> Bool {
        sought.count < countMax && changes[name] == nil && sought.insert(name).inserted
    }

    /// Marks an item as reported. Returns false if it was already.
    mutating func tell(_ item: String, countMax: Int) -> Bool {
        guard !told.contains(item) else { return false }
        told.append(item)
        if told.count > countMax { told.removeFirst() }
        hasNews = true
        return true
    }

    /// Records the start of a call. Returns false if it has begun already.
    mutating func begin(call: String, tool: String, countMax: Int) -> Bool {
        guard calls[call] == nil, !told.contains(call) else { return false }
        callOrder += 1
        calls[call] = Call(tool: tool, order: callOrder)
        while calls.count > countMax, let oldest = calls.min(by: { $0.value.order < $1.value.order }) {
            calls[oldest.key] = nil
        }
        return true
    }

    /// For people, the commands that run on after their turn; nil if there are none.
    var background: String? { BackgroundWords.of((leftCalls.count, "a command", "commands")) }

    private var leftCalls: [String] { calls.filter(\.value.isLeft).keys.sorted() }

    /// Records a command that runs on after its turn.
    mutating func leave(_ call: String, countMax: Int) {
        hasNews = true
        if calls[call] == nil, !begin(call: call, tool: CodexTool.command, countMax: countMax) { return }
        calls[call]?.isLeft = true
    }

    mutating func wants(_ changes: [UInt8]?, of item: String, bytesMax: Int) {
        self.changes[item] = changes
        while self.changes.values.reduce(0, { $0 + $1.count }) > bytesMax, let first = self.changes.keys.min() {
            self.changes[first] = nil
        }
        hasNews = true
    }

    mutating func takeMessage(_ item: String) -> Message? {
        messages.firstIndex { $0.id == item }.map { messages.remove(at: $0) }
    }

    // MARK: Over a restart

    var note: [UInt8] {
        JSONWriter.object { writer in
            writer.field("thread", thread)
            writer.field("cwd", workingDirectory)
            writer.field("model", model)
            writer.field("title", title)
            writer.flag("ended", isEnded)
            writer.field("policyBefore", policyBefore)
            writer.field("turn", turn)
            writer.strings("told", told)
            writer.strings("turns", earlierTurns)
            writer.strings("left", leftCalls)
            writer.object("changes") {
                for (item, bytes) in changes.sorted(by: { $0.key < $1.key }) { $0.raw(dynamic: item, bytes) }
            }
            usage.write(to: &writer)
            delegation?.write(to: &writer)
        }
    }

    init?(id: SessionID, note: [UInt8], at now: Int64) {
        guard let value = try? JSONDocument(parsing: note).root.object(), let thread = value.text("thread") else { return nil }
        self.init(id: id, thread: thread, at: now)
        workingDirectory = value.text("cwd")
        model = value.text("model")
        title = value.text("title")
        isEnded = value.isTrue("ended")
        policyBefore = value.text("policyBefore")
        turn = value.text("turn")
        told = value.list("told").compactMap { try? $0.string() }
        earlierTurns = value.list("turns").compactMap { try? $0.string() }
        for member in (try? value.optional("changes")?.members()) ?? [] { changes[member.key] = Array(member.value.bytes) }
        for call in value.list("left").compactMap({ try? $0.string() }) { leave(call, countMax: .max) }
        usage = CodexUsage(from: value)
        delegation = Delegation(from: value)
        lostAt = now
    }
}

extension CodexSession.Delegation {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.field("parent", parent)
        writer.field("nickname", nickname)
        writer.field("task", task)
        writer.flag("agentStarted", isStarted)
        writer.array("agentTokens", counted.note)
        writer.field("agentRun", countedRun)
    }

    fileprivate init?(from value: JSONValue) {
        guard let parent = value.text("parent").flatMap({ SessionID($0) }) else { return nil }
        self.init(parent: parent)
        nickname = value.text("nickname")
        task = value.text("task")
        isStarted = value.isTrue("agentStarted")
        counted = Tokens(note: value.list("agentTokens"))
        countedRun = value.text("agentRun")
    }
}
