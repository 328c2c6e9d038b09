package import HostCore
package import RelayProtocol

/// What the adapter knows of one Claude Code conversation.
package struct ClaudeSession {
    /// A tool call that began and did not end yet.
    struct Call {
        var id: String
        var tool: String
        var agent: String?
        /// The digest of the exact input.
        var digest: InputDigest
        /// What a subagent is started for, and of which type.
        var delegated: (name: String, type: String?)? = nil
        var order: Int
    }

    /// An assistant message that is still being written.
    struct Message {
        var id: String
        var text = ""
        /// Bytes of `text` that were streamed: whole lines only.
        var streamed = 0
        var agent: String?
        /// The piece that comes next, and those that overtook it: their hooks race.
        var next: Int64 = 0
        var early: [Int64: (text: String, isFinal: Bool)] = [:]
        /// When what is missing is waited for no more.
        var due: Int64?
    }

    /// A tool's start that is told once the text before it has come, or what its end brought, which is told after that.
    struct Deferred {
        var event: Event
        var call: String
        var agent: String?
        var isEnd = false
        /// All tools of its message are over: the next text is that message's, or the next one's.
        var isBatchOver = false
        var due: Int64
    }

    /// Known by its start, or before it by the end of its call: hooks race.
    struct Subagent {
        var type: String?
        /// What it was started for.
        var name: String?
        /// What started it.
        var call: String?
        var isStarted = false
        /// No call that it could be of had been heard of when it started.
        var awaitsCall = false
    }

    /// A client wants its turn to end.
    struct Interrupt {
        var name: SteeringName
        /// Who, for the agent.
        var by: String
        var until: Int64
        /// A hook has told the agent to stop.
        var isTold = false
    }

    /// Written to the socket where it takes messages of other sessions.
    struct PeerPrompt {
        var name: SteeringName
        var text: String
        var until: Int64
        /// It is there. A prompt that was taken before is an older one.
        var isWritten = false
        /// Somebody prompted it since, or has to let the message in at the terminal: an equal prompt may be that person's.
        var isDoubtful = false
    }

    enum Fork {
        /// Nothing was asked of it yet: what it costs is what it inherited.
        case fresh
        case prompted
    }

    package let id: SessionID
    package internal(set) var process: AgentProcess?
    /// Others that have the same conversation open, as far as is known: the newest has it, and those before it go on when that leaves.
    var earlier: [AgentProcess] = []
    var paths: ShownPaths
    /// `<config>/tasks/<session_id>`, where Claude keeps its task list.
    var tasksDirectory: String?
    /// Where Claude writes what it did; nil until a hook says so.
    var transcript: String?
    var hasTitle = false
    /// Title that a person has given the session at the terminal.
    var givenTitle: String?
    /// A person wants to be asked before every tool.
    package internal(set) var asksAll = false
    package internal(set) var isEnded = false
    /// By the clock that never jumps: when it ended, and whether its process was gone then. Nil where an earlier life has seen it.
    var end: (at: Int64, isProcessGone: Bool)?
    /// Somebody can answer where it runs; nil until a hook says so.
    var attended: Bool?
    var isAttended: Bool { attended == true }
    var interrupt: Interrupt?
    /// When the program that runs it was last handed a client's interrupt, by the clock that never jumps.
    var interruptHandedAt: Int64?
    /// Its registry says where it takes messages of other sessions.
    var hasPeerSocket = false
    /// It asks nobody for anything, as its last hook said.
    var isLawless = false
    var peerPrompt: PeerPrompt?
    /// Those that were written and did not show: such a prompt may be an old one that was let in late.
    private(set) var unshownPeerTexts: [String] = []
    /// By its hooks it is `heliograph run` that runs it.
    var isRun = false
    /// The same, when it has said what can be done to it.
    var program: SteeredProgram?
    /// The agent that it runs.
    var programAgent: AgentProcess?
    /// The run of it that ended with the session, until when it is taken to be leaving.
    var leaver: (run: ProgramRun, until: Int64)?
    /// What was last said of it.
    package internal(set) var status: SessionStatus?
    var statusReason: String?
    /// By the clock that never jumps: when a hook, or we, last said so.
    var statusAt: Int64 = .min
    /// The interruption with which its transcript was last seen to end.
    var interruption: String?
    /// When one of its questions was last asked, answered or settled.
    var cardAt: Int64 = .min
    var evidence = ClaudeEvidence()
    /// Background work at the end of its last turn.
    var background = ClaudeBackground()
    var calls: [String: Call] = [:]
    /// Told already, newest last: a call can end twice, by itself and with its batch.
    private(set) var finishedCalls: [String] = []
    var messages: [Message] = []
    var deferred: [Deferred] = []
    /// What an earlier life deferred.
    private(set) var deferredBefore: [Event] = []
    /// Those agents, nil for the main one, whose text before their next tools has come.
    var announced: Set<String?> = []
    /// By their ids.
    var subagents: [String: Subagent] = [:]
    var todos: [UInt8] = []
    var usage = ClaudeUsage()
    /// What it was copied from, which has paid for its beginning, is not known yet.
    var fork: Fork?
    /// How much of the transcript was looked through for what was used, and the last message there.
    var transcriptRead = 0
    var lastMessage: String?
    /// When it was last looked through, by the clock that never jumps.
    var countedAt: Int64?
    /// Requests were made since then.
    var hasUncounted = false
    /// The same of subagents' own.
    var subagentReads: [String: (bytes: Int, message: String?)] = [:]
    var lastUse = 0
    private var callOrder = 0

    /// Its own name at Claude, which is the last part of the directory of its tasks.
    var registryName: String? { tasksDirectory.map(ShownPaths.last) }

    /// `<config>/sessions/<pid>.json`, next to the tasks.
    var registryFile: String? {
        guard let process, let tasksDirectory else { return nil }
        let parts = tasksDirectory.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast(2).joined(separator: "/") + "/sessions/\(process.id).json"
    }

    init(id: SessionID, home: String) {
        self.id = id
        paths = ShownPaths(home: home)
    }

    mutating func begin(_ call: String, tool: String, _ digest: InputDigest, agent: String?, countMax: Int) {
        callOrder += 1
        calls[call] = Call(id: call, tool: tool, agent: agent, digest: digest, order: callOrder)
        while calls.count > countMax, let oldest = calls.values.min(by: { $0.order < $1.order }) { calls[oldest.id] = nil }
    }

    /// Whether its end is news. A call that began before this daemon did ends all the same.
    mutating func finish(_ call: String, countMax: Int) -> Bool {
        calls[call] = nil
        guard !finishedCalls.contains(call) else { return false }
        finishedCalls.append(call)
        if finishedCalls.count > countMax { finishedCalls.removeFirst() }
        return true
    }

    /// Nobody knows what has become of it.
    mutating func giveUpPeerPrompt(countMax: Int) {
        guard let sent = peerPrompt else { return }
        peerPrompt = nil
        unshownPeerTexts.append(sent.text)
        if unshownPeerTexts.count > countMax { unshownPeerTexts.removeFirst() }
    }

    /// Whether this prompt may be one that did not show in time; it has now.
    mutating func isLatePeerText(_ prompt: String) -> Bool {
        guard let place = unshownPeerTexts.firstIndex(of: prompt) else { return false }
        unshownPeerTexts.remove(at: place)
        return true
    }

    /// All tools of that agent's last message are over.
    mutating func batchOver(of agent: String?) {
        for place in deferred.indices where deferred[place].agent == agent { deferred[place].isBatchOver = true }
    }

    /// The newest open call with exactly this input: what a permission request, which names no call, is about.
    func call(_ digest: InputDigest, agent: String?, except taken: Set<String>) -> String? {
        calls.values.filter { $0.digest == digest && $0.agent == agent && !taken.contains($0.id) }
            .max { $0.order < $1.order }?.id
    }

    /// The open calls that a subagent of this type may be of. A start does not say which: with several there is no telling.
    func delegations(of type: String?) -> [Call] {
        calls.values.filter { call in call.delegated.map { $0.type == nil || $0.type == type } ?? false }
    }

    /// Whether text of that agent is on its way, as far as is known: most tools have some before them.
    func awaitsText(_ agent: String?) -> Bool { !announced.contains(agent) || messages.contains { $0.agent == agent } }

    /// Whether that run belongs to an end of the session that was, whatever it still says.
    func hasLeft(_ run: ProgramRun?, at now: HostInstant) -> Bool {
        guard let run, let leaver, now.monotonic < leaver.until else { return false }
        return run == leaver.run || run.isOlder(than: leaver.run)
    }

    /// A hook that was late is no sign that it goes on: its process has gone, or has only just ended it.
    func isLate(_ hook: AgentProcess?, within wait: Duration, at now: HostInstant) -> Bool {
        guard isEnded, let end, let process, hook == process else { return false }
        return end.isProcessGone || now.monotonic - end.at < wait.milliseconds
    }

    // MARK: In more than one terminal

    /// Terminals that a person has one conversation open in; each is looked at for its end.
    static let earlierMax = 8

    /// A newer process has it open as well, or instead.
    mutating func takeUp(by process: AgentProcess) {
        earlier.removeAll { $0 == process }
        if let before = self.process, before != process, !isEnded { earlier.append(before) }
        if earlier.count > Self.earlierMax { earlier.removeFirst() }
        self.process = process
    }

    /// Gives the session back to an earlier process. Returns false if there is none.
    mutating func handBack() -> Bool {
        guard let before = earlier.popLast() else { return false }
        process = before
        evidence = ClaudeEvidence()
        return true
    }

    // MARK: Over a restart

    var note: [UInt8] {
        JSONWriter.object {
            $0.field("pid", process.map { Int64($0.id) })
            // Ticks do not fit a JSON number for ever.
            $0.field("started", process.map { String($0.startedAt) })
            if !earlier.isEmpty {
                let processes = earlier.map { process in
                    JSONWriter.object {
                        $0.field("pid", Int64(process.id))
                        $0.field("started", String(process.startedAt))
                    }
                }
                $0.array("earlier", processes)
            }
            $0.field("cwd", paths.workingDirectory)
            $0.field("tasks", tasksDirectory)
            $0.flag("title", hasTitle)
            $0.field("name", givenTitle)
            $0.flag("ended", isEnded)
            $0.flag("asksAll", asksAll)
            $0.flag("attended", isAttended)
            $0.flag("run", isRun)
            $0.flag("lawless", isLawless)
            if !deferred.isEmpty { $0.array("held", deferred.map(\.event.bytes)) }
            $0.field("transcript", transcript)
            $0.flag("fork", fork != nil)
            $0.field("read", Int64(transcriptRead))
            $0.field("message", lastMessage)
            usage.write(to: &$0)
        }
    }

    init?(id: SessionID, home: String, note: [UInt8]) {
        guard let value = try? JSONDocument(parsing: note).root.object() else { return nil }
        self.init(id: id, home: home)
        process = Self.process(value)
        earlier = value.list("earlier").prefix(Self.earlierMax).compactMap(Self.process)
        paths.workingDirectory = value.text("cwd")
        tasksDirectory = value.text("tasks")
        hasTitle = value.isTrue("title")
        givenTitle = value.text("name")
        isEnded = value.isTrue("ended")
        asksAll = value.isTrue("asksAll")
        attended = value.isTrue("attended") ? true : nil
        isRun = value.isTrue("run")
        isLawless = value.isTrue("lawless")
        deferredBefore = value.list("held").compactMap { try? Event(stored: Array($0.bytes)) }
        transcript = value.text("transcript")
        fork = value.isTrue("fork") ? .prompted : nil
        transcriptRead = Int(value.whole("read") ?? 0)
        lastMessage = value.text("message")
        usage = ClaudeUsage(from: value)
    }

    private static func process(_ value: JSONValue) -> AgentProcess? {
        value.whole("pid").flatMap { Int32(exactly: $0) }.map {
            AgentProcess(id: $0, startedAt: value.text("started").flatMap(UInt64.init) ?? 0)
        }
    }
}
