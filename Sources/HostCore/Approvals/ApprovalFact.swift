package import Consent
package import RelayProtocol

/// A fact that the approval desk learns.
package enum ApprovalFact<Form: AnswerForm> {
    /// The daemon starts, with the notes of its earlier life.
    case restarted(notes: [ApprovalID: [UInt8]])
    case asked(ApprovalQuestion<Form>)
    /// The input does not fit in an event, so people see less than the whole.
    case cut(ApprovalID)
    case decided(SessionID, ApprovalID, InputDigest, Decision)
    /// A decision came that this host must not carry out, and why.
    case refused(SessionID, ApprovalID, reason: String)
    /// What this device has decided is not handed over any more.
    case distrusted(KeyID)
    /// The hook went away before it was answered.
    case hookGone(HookToken)
    /// The caller has had the answer for so long that it will not ask again: no other caller that knows its name gets the answer.
    case answerReceived(ApprovalID)
    /// The question's tool call began after it was asked.
    case callBegan(ApprovalID, String)
    case shown(ApprovalID, ApprovalEvidence)
    /// The hook was lost because its agent is ending; `by`: the time at which that is certain.
    case agentEnding(ApprovalID, by: Int64)
    case sessionEnded(SessionID, agentGone: Bool)
    case agentGone(AgentProcess)
    case linkChanged(isLive: Bool)
    /// The disk did not take the request, or the event that the answer was handed over.
    case notRecorded(ApprovalID)
    /// `nextDeadline` has passed.
    case timerFired
}

/// A question as the agent asked it.
package struct ApprovalQuestion<Form: AnswerForm> {
    package var session: SessionID
    package var kind: ApprovalKind
    package var tool: String
    /// The input exactly as the agent wrote it.
    package var input: [UInt8]
    /// Digest of `input` and the options of `form`.
    package var digest: InputDigest
    /// Digest of `input` alone, which identifies the agent's own call.
    package var inputDigest: InputDigest
    package var form: Form
    /// The caller that waits for the answer.
    package var token: HookToken
    /// True if the shown input is incomplete.
    package var isCut = false
    /// True if the input is shown exactly, and short enough to be edited.
    package var isEditable = false
    package var agent: String?
    package var prompt: String?
    package var call: String?
    package var process: AgentProcess?
    /// True if a person is at the terminal, so that the agent's own prompt stays when we abstain.
    package var isAttended = true
    /// Time until the question expires; nil for the usual one.
    package var life: Duration?
    /// Number of the call. From 2 on it is the same call again, after this daemon or its connection broke.
    package var attempt = 1
    /// Names one run of the hook, the same at every attempt; nil if it sent none.
    package var run: String?

    package init(
        session: SessionID, kind: ApprovalKind, tool: String, input: [UInt8], _ digests: Digests, form: Form, token: HookToken
    ) {
        self.session = session
        self.kind = kind
        self.tool = tool
        self.input = input
        inputDigest = digests.input(tool: tool, input)
        digest = form.offers.isEmpty ? inputDigest : digests.input(tool: tool, input, offers: form.offers)
        self.form = form
        self.token = token
    }
}
