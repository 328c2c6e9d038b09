internal import HostCore
internal import RelayProtocol

/// One conversation, as the agent's updates report it.
struct ACPSession {
    let id: SessionID
    private let limits: ACPLimits
    private var speech: SpeechGatherer
    private var calls: ToolCalls
    private var plan: PlanReader
    private var usage: UsageReader
    private var title: String?
    /// Nil until an answer of the agent, or a prompt, has named the session; earlier events wait in `buffered`.
    private(set) var facts: SessionFacts?
    private var buffered: [Event] = []
    /// True while the agent repeats the past of a loaded session, which was reported when it happened.
    private var isReplaying = false
    private var isRunning = false
    /// The part of the reported status about calls that run on after their turn.
    private var background: String?

    init(id: SessionID, run: String, limits: ACPLimits) {
        self.id = id
        self.limits = limits
        speech = SpeechGatherer(limits: limits)
        calls = ToolCalls(limits: limits)
        plan = PlanReader(limits: limits)
        usage = UsageReader(run: run)
    }

    /// Content of an update about a tool call.
    struct CallNews {
        var told: [Told] = []
        var call: String?
        var input: [UInt8]?
        var began = false
        /// True if the update says that the call runs.
        var isRunning = false
        /// The call that this update ends.
        var over: (call: String, failed: Bool, hasRun: Bool, changedFiles: Bool)?
    }

    // MARK: Its life

    mutating func replayBegan() { isReplaying = facts == nil }

    mutating func began(_ facts: SessionFacts, at now: HostInstant) -> [Event] {
        isReplaying = false
        guard self.facts == nil else { return [] }
        self.facts = facts
        usage.agent(is: facts.agentName)
        usage.model = facts.model
        defer { buffered = [] }
        return [Event(.sessionStarted(facts), at: now.wall)] + buffered
    }

    mutating func prompted(_ text: String, at now: HostInstant) -> [Event] {
        isRunning = true
        background = nil
        let said = TextCut.trim(text).isEmpty ? nil : SpeechGatherer.told(.user, text, limits)
        return emit([said, Told(.statusChanged(.running, reason: nil))], at: now)
    }

    /// The prompt was answered; `failure` is set if the answer was an error.
    mutating func turnEnded(_ answer: JSONValue?, failure: String?, at now: HostInstant) -> [Event] {
        guard isRunning else { return [] }
        isRunning = false
        var told: [Told?] = [speech.finish()]
        let reason = answer?.text("stopReason").map { TextCut.line($0, bytesMax: WireLimits.nameBytesMax) }
        let isCut = failure != nil || reason == "cancelled"
        if !isCut { calls.leave() }
        told += calls.abandon("the turn ended without its result", all: isCut)
        told.append(answer?.optional("usage").flatMap { usage.take(answer: $0) })
        if let failure { told.append(Told(.error(message: TextCut.line(failure), recoverable: true))) }
        // The mere end of a turn is not news.
        background = calls.background
        told.append(Told(.statusChanged(.idle, reason: reason == "end_turn" ? background : reason)))
        return emit(told, at: now)
    }

    mutating func ended(reason: String?, failed: Bool, at now: HostInstant) -> [Event] {
        var told: [Told?] = [speech.finish()]
        told += calls.abandon("the agent is gone", all: true)
        told.append(Told(.sessionEnded(reason: reason.map { TextCut.line($0) }, failed: failed)))
        defer { facts = nil }
        return emit(told, at: now)
    }

    // MARK: What it tells

    /// Handles `session/update`.
    mutating func updated(
        _ params: JSONValue, isExact: Bool, at now: HostInstant
    ) -> (events: [Event], of: CallNews) {
        guard !isReplaying, let update = params.optional("update") else { return ([], CallNews()) }
        var told: [Told?] = []
        var news = CallNews()
        switch update.text("sessionUpdate") {
        case "agent_message_chunk": told = [chunk(update, .assistant)]
        case "agent_thought_chunk": told = [chunk(update, .thought)]
        case "tool_call", "tool_call_update":
            told = [speech.finish()]
            let starts = update.text("sessionUpdate") == "tool_call"
            news = calls.take(update, isExact: isExact, startsCalls: starts, at: now.monotonic)
            told += news.told
            if background != nil, background != calls.background {
                background = calls.background
                told.append(Told(.statusChanged(.idle, reason: background)))
            }
        case "plan": told = [speech.finish(), plan.take(update)]
        case "usage_update": told = [usage.take(update: update)]
        case "session_info_update": told = [renamed(update)]
        // The person's own words are known from the prompt; the rest concerns the editor's menus.
        default: break
        }
        let meta = params.optional("_meta")?.optional("field_meta")
        told.append(meta?.optional("openhands.dev/metrics").flatMap { usage.take(metrics: $0) })
        // Set also in a turn that was not reported, as its prompt was cut short before the agent showed that it took it.
        if told.contains(where: { $0 != nil }) { isRunning = true }
        return (emit(told, at: now), news)
    }

    /// New output of the running calls; empty if the session has not been reported.
    mutating func takePrinted() -> [(call: String, text: String)] { facts == nil ? [] : calls.takePrinted() }

    mutating func showed(_ text: String, terminal: String) { calls.showed(text, terminal: terminal) }

    /// Emits the message so far, so that it comes before the question.
    mutating func paused(at now: HostInstant) -> [Event] { emit([speech.finish()], at: now) }

    mutating func uses(_ model: String) { usage.model = model }

    mutating func asked(about calls: Set<String>, with input: CallInput?) { self.calls.asked(about: calls, with: input) }

    mutating func missedSome() { calls.missedSome() }

    func call(_ id: String) -> ToolCall? { calls.call(id) }

    func calls(named id: String?, with input: CallInput?, besides claimed: Set<String>, orAll: Bool) -> [ToolCall] {
        calls.calls(named: id, with: input, besides: claimed, orAll: orAll)
    }

    func hasCall(with input: CallInput?, besides claimed: Set<String>) -> Bool {
        !calls.calls(with: input, besides: claimed).isEmpty
    }

    private mutating func chunk(_ update: JSONValue, _ role: MessageRole) -> Told? {
        guard let content = update.optional("content"), content.text("type") == "text", let text = content.text("text") else {
            return nil
        }
        return speech.take(role, update.text("messageId"), text)
    }

    private mutating func renamed(_ update: JSONValue) -> Told? {
        guard let next = update.text("title").map({ TextCut.line($0) }), !next.isEmpty, next != title else { return nil }
        title = next
        return Told(.sessionRenamed(title: next))
    }

    private mutating func emit(_ told: [Told?], at now: HostInstant) -> [Event] {
        let events = told.compactMap { $0?.event(at: now.wall) }
        guard facts == nil else { return events }
        buffered += events
        if buffered.count > limits.bufferedEventsMax { buffered.removeFirst(buffered.count - limits.bufferedEventsMax) }
        return []
    }
}
