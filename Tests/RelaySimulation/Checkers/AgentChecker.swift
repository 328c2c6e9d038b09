import RelayProtocol

/// Checks that a client's answer reaches exactly its question, at most once, and unchanged. For real adapters: it uses none of
/// their names, only the text that people were shown and the answer that the agent received.
struct AgentChecker {
    private struct Choice: Hashable {
        let digest: InputDigest
        let isAllowed: Bool
        let offer: String?
    }

    private struct Question {
        let session: SessionID
        let words: String
        let digest: InputDigest
        let shownAt: Int64
        /// True if only the terminal asks now: the disk refused the question, an answer to something else came, or a clock jumped.
        var isUnasked = false
        /// The agent's question that its answer reached.
        var key: String?
    }

    private var questions: [ApprovalID: Question] = [:]
    private var choices: [ApprovalID: Set<Choice>] = [:]

    mutating func shown(_ request: ApprovalRequest, words: String, in session: SessionID, at now: Int64) {
        questions[request.approval] = Question(session: session, words: words, digest: request.digest, shownAt: now)
    }

    mutating func notAsked(_ id: ApprovalID) { questions[id]?.isUnasked = true }

    /// A client is about to send this.
    mutating func intended(_ decide: DecideCommand) {
        choices[decide.approval, default: []].insert(
            Choice(digest: decide.digest, isAllowed: decide.verdict.deed == .allow, offer: decide.verdict.offer))
    }

    /// A question of an agent, under a key that is unique among all agents.
    struct Asked {
        let key: String
        let ask: AgentAsk
        let at: Int64
    }

    /// The agent takes this answer. `offer` is the agent's own option that it chooses, if any. Returns a complaint, if any.
    mutating func answered(_ asked: Asked, isAllowed: Bool, offer: String?) -> String? {
        let (session, words) = (asked.ask.session, asked.ask.words)
        let what = "\(session) is told \(isAllowed ? "yes" : "no")\(offer.map { " by \($0)" } ?? "") to \(words)"
        let same = questions.filter { $0.value.session == session && $0.value.words == words }
        guard !same.isEmpty else { return "\(what), and nobody was asked about it" }
        let fresh = same.filter { $0.value.shownAt >= asked.at }
        guard !fresh.isEmpty else { return "\(what), and people were asked only what it asked before" }
        let chosen = fresh.filter { id, question in
            choices[id]?.contains(Choice(digest: question.digest, isAllowed: isAllowed, offer: offer)) == true
        }
        guard !chosen.isEmpty else { return "\(what), and nobody chose that" }
        let free = chosen.filter { $0.value.key == nil || $0.value.key == asked.key }.keys
        guard let id = free.min(by: { $0.rawValue < $1.rawValue }) else { return "\(what) by an answer to another question" }
        questions[id]?.key = asked.key
        return nil
    }

    /// True if this question could not be shown to people.
    func isUnasked(_ ask: AgentAsk) -> Bool {
        questions.values.contains { $0.isUnasked && $0.session == ask.session && $0.words == ask.words }
    }

    /// True if the approval is about this question.
    func isAbout(_ ask: AgentAsk, _ id: ApprovalID) -> Bool {
        questions[id]?.session == ask.session && questions[id]?.words == ask.words
    }
}
