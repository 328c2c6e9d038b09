internal import HostCore
internal import RelayProtocol

/// `POST /v1/agent/settled`: the outcome of a question, on the program's own evidence.
package struct LocalSettlement: Sendable {
    enum Outcome: String, CaseIterable {
        /// The tool ran, or the program continues with the answers.
        case ran
        case refused
        case answeredElsewhere
        case cancelled
        case unknown
    }

    let session: String
    let approval: String
    let outcome: Outcome

    package init(parsing bytes: [UInt8]) throws(LocalError) {
        (session, approval, outcome) = try LocalError.reading { () throws(WireError) in
            let root = try JSONDocument(parsing: bytes).root.object()
            return (try root.name("session"), try root.name("approval"), try root.word("outcome"))
        }
    }

    /// The evidence in the approval desk's terms.
    func evidence(of kind: ApprovalKind, isEdited: Bool) -> ApprovalEvidence {
        switch (outcome, kind) {
        // A program that runs an edited call goes on with what it was handed.
        case (.ran, .tool) where isEdited: .answersTaken
        case (.ran, .tool): .carriedOut(answers: nil, failed: false)
        case (.ran, .question): .answersTaken
        case (.refused, _): .deniedAtTerminal
        case (.answeredElsewhere, _): .answeredAtTerminal
        case (.cancelled, _): .turnEnded(wentOn: false)
        case (.unknown, _): .withdrawn
        }
    }
}
