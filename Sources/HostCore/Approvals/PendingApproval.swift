package import RelayProtocol

/// One question to a person that is not settled yet.
package struct PendingApproval<Form: AnswerForm> {
    package let id: ApprovalID
    package let session: SessionID
    package let kind: ApprovalKind
    package let tool: String
    /// The subagent that asks; nil for the main one.
    package let agent: String?
    /// The prompt, or turn, from which the question came.
    package let prompt: String?
    /// The run of the hook that asked; only this run ever gets the answer.
    package internal(set) var run: String?
    /// Digest of `input` and the offered options. A decision must be for this digest.
    package let digest: InputDigest
    /// Digest of the input alone, which identifies the agent's own call.
    package let inputDigest: InputDigest
    /// The input exactly as the agent wrote it. Empty after a restart until the hook calls again, and if the question can only be
    /// denied.
    package internal(set) var input: [UInt8]
    /// The form of the answers. Present while `input` is; without it the question can only be denied.
    package internal(set) var form: Form?
    /// The tool call, once it is known.
    package internal(set) var call: String?
    package internal(set) var process: AgentProcess?
    package let isAttended: Bool
    /// True if the shown input is incomplete, so that it can be denied but never allowed.
    package private(set) var isCut: Bool
    /// True if people are shown the input exactly, so that they may edit it.
    private let isEditable: Bool
    /// Time of expiry on the wall clock, ms since 1970; shown on the card.
    package let expiresAt: Int64
    /// Time of expiry on the monotonic clock, ms; this is the one that is enforced.
    var deadline: Int64
    /// Number that grows with each question, so that the order does not depend on a clock.
    let order: Int
    package internal(set) var phase: ApprovalPhase
    /// Time at which the question reached this life of the daemon.
    package let askedAt: Int64
    /// Time at which the phase began, on the monotonic clock.
    package internal(set) var phaseAt: Int64
    /// A decision that came while no hook waited, kept for the hook's next call.
    var waitingDecision: (digest: InputDigest, decision: Decision)?
    /// True if the question is known from an earlier life of this daemon.
    private(set) var isRestored = false
    /// True if the approval may have been settled at the terminal before this life of the daemon could see it.
    package private(set) var mayBeOver: Bool
    /// Answer handed over by an earlier life of this daemon, which cannot know whether the hook got it.
    package internal(set) var handedBefore: HandedAnswer?

    /// True if no answer is known.
    package var isOpen: Bool {
        switch phase {
        case .open, .lost, .orphaned: handedBefore == nil
        case .answered: false
        }
    }

    /// The choices besides a plain yes and no; empty if the shown input is incomplete.
    package var offers: [Offer] { isCut ? [] : form?.offers.map(\.shown) ?? [] }

    /// Members of the input that a person may change.
    package var editable: [String] { isEditable && !isCut && kind == .tool ? form?.editable ?? [] : [] }

    package var isAnswered: Bool { if case .answered = phase { true } else { false } }
    package var isLost: Bool { if case .lost = phase { true } else { false } }

    package var token: HookToken? { if case .open(let token) = phase { token } else { nil } }
    /// The answer that was handed over.
    package var answer: HandedAnswer? {
        if case .answered(let handed) = phase { return handed }
        return handedBefore
    }
    /// True if the answer that was handed over is a denial.
    package var isDenied: Bool { if case .deny? = answer?.kind { true } else { false } }

    /// True if the answer that was handed over is an edited input.
    package var isEdited: Bool { if case .edited? = answer?.kind { true } else { false } }

    mutating func cut() {
        isCut = true
        input = []
        form = nil
    }

    init(_ question: ApprovalQuestion<Form>, id: ApprovalID, life: Duration, order: Int, at now: HostInstant) {
        self.id = id
        session = question.session
        kind = question.kind
        tool = question.tool
        agent = question.agent
        prompt = question.prompt
        run = question.run
        digest = question.digest
        inputDigest = question.inputDigest
        isCut = question.isCut
        isEditable = question.isEditable
        input = question.isCut ? [] : question.input
        form = question.isCut ? nil : question.form
        call = question.call
        process = question.process
        isAttended = question.isAttended
        expiresAt = now.wall + life.milliseconds
        deadline = now.monotonic + life.milliseconds
        self.order = order
        phase = .open(question.token)
        phaseAt = now.monotonic
        askedAt = now.monotonic
        mayBeOver = question.attempt > 1
    }

    // MARK: Over a restart

    /// The note that survives a restart. It lacks the input, which the hook brings again.
    var note: [UInt8] {
        JSONWriter.object {
            $0.field("session", session)
            $0.field("kind", kind.rawValue)
            $0.field("tool", tool)
            $0.field("agent", agent)
            $0.field("prompt", prompt)
            $0.field("run", run)
            $0.field("digest", digest.rawValue)
            if inputDigest != digest { $0.field("inputDigest", inputDigest.rawValue) }
            $0.field("call", call)
            process?.write(to: &$0)
            $0.flag("attended", isAttended)
            $0.flag("cut", isCut)
            $0.flag("editable", isEditable)
            $0.field("expiresAt", expiresAt)
            $0.field("order", Int64(order))
            if let answer { $0.object("handed") { answer.write(to: &$0) } }
        }
    }

    /// Restores a question from its note. Only the date of its expiry is left; whatever the clock did since, the remaining time is
    /// never longer than a new question's.
    init?(id: ApprovalID, note: [UInt8], _ limits: ApprovalLimits, at now: HostInstant) {
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
        inputDigest = value.text("inputDigest").flatMap(InputDigest.init) ?? digest
        self.expiresAt = expiresAt
        deadline = now.monotonic + min(max(0, expiresAt - now.wall), limits.life.milliseconds)
        order = value.whole("order").flatMap(Int.init) ?? 0
        agent = value.text("agent")
        prompt = value.text("prompt")
        run = value.text("run")
        call = value.text("call")
        process = AgentProcess(from: value)
        isAttended = value.isTrue("attended")
        isCut = value.isTrue("cut")
        isEditable = value.isTrue("editable")
        input = []
        phase = .orphaned(until: now.monotonic + limits.reclaimWithin.milliseconds)
        phaseAt = now.monotonic
        askedAt = now.monotonic
        isRestored = true
        mayBeOver = true
        handedBefore = value.optional("handed").flatMap(HandedAnswer.init)
    }
}
