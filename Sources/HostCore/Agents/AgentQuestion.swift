package import RelayProtocol

/// A question on an approval desk, as its host's status shows it.
package struct AgentQuestion: Sendable, Equatable {
    package let approval: ApprovalID
    package let session: SessionID
    package let tool: String
    /// The agent's name of the call; nil if it is not known.
    package let call: String?
    package let digest: InputDigest
    /// The phase of the question, in a word.
    package let phase: String
    /// True if no answer is known.
    package let isOpen: Bool

    package init<Form: AnswerForm>(_ approval: PendingApproval<Form>) {
        self.approval = approval.id
        session = approval.session
        tool = approval.tool
        call = approval.call
        digest = approval.digest
        phase = approval.phase.name
        isOpen = approval.isOpen
    }

    /// The session that a desk's note is about.
    static func session(ofNote note: [UInt8]) -> SessionID? {
        (try? JSONDocument(parsing: note))?.root.text("session").flatMap { SessionID($0) }
    }
}
