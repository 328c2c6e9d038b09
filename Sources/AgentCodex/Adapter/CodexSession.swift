internal import HostCore
internal import RelayProtocol

/// One thread of Codex as people see it, over all connections to its server.
struct CodexSession {
    struct Call {
        var tool: String
        var order: Int
        /// Its turn was interrupted, and it runs on.
        var isLeft = false
        /// Pieces of its output that have come.
        var pieces = 0
    }

    struct Message {
        var id: String
        var text = ""
        /// Bytes of `text` that were streamed: whole lines only.
        var streamed = 0
    }

    /// Of a subagent's thread.
    struct Delegation {
        /// The session in which it is reported.
        var parent: SessionID
        var nickname: String?
        /// Text that it was spawned with.
        var task: String?
        /// Its start is reported, and its end is not.
        var isStarted = false
        /// Its tokens that are added to those of the parent, and the run that they are of.
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
    /// Nil for a session of its own.
    var delegation: Delegation?
    var workingDirectory: String?
    /// The model's shown name; Codex's own is among the settings.
    var model: String?
    /// On this connection.
    var settings = CodexThreadSettings()
    var title: String?
    var isEnded = false
    var status: SessionStatus?
    var statusReason: String?
    /// The turn that was last reported, and the items of it that were.
    private(set) var turn: String?
    private(set) var told: [String] = []
    /// Turns before that.
    private(set) var earlierTurns: [String] = []
    /// Time since which Codex has unloaded the thread, until it is loaded again or the session has ended.
    var unloadedAt: Int64?
    /// Turns were reverted, and that was not reported yet.
    var isReverted = false
    var calls: [String: Call] = [:]
    var messages: [Message] = []
    /// File changes by item: sent with the item, while the request for approval comes without them.
    private(set) var changes: [String: [UInt8]] = [:]
    /// Items whose changes, and the turn whose usage, were read for, once each: a conversation may be too long to be read as a whole.
    private var sought: Set<String> = []
    var todos: [UInt8] = []
    var usage = CodexUsage()
    /// The turn that runs.
    var activeTurn: String?
    /// Approval policy with which that turn began, and by which it asks until its end. Nil if it began before we joined.
    var turnPolicy: String?
    /// The freer policy that a held session was given last, and the monotonic time of it.
    var freed: (policy: String, at: Int64)?
    /// Approval policy before the hold, to be restored afterwards.
    var policyBefore: String?
    /// Codex said last that the thread is active.
    var isActive = false
    /// Codex said last that a person is asked, of whatever kind the question is.
    var isAsking = false
    /// Offer and standing that were last sent.
    var offer: SteeringOffer?
    var standing: SteeringStanding?
    /// Time since which Codex shows a dialog.
    var dialogSince: Int64?
    /// Kind of that dialog.
    var dialog = ApprovalKind.tool
    /// Time since which we do not watch the thread. Nil while we do.
    var lostAt: Int64?
    /// Monotonic time of its last message.
    var heardAt: Int64
    var hasNews = false
    private var callOrder = 0

    init(id: SessionID, thread: String, at now: Int64) {
        self.id = id
        self.thread = thread
        heardAt = now
    }

    /// Forgets the turn: what runs is unknown now.
    mutating func forgetTurn() {
        activeTurn = nil
        turnPolicy = nil
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

    /// Returns true the first time that the changes of an item, or the usage of a turn, are sought.
    mutating func seeks(_ name: String, countMax: Int) -> Bool {
        sought.count < countMax && changes[name] == nil && sought.insert(name).inserted
    }

    /// Returns false if the item was reported before.
    mutating func tell(_ item: String, countMax: Int) -> Bool {
        guard !told.contains(item) else { return false }
        told.append(item)
        if told.count > countMax { told.removeFirst() }
        hasNews = true
        return true
    }

    /// Returns false if the call has begun already.
    mutating func begin(call: String, tool: String, countMax: Int) -> Bool {
        guard calls[call] == nil, !told.contains(call) else { return false }
        callOrder += 1
        calls[call] = Call(tool: tool, order: callOrder)
        while calls.count > countMax, let oldest = calls.min(by: { $0.value.order < $1.value.order }) {
            calls[oldest.key] = nil
        }
        return true
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
