internal import HostCore
internal import RelayProtocol

/// The turn in one session, which the editor or a client has. The agent takes one prompt at a time and refuses a second one,
/// so the second one waits here.
///
/// ```
/// free ─editor's prompt─▶ editor's turn ─answer─▶ free
///      └─ours──────────▶ our turn ──────answer─▶ the editor's prompts that were queued, then free
/// ```
struct SessionTurns {
    /// Our prompt, from its sending to its answer.
    struct Own {
        let id: [UInt8]
        let name: SteeringName
        /// The prompt as the person wrote it, and as it is sent to the agent.
        let text: String
        let sent: String
        /// Monotonic time in milliseconds.
        let givenAt: Int64
        var cancelledAt: Int64?
        var isTaken = false
    }

    /// A prompt of the editor that the agent has not received yet.
    struct Queued {
        let id: [UInt8]
        let line: [UInt8]
    }

    /// A change of mode or model that we requested.
    struct Setting {
        let id: [UInt8]
        let name: SteeringName
        let value: String
        let isModel: Bool
        let isByOption: Bool
    }

    struct Question {
        let id: [UInt8]
        /// Answer that dismisses the question; nil if we do not know its answers.
        let dismissal: PermissionChoice?
        /// Monotonic time in milliseconds.
        let askedAt: Int64
        /// Ids of the options that reject.
        private let refusals: [String]
        /// The answer that refuses a permission once.
        let refusal: PermissionChoice

        init(id: [UInt8], method: String, _ params: JSONValue?, at now: HostInstant) {
            self.id = id
            dismissal =
                switch method {
                case "session/request_permission": .cancelled
                case FormRequest.method: .dismissed
                default: nil
                }
            askedAt = now.monotonic
            let options = params?.list("options") ?? []
            refusals = options.filter { $0.text("kind")?.hasPrefix("reject_") == true }.compactMap { $0.text("optionId") }
            let once = options.first { $0.text("kind") == "reject_once" }?.text("optionId")
            refusal = once.map { .option($0) } ?? .cancelled
        }

        /// True of an answer to a permission that chooses anything but a no.
        func isAllowed(by result: JSONValue?) -> Bool {
            guard dismissal == .cancelled, let outcome = result?.optional("outcome"), outcome.text("outcome") == "selected"
            else {
                return false
            }
            return outcome.text("optionId").map { !refusals.contains($0) } ?? true
        }
    }

    struct Interrupt {
        let name: SteeringName
        /// True if the agent's question was cancelled and it has done nothing since, so that the turn cannot have ended by itself.
        var closedQuestion: Bool
    }

    /// Evidence in an update that the agent has taken our prompt.
    enum Evidence { case none, echo, work }

    /// True once the agent has answered the request that opened the session.
    private(set) var isOpen = false
    var modes = SessionModes()
    private(set) var own: Own?
    private(set) var queued: [Queued] = []
    private(set) var settings: [Setting] = []
    private(set) var interrupts: [Interrupt] = []
    /// The agent's unanswered questions to the editor.
    private(set) var questions: [Question] = []
    /// The editor's prompts that the agent has received and not answered.
    private var prompts: [[UInt8]] = []
    /// The editor's unanswered requests to load the session, during which the agent repeats its past.
    private var loads: [[UInt8]] = []
    /// True if a line of the editor was not read, which may have been a prompt for this session.
    private var isInDoubt = false
    /// Monotonic time in milliseconds until which late messages of a turn that was cut short may come; until then, messages are no
    /// evidence of the next prompt.
    private var lateWordsUntil: Int64?
    /// True if the agent has been seen working outside any turn, so that its work is no evidence of a prompt.
    private var worksAlone = false
    /// True if the session is held because a budget is spent.
    var isHeld = false
    var asking = AskingEvidence()

    var standing: SteeringStanding {
        if !questions.isEmpty { return .waiting }
        return hasTurn || isInDoubt || !loads.isEmpty || !queued.isEmpty ? .busy : .idle
    }

    var hasTurn: Bool { own != nil || !prompts.isEmpty }

    // MARK: The editor

    mutating func opened(_ result: JSONValue?) {
        isOpen = true
        if let result { modes.opened(result) }
    }

    mutating func prompted(_ id: [UInt8], countMax: Int) {
        prompts.append(id)
        if prompts.count > countMax {
            prompts.removeFirst()
            isInDoubt = true
        }
    }

    mutating func loading(_ id: [UInt8]) { loads = loads.suffix(1) + [id] }

    mutating func queue(_ id: [UInt8], _ line: [UInt8]) { queued.append(Queued(id: id, line: line)) }

    mutating func missedSome() { isInDoubt = true }

    /// Removes and returns a prompt that the editor cancels before the agent has it; all of them without an identifier.
    mutating func takeQueued(_ id: [UInt8]? = nil) -> [Queued] {
        defer { queued.removeAll { id == nil || $0.id == id } }
        return queued.filter { id == nil || $0.id == id }
    }

    // MARK: From clients

    mutating func begin(_ own: Own) { self.own = own }
    mutating func interrupting(_ interrupt: Interrupt) { interrupts.append(interrupt) }
    mutating func setting(_ setting: Setting) { settings.append(setting) }
    mutating func taken() { own?.isTaken = true }

    mutating func cancelling(at now: HostInstant) {
        if own?.cancelledAt == nil { own?.cancelledAt = now.monotonic }
    }

    mutating func dropOwn() { own = nil }

    /// True if the agent has not shown our prompt, or not ended it, for so long that nobody should wait for its answer.
    func isOwnLost(at now: HostInstant, after wait: Duration) -> Bool {
        guard let own, let since = own.cancelledAt ?? (own.isTaken ? nil : own.givenAt) else { return false }
        return now.monotonic - since > wait.milliseconds
    }

    // MARK: The agent

    mutating func asked(_ question: Question, countMax: Int) {
        closed(question: question.id)
        questions.append(question)
        if questions.count > countMax { questions.removeFirst() }
    }

    mutating func closed(question id: [UInt8]) { questions.removeAll { $0.id == id } }

    /// Evidence of our prompt in an update. `echoes`: the agent is known to show each prompt when it takes it, so that nothing less
    /// is evidence.
    func evidence(in update: JSONValue, echoes: Bool, at now: HostInstant) -> Evidence {
        guard let own, !own.isTaken, loads.isEmpty else { return .none }
        switch update.text("sessionUpdate") {
        case "user_message_chunk":
            let text = update.optional("content")?.text("text")
            return text.map { LiteralPrompt.isSame($0, as: own.sent) } == true ? .echo : .none
        case let kind: return Self.isWork(kind) && !mayBeLate(at: now) ? work(echoes: echoes) : .none
        }
    }

    /// Evidence from work that only our prompt can have begun. A question counts even after a cancelled turn, because a turn's
    /// questions never come after its answer.
    func work(echoes: Bool) -> Evidence {
        guard let own, !own.isTaken, loads.isEmpty else { return .none }
        return echoes || worksAlone || !prompts.isEmpty ? .none : .work
    }

    private func mayBeLate(at now: HostInstant) -> Bool { lateWordsUntil.map { now.monotonic < $0 } ?? false }

    mutating func saw(_ update: JSONValue, at now: HostInstant) {
        guard Self.isWork(update.text("sessionUpdate")) else { return }
        if isOpen, !hasTurn, loads.isEmpty, !mayBeLate(at: now) { worksAlone = true }
        for place in interrupts.indices { interrupts[place].closedQuestion = false }
    }

    private static func isWork(_ kind: String?) -> Bool {
        ["agent_message_chunk", "agent_thought_chunk", "tool_call", "plan"].contains(kind)
    }

    /// True if the agent shows what a person said, live.
    func isEcho(_ update: JSONValue) -> Bool {
        hasTurn && loads.isEmpty && update.text("sessionUpdate") == "user_message_chunk"
    }

    /// Handles the agent's answer to a request of the editor. Returns true if it ended a turn, nil if the request is not known
    /// here. `lateUntil`: set if the turn was cut short.
    mutating func answered(_ id: [UInt8], lateUntil: Int64?) -> Bool? {
        if let place = loads.firstIndex(of: id) {
            loads.remove(at: place)
            return false
        }
        guard let place = prompts.firstIndex(of: id) else { return nil }
        prompts.remove(at: place)
        isInDoubt = false
        turnEnded(lateUntil: lateUntil)
        return true
    }

    mutating func ownAnswered(_ id: [UInt8], lateUntil: Int64?) -> Own? {
        guard let answered = own, answered.id == id else { return nil }
        own = nil
        turnEnded(lateUntil: lateUntil)
        return answered
    }

    mutating func settingAnswered(_ id: [UInt8]) -> Setting? {
        settings.firstIndex { $0.id == id }.map { settings.remove(at: $0) }
    }

    /// Removes and returns the interrupts that waited for the turn's end.
    mutating func takeInterrupts() -> [Interrupt] {
        defer { interrupts = [] }
        return interrupts
    }

    private mutating func turnEnded(lateUntil: Int64?) {
        lateWordsUntil = lateUntil
        // A turn's questions come before its answer, so an agent that has ended it waits for none of them.
        guard !hasTurn else { return }
        questions = []
        asking.turnEnded()
    }
}
