package import HostCore
package import RelayProtocol

/// One question to a person that is not settled yet.
package struct ClaudeApproval {
    package enum Phase {
        /// A hook waits. Becomes answered, lost, or is resolved.
        case open(HookToken)
        /// The hook is gone: SIGTERM. Resolved as soon as it is known what that meant, by `until` at the latest, unless it
        /// calls again.
        case lost(until: Int64)
        /// An earlier life of this daemon was asked. Becomes open or answered when the hook calls again, else is resolved.
        case orphaned(until: Int64)
        /// Our answer was handed over. Resolved by what the agent does next.
        case answered(ClaudeHanded)
    }

    package let id: ApprovalID
    package let session: SessionID
    let kind: ApprovalKind
    package let tool: String
    let agent: String?
    let prompt: String?
    /// Which run of the hook asked: only the same one is ever given what is meant for it.
    var run: String?
    /// Over what `input` holds: what a decision must be for.
    package let digest: InputDigest
    /// Exactly as Claude wrote it; empty after a restart until the hook calls again, and where it can only be denied.
    var input: [UInt8]
    var questions: [ClaudeQuestion]
    /// The tool call, once it is known.
    var call: String?
    var process: AgentProcess?
    var isAttended: Bool
    /// What people see is not whole: it can be denied, never allowed.
    private(set) var isCut: Bool
    /// By the wall clock, as the card says it.
    let expiresAt: Int64
    /// The same by the clock that never jumps, which is the one that counts.
    var deadline: Int64
    /// Grows with each question: they are in this order whatever a clock says.
    let order: Int
    package internal(set) var phase: Phase
    /// When it came to this life of the daemon.
    let askedAt: Int64
    /// When the phase began, by the clock that never jumps.
    var phaseAt: Int64
    /// What the registry showed of its dialog.
    var dialog = ClaudeDialog()
    /// Waits for the hook to call again: came while nobody waited.
    var heldDecision: (digest: InputDigest, decision: Decision)?
    /// Known from an earlier life of this daemon.
    var isRestored = false
    /// Its dialog may have come and gone before we could look.
    var mayBeOver = false
    /// By an earlier life of this daemon, which cannot know whether the hook got it.
    var handedBefore: ClaudeHanded?

    /// Asks before each edit.
    static let askingMode = "default"

    /// In which Claude goes on once its plan is approved: those that its own dialog has had, and never one that asks nobody anything.
    var modes: [String] { tool == ClaudeAnswer.planTool && !isCut ? [Self.askingMode, "acceptEdits"] : [] }

    /// Nobody's answer is known.
    var isOpen: Bool {
        switch phase {
        case .open, .lost, .orphaned: handedBefore == nil
        case .answered: false
        }
    }

    var isAnswered: Bool { if case .answered = phase { true } else { false } }
    var isLost: Bool { if case .lost = phase { true } else { false } }

    /// The registry tells of the main agent's dialogs, and there are some only where somebody sits.
    var hasDialog: Bool { isAttended && agent == nil }

    var token: HookToken? { if case .open(let token) = phase { token } else { nil } }
    /// What was handed over.
    var answer: ClaudeHanded? {
        if case .answered(let handed) = phase { return handed }
        return handedBefore
    }

    /// The bytes that the answer stands for.
    func output(of decision: Decision) -> [UInt8]? {
        switch (decision.verdict, kind) {
        case (.allow, .tool): return ClaudeAnswer.allow(tool: tool)
        case (.allowIn(let mode), .tool) where modes.contains(mode): return ClaudeAnswer.allow(tool: tool, mode: mode)
        case (.deny, _): return ClaudeAnswer.deny(Self.denial(decision))
        case (.answer(let answers), .question): return output(of: answers)
        default: return nil
        }
    }

    func output(of answers: [Answer]) -> [UInt8]? {
        guard let values = answerValues(answers), let root = try? JSONDocument(parsing: input).root,
            let raw = root.optional("questions")
        else { return nil }
        return ClaudeAnswer.answer(questions: raw.bytes, answers: values)
    }

    /// What the model reads; also how we know later that it was our denial.
    static func denial(_ decision: Decision) -> String {
        if case .deny(let message?) = decision.verdict, !TextCut.trim(message).isEmpty { return message }
        return "Denied by \(TextCut.line(decision.clientName, bytesMax: 200)) through Heliograph."
    }

    /// By question text. Nil unless every question is answered, and with what it offers.
    func answerValues(_ answers: [Answer]) -> [(question: String, value: String)]? {
        guard answers.count == questions.count else { return nil }
        var values: [(question: String, value: String)] = []
        for question in questions {
            guard let value = question.value(of: answers) else { return nil }
            values.append((question.text, value))
        }
        return values
    }

    mutating func cut() {
        isCut = true
        input = []
        questions = []
    }

    // MARK: Over a restart

    /// Without the input: the hook brings it again.
    var note: [UInt8] {
        JSONWriter.object {
            $0.field("session", session)
            $0.field("kind", kind.rawValue)
            $0.field("tool", tool)
            $0.field("agent", agent)
            $0.field("prompt", prompt)
            $0.field("run", run)
            $0.field("digest", digest.rawValue)
            $0.field("call", call)
            $0.field("pid", process.map { Int64($0.id) })
            $0.field("started", process.map { String($0.startedAt) })
            $0.flag("attended", isAttended)
            $0.flag("cut", isCut)
            $0.field("expiresAt", expiresAt)
            $0.field("order", Int64(order))
            if let answer { $0.object("handed") { answer.write(to: &$0) } }
        }
    }

    init?(id: ApprovalID, note: [UInt8], until: Int64, at now: Int64) {
        guard let value = try? JSONDocument(parsing: note).root.object(),
            let session = value.text("session").flatMap(SessionID.init),
            let kind = value.text("kind").flatMap(ApprovalKind.init), let tool = value.text("tool"),
            let digest = value.text("digest").flatMap(InputDigest.init), let expiresAt = value.whole("expiresAt")
        else { return nil }
        self.id = id
        self.session = session
        self.kind = kind
        self.tool = tool
        self.digest = digest
        self.expiresAt = expiresAt
        deadline = until
        order = value.whole("order").flatMap(Int.init) ?? 0
        agent = value.text("agent")
        prompt = value.text("prompt")
        run = value.text("run")
        call = value.text("call")
        if let pid = value.whole("pid"), let number = Int32(exactly: pid) {
            process = AgentProcess(id: number, startedAt: value.text("started").flatMap(UInt64.init) ?? 0)
        }
        isAttended = value.isTrue("attended")
        isCut = value.isTrue("cut")
        input = []
        questions = []
        phase = .orphaned(until: until)
        phaseAt = now
        askedAt = now
        isRestored = true
        mayBeOver = true
        handedBefore = value.optional("handed").flatMap(ClaudeHanded.init)
    }

    init(
        id: ApprovalID, session: SessionID, kind: ApprovalKind, tool: String, agent: String?, prompt: String?,
        run: String?, digest: InputDigest, input: [UInt8], questions: [ClaudeQuestion], isCut: Bool, expiresAt: Int64,
        deadline: Int64, order: Int, token: HookToken, at now: Int64,
        isAttended: Bool, process: AgentProcess?
    ) {
        self.id = id
        self.session = session
        self.kind = kind
        self.tool = tool
        self.agent = agent
        self.prompt = prompt
        self.run = run
        self.digest = digest
        self.input = isCut ? [] : input
        self.questions = isCut ? [] : questions
        self.isCut = isCut
        self.expiresAt = expiresAt
        self.deadline = deadline
        self.order = order
        self.isAttended = isAttended
        self.process = process
        phase = .open(token)
        phaseAt = now
        askedAt = now
    }
}
