import HostRules
import RelayProtocol

/// Checks that an agent runs a tool only if a client, or a rule of the host's owner, allowed exactly that input, in that run,
/// before a cancel. A standing permission requires that a person chose that offer.
struct FreedomChecker {
    struct Question {
        /// The hook that waits for the answer.
        let hook: Int
        let run: Int
        let digest: InputDigest
        /// The answer that the owner's rules gave when it was asked; nil if people were.
        let rule: Rule.Answer?
        var isOver = false
    }

    private(set) var questions: [ApprovalID: Question] = [:]
    /// A person's choice to allow an approval.
    private struct Allowance: Hashable {
        let digest: InputDigest
        /// The chosen offer; nil for a plain allow.
        let offer: String?
    }

    private var allowed: [ApprovalID: Set<Allowance>] = [:]

    mutating func asked(_ id: ApprovalID, hook: Int, run: Int, digest: InputDigest, rule: Rule.Answer?) {
        questions[id] = Question(hook: hook, run: run, digest: digest, rule: rule)
    }

    /// True if a rule allowed what the hook asked.
    func isAllowedByRule(_ hook: Int) -> Bool { questions.values.contains { $0.hook == hook && $0.rule == .allow } }

    mutating func ended(_ id: ApprovalID) { questions[id]?.isOver = true }

    /// A client is about to send this.
    mutating func intended(_ decide: DecideCommand) {
        guard decide.verdict.deed == .allow else { return }
        allowed[decide.approval, default: []].insert(Allowance(digest: decide.digest, offer: decide.verdict.offer))
    }

    /// Checks a tool that ran. A hook may have been asked about twice, if the record of the first time was lost.
    func ran(_ ask: Agent.Ask, offer: String?) -> String? {
        let asked = questions.filter { $0.value.hook == ask.hook }.sorted { $0.key.rawValue < $1.key.rawValue }
        guard let last = asked.last else { return "an agent ran what hook \(ask.hook) asked, and nobody was asked about it" }
        let complaints = asked.compactMap { complaint($0.key, $0.value, ask, offer) }
        return complaints.count < asked.count ? nil : complaint(last.key, last.value, ask, offer)
    }

    private func complaint(_ id: ApprovalID, _ question: Question, _ ask: Agent.Ask, _ offer: String?) -> String? {
        if question.isOver { return "an agent ran \(id) after its end" }
        if question.run != ask.run { return "an agent ran in run \(ask.run) what was asked in run \(question.run), \(id)" }
        if question.digest != ask.digest { return "an agent ran another input than \(id) asked about" }
        if question.rule == .deny { return "an agent ran \(id), which a rule denies" }
        if question.rule == .allow, offer == nil { return nil }
        guard allowed[id]?.contains(Allowance(digest: ask.digest, offer: offer)) != true else { return nil }
        guard let offer else { return "an agent ran \(id), and nobody allowed that input" }
        return "an agent was told \(offer) of \(id), and nobody chose that"
    }
}
