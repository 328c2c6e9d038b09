internal import HostCore
internal import RelayProtocol

/// One thing that a thread is set to, as a person chooses it.
enum CodexSetting: Equatable {
    case model(String)
    case policy(String)
}

/// What a thread is set to, as Codex last said, and what clients may choose.
///
/// Known only as long as a connection is: what was chosen at the terminal meanwhile may look the same afterwards.
///
/// Codex's approval policies are the modes. Clients can choose no policy that is freer than the one that was set at the terminal: who is
/// there sees what runs, and who is not should be asked at least as often.
struct CodexThreadSettings: Equatable {
    /// From the one that asks most to the one that asks never.
    private static let policies = ["untrusted", "on-request", "never"]
    /// That of a session that is held.
    static let askingMost = policies[0]
    /// Codex's own models are those that it lists; another provider's are known to nobody.
    private static let ownProvider = "openai"

    private(set) var model: String?
    private(set) var provider: String?
    /// Nil where Codex's is none of those that have an order, such as one that is made of parts.
    private(set) var policy: String?
    /// The freest that may be chosen.
    private(set) var ceiling: String?
    /// What else decides what runs unasked: the sandbox, the profile that it comes from, and who reviews, as Codex writes them. A policy
    /// that was harmless in one sandbox need not be in another.
    private var surroundings: String?

    /// What a resumed thread, or a change of its settings, says. `isOurs`: a client asked for what it says of the policy.
    mutating func take(_ value: JSONValue, isOurs: (CodexSetting) -> Bool) {
        model = value.text("model") ?? model
        provider = value.text("modelProvider") ?? provider
        guard value.optional("approvalPolicy") != nil else { return }
        let said = value.text("approvalPolicy").flatMap { Self.policies.contains($0) ? $0 : nil }
        let surroundings = Self.surroundings(value)
        defer { (policy, self.surroundings) = (said, surroundings) }
        if ceiling != nil, surroundings == self.surroundings {
            // What did not change was not chosen again, and what a client chose raises nothing.
            guard said != policy else { return }
            if let said, isOurs(.policy(said)) { return }
        }
        ceiling = said
    }

    private static func surroundings(_ value: JSONValue) -> String {
        // A thread that is resumed calls its sandbox otherwise than a change of its settings does.
        let sandbox = value.optional("sandboxPolicy") ?? value.optional("sandbox")
        return [sandbox, value.optional("activePermissionProfile"), value.optional("approvalsReviewer")]
            .map { $0.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "" }.joined(separator: " ")
    }

    func has(_ setting: CodexSetting) -> Bool {
        switch setting {
        case .model(let model): self.model == model
        case .policy(let policy): self.policy == policy
        }
    }

    /// None where there is no choice.
    var modes: [String] {
        guard policy != nil, let ceiling, let last = Self.policies.firstIndex(of: ceiling), last > 0 else { return [] }
        return Array(Self.policies[...last])
    }

    /// The models among those that Codex lists; empty: any name is taken.
    func models(listed: [String]) -> [String] {
        guard provider == Self.ownProvider, !listed.isEmpty else { return [] }
        let current = model.map { listed.contains($0) ? [] : [$0] } ?? []
        return Array((current + listed).prefix(WireLimits.steeringModelsMax))
    }
}
