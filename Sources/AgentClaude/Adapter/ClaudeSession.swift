package import HostCore
package import RelayProtocol

/// State of one Claude Code conversation.
package struct ClaudeSession {
    /// A tool call that began and has not ended yet.
    struct Call {
        var id: String
        var tool: String
        var agent: String?
        /// The digest of the exact input.
        var digest: InputDigest
        /// The command, path or address of the input; nil if it has none.
        var object: String?
        /// Monotonic time at which a person was asked for it.
        var askedAt: Int64?
        /// Task and type of the subagent that the call starts.
        var delegated: (name: String, type: String?)? = nil
        var order: Int
    }

    /// An assistant message that is still being written.
    struct Message {
        var id: String
        var text = ""
        /// Bytes of `text` that were streamed; only whole lines are.
        var streamed = 0
        var agent: String?
        /// Index of the next piece, and the pieces that arrived before it, because their hooks race.
        var next: Int64 = 0
        var early: [Int64: (text: String, isFinal: Bool)] = [:]
        /// Time at which we stop waiting for missing pieces.
        var due: Int64?
    }

    /// A tool's start that waits for the text before it, or an event of its end, which is reported after the start.
    struct Deferred {
        var event: Event
        var call: String
        var agent: String?
        /// True if all tools of its message have ended: the next text is that message's, or the next one's.
        var isBatchOver = false
        var due: Int64
    }

    /// A subagent, known from its start, or earlier from the end of its call, as hooks race.
    struct Subagent {
        var type: String?
        /// The task for which the subagent was started.
        var name: String?
        /// Call that started the subagent.
        var call: String?
        var isStarted = false
        /// True if no known call could have started the subagent at its start.
        var awaitsCall = false
    }

    /// A client's request to end the turn.
    struct Interrupt {
        var name: SteeringName
        /// Name of the person who interrupts, shown to the agent.
        var by: String
        var until: Int64
        /// True if a hook has told the agent to stop.
        var isTold = false
    }

    /// A client's prompt, to be sent to the socket on which the agent receives messages of other sessions.
    struct PeerPrompt {
        var name: SteeringName
        var text: String
        var until: Int64
        /// True once the message was written. A prompt that was taken before is another.
        var isWritten = false
        /// Claude Code's name for the prompt, once a hook has reported it; its line in the transcript is still to come.
        var prompt: String?
        /// True if a person has prompted the agent since, or has to let the message in at the terminal: an equal prompt may be that
        /// person's.
        var isDoubtful = false
    }

    enum Fork {
        /// No prompt yet: the whole cost is inherited.
        case fresh
        case prompted
    }

    package let id: SessionID
    package internal(set) var process: AgentProcess?
    /// Other processes that have the same conversation open, as far as is known. The newest one has the session; earlier ones
    /// continue it when that leaves.
    var earlier: [AgentProcess] = []
    var paths: ShownPaths
    /// The folder in which Claude keeps the session's task list, `<config>/tasks/<session_id>`.
    var tasksDirectory: String?
    /// The agent's directory at the last hook; nil since a restart.
    var currentDirectory: String?
    /// Path of Claude's transcript; nil until a hook reports it.
    var transcript: String?
    var checkout: Checkout?
    var hasTitle = false
    /// Title that a person has given the session at the terminal.
    var givenTitle: String?
    /// True if a person wants to be asked before every tool.
    package internal(set) var asksAll = false
    package internal(set) var isEnded = false
    /// Time of the session's end on the monotonic clock, and whether its process was gone then. Nil if an earlier daemon has seen
    /// the end.
    var end: (at: Int64, isProcessGone: Bool)?
    /// True if a person can answer at its terminal; nil until a hook reports it.
    var attended: Bool?
    var isAttended: Bool { attended == true }
    var interrupt: Interrupt?
    /// Monotonic time at which a client's interrupt was last given to the program that runs the agent.
    var interruptHandedAt: Int64?
    /// True if the registry names a socket on which the agent receives messages of other sessions.
    var hasPeerSocket = false
    /// True if the agent runs in the mode that never asks, by its last hook.
    var isLawless = false
    var peerPrompt: PeerPrompt?
    /// Prompts that were written and did not show. An equal prompt may be one of them that was let in late.
    private(set) var unshownPeerTexts: [String] = []
    /// True if this turn has reported that tools are refused because nobody can be asked.
    var hasRefusedUnasked = false
    /// True if no hook reports the session: only the registry has, or settings have stopped the hooks.
    var isUnheard = false
    /// True if a program has answered one of its questions, such as a hook of the person's own: not every tool is asked for.
    var answersItself = false
    /// True if the settings in force before one of its tools had a PermissionRequest hook besides ours, which can answer.
    var mayAnswerItself = false
    /// True if `heliograph run` runs the session, by its hooks.
    var isRun = false
    /// The `heliograph run` of the session, once it has made an offer.
    var program: SteeredProgram?
    /// The agent's process under that program.
    var programAgent: AgentProcess?
    /// The program's run that ended with the session, and the time until which it may still be leaving.
    var leaver: (run: ProgramRun, until: Int64)?
    /// Status that was last reported.
    package internal(set) var status: SessionStatus?
    var statusReason: String?
    /// Monotonic time at which a hook, or we, last reported the status.
    var statusAt: Int64 = .min
    /// The interruption found at the end of the transcript at the last look.
    var interruption: String?
    /// Monotonic time at which one of its questions was last asked, answered or settled.
    var cardAt: Int64 = .min
    var evidence = ClaudeEvidence()
    /// Background work at the end of the session's last turn.
    var background = ClaudeBackground()
    var calls: [String: Call] = [:]
    /// Calls whose end was reported, newest last: an end can be reported twice, by the call and by its batch.
    private(set) var finishedCalls: [String] = []
    var messages: [Message] = []
    var deferred: [Deferred] = []
    /// The last prompt, until the transcript shows the place from which it continues.
    var awaited: ClaudeAdapter.AwaitedPrompt?
    /// Prompts by their names, until the transcript shows what became of them.
    var submitted: [String: ClaudeAdapter.SubmittedPrompt] = [:]
    /// Events that an earlier daemon deferred.
    private(set) var deferredBefore: [Event] = []
    /// Agents, nil for the main one, for which the text before their next tools has arrived.
    var announced: Set<String?> = []
    /// Subagents by their ids.
    var subagents: [String: Subagent] = [:]
    /// Subagents that have reported their end, by their ids, while it is looked for if another hook has sent them on.
    var rested: [String: ClaudeAdapter.RestedSubagent] = [:]
    var todos: [UInt8] = []
    private(set) var usages = ClaudeUsages()
    var usage: ClaudeUsage {
        get { usages.present }
        set { usages.present = newValue }
    }
    /// Set while the conversation from which this one was copied is unknown; that one has paid for its beginning.
    var fork: Fork?
    /// Bytes of the transcript that were searched for usage, and the last message in them.
    var transcriptRead = 0
    /// Bytes of the transcript in which totals are taken, or were written before its processes took it up.
    var totalsRead = 0
    var lastMessage: String?
    /// Monotonic time of that search.
    var countedAt: Int64?
    /// Transcripts that are read again for late lines, with the time of that.
    var lateReads: [ClaudeTranscriptRequest: Int64] = [:]
    /// The same two facts for subagents' own transcripts.
    var subagentReads: [String: (bytes: Int, message: String?)] = [:]
    var lastUse = 0
    private var callOrder = 0

    /// Claude's own name of the session, the last part of the directory of its tasks.
    var registryName: String? { tasksDirectory.map(ShownPaths.last) }

    /// The session's registry file, `<config>/sessions/<pid>.json`, next to the tasks.
    var registryFile: String? {
        guard let process, let tasksDirectory else { return nil }
        let parts = tasksDirectory.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast(2).joined(separator: "/") + "/sessions/\(process.id).json"
    }

    init(id: SessionID, home: String) {
        self.id = id
        paths = ShownPaths(home: home)
    }

    mutating func begin(
        _ call: String, tool: String, _ digest: InputDigest, object: String?, agent: String?, countMax: Int
    ) {
        callOrder += 1
        calls[call] = Call(id: call, tool: tool, agent: agent, digest: digest, object: object, order: callOrder)
        while calls.count > countMax, let oldest = calls.values.min(by: { $0.order < $1.order }) { calls[oldest.id] = nil }
    }

    /// Records a call's end. Returns true if it is news. A call that began before this daemon did ends as well.
    mutating func finish(_ call: String, countMax: Int) -> Bool {
        calls[call] = nil
        guard !finishedCalls.contains(call) else { return false }
        finishedCalls.append(call)
        if finishedCalls.count > countMax { finishedCalls.removeFirst() }
        return true
    }

    /// Gives up waiting for the prompt to show; its outcome is unknown.
    mutating func giveUpPeerPrompt(countMax: Int) {
        guard let sent = peerPrompt else { return }
        peerPrompt = nil
        unshownPeerTexts.append(sent.text)
        if unshownPeerTexts.count > countMax { unshownPeerTexts.removeFirst() }
    }

    /// Returns true if this prompt may be one that did not show in time, which is then forgotten.
    mutating func isLatePeerText(_ prompt: String) -> Bool {
        guard let place = unshownPeerTexts.firstIndex(of: prompt) else { return false }
        unshownPeerTexts.remove(at: place)
        return true
    }

    /// Records that all tools of that agent's last message have ended.
    mutating func batchOver(of agent: String?) {
        for place in deferred.indices where deferred[place].agent == agent { deferred[place].isBatchOver = true }
    }

    /// The newest open call with exactly this input, which is the call of a permission request that names none.
    func call(_ digest: InputDigest, agent: String?, except taken: Set<String>) -> String? {
        calls.values.filter { $0.digest == digest && $0.agent == agent && !taken.contains($0.id) }
            .max { $0.order < $1.order }?.id
    }

    /// Open calls to which a subagent of this type may belong. A start does not say which, so several are ambiguous.
    func delegations(of type: String?) -> [Call] {
        calls.values.filter { call in call.delegated.map { $0.type == nil || $0.type == type } ?? false }
    }

    /// True if a text of that agent is expected before its next tools, as most tools have one.
    func awaitsText(_ agent: String?) -> Bool { !announced.contains(agent) || messages.contains { $0.agent == agent } }

    /// True if that run ended with the session earlier, whatever it still reports.
    func hasLeft(_ run: ProgramRun?, at now: HostInstant) -> Bool {
        guard let run, let leaver, now.monotonic < leaver.until else { return false }
        return run == leaver.run || run.isOlder(than: leaver.run)
    }

    /// True if a hook is late and does not mean that the session continues: its process is gone, or has only just ended the
    /// session.
    func isLate(_ hook: AgentProcess?, within wait: Duration, at now: HostInstant) -> Bool {
        guard isEnded, let end, let process, hook == process else { return false }
        return end.isProcessGone || now.monotonic - end.at < wait.milliseconds
    }

    mutating func bringUsage(of process: AgentProcess) { usages.bring(process) }

    /// Forgets the usage of processes that have left; one of the last may still draw its status line.
    mutating func forgetUsages() { if earlier.isEmpty { usages.forgetAllButLast() } }

    // MARK: In more than one terminal

    /// Started subagents that are read from a note.
    private static let subagentsKeptMax = 256
    /// Most terminals in which one conversation is open; each is checked for its end.
    static let earlierMax = 8

    /// Handles a newer process that has the session open as well, or instead.
    mutating func takeUp(by process: AgentProcess) {
        earlier.removeAll { $0 == process }
        if let before = self.process, before != process, !isEnded { earlier.append(before) }
        if earlier.count > Self.earlierMax { earlier.removeFirst() }
        self.process = process
    }

    /// Returns the session to an earlier process. False if there is none.
    mutating func handBack() -> Bool {
        guard let before = earlier.popLast() else { return false }
        process = before
        evidence = ClaudeEvidence()
        return true
    }

    // MARK: Over a restart

    var note: [UInt8] {
        JSONWriter.object {
            process?.write(to: &$0)
            if !earlier.isEmpty {
                $0.array("earlier", earlier.map { process in JSONWriter.object { process.write(to: &$0) } })
            }
            $0.field("cwd", paths.workingDirectory)
            $0.field("tasks", tasksDirectory)
            $0.flag("title", hasTitle)
            $0.field("name", givenTitle)
            $0.flag("ended", isEnded)
            $0.flag("asksAll", asksAll)
            $0.flag("attended", isAttended)
            $0.flag("unheard", isUnheard)
            $0.flag("answersItself", answersItself)
            $0.flag("run", isRun)
            $0.flag("lawless", isLawless)
            let held = (awaited?.events.map(\.bytes) ?? []) + deferred.map(\.event.bytes)
            if !held.isEmpty { $0.array("held", held) }
            let started = subagents.filter { $0.value.isStarted }.sorted { $0.key < $1.key }
            if !started.isEmpty {
                $0.array(
                    "subagents",
                    started.map { id, subagent in
                        JSONWriter.object {
                            $0.field("id", id)
                            $0.field("name", subagent.name)
                            $0.field("type", subagent.type)
                        }
                    })
            }
            $0.field("transcript", transcript)
            $0.flag("fork", fork != nil)
            $0.field("read", Int64(transcriptRead))
            $0.field("totals", Int64(totalsRead))
            $0.field("message", lastMessage)
            usages.write(to: &$0)
        }
    }

    init?(id: SessionID, home: String, note: [UInt8]) {
        guard let value = try? JSONDocument(parsing: note).root.object() else { return nil }
        self.init(id: id, home: home)
        process = AgentProcess(from: value)
        earlier = value.list("earlier").prefix(Self.earlierMax).compactMap { AgentProcess(from: $0) }
        paths.workingDirectory = value.text("cwd")
        tasksDirectory = value.text("tasks")
        hasTitle = value.isTrue("title")
        givenTitle = value.text("name")
        isEnded = value.isTrue("ended")
        asksAll = value.isTrue("asksAll")
        attended = value.isTrue("attended") ? true : nil
        isUnheard = value.isTrue("unheard")
        answersItself = value.isTrue("answersItself")
        isRun = value.isTrue("run")
        isLawless = value.isTrue("lawless")
        deferredBefore = value.list("held").compactMap { try? Event(stored: Array($0.bytes)) }
        for one in value.list("subagents").prefix(Self.subagentsKeptMax) {
            guard let id = one.text("id") else { continue }
            subagents[id] = Subagent(type: one.text("type"), name: one.text("name"), isStarted: true)
        }
        transcript = value.text("transcript")
        fork = value.isTrue("fork") ? .prompted : nil
        transcriptRead = Int(value.whole("read") ?? 0)
        lastMessage = value.text("message")
        totalsRead = Int(value.whole("totals") ?? 0)
        usages = ClaudeUsages(from: value, by: process)
    }
}
