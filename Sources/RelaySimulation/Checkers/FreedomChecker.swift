import RelayProtocol

/// An agent runs a tool from afar only by an allow for exactly that input, in that run, before a cancel.
struct FreedomChecker {
    struct Question {
        /// The hook that waits.
        let token: Int
        let run: Int
        let digest: InputDigest
        var isOver = false
    }

    private(set) var questions: [ApprovalID: Question] = [:]
    /// For each approval the inputs that somebody allowed.
    private var allowed: [ApprovalID: Set<InputDigest>] = [:]

    mutating func asked(_ id: ApprovalID, token: Int, run: Int, digest: InputDigest) {
        questions[id] = Question(token: token, run: run, digest: digest)
    }

    mutating func ended(_ id: ApprovalID) { questions[id]?.isOver = true }

    /// A client is about to send this.
    mutating func intended(_ decide: DecideCommand) {
        if decide.verdict == .allow { allowed[decide.approval, default: []].insert(decide.digest) }
    }

    func ran(_ id: ApprovalID, run: Int, digest: InputDigest) -> String? {
        guard let question = questions[id] else { return "an agent ran \(id), which was never asked" }
        if question.isOver { return "an agent ran \(id) after its end" }
        if question.run != run { return "an agent ran in run \(run) what was asked in run \(question.run), \(id)" }
        if question.digest != digest { return "an agent ran another input than \(id) asked about" }
        if allowed[id]?.contains(digest) != true { return "an agent ran \(id), and nobody allowed that input" }
        return nil
    }
}
