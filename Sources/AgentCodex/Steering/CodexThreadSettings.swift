internal import HostCore
internal import RelayProtocol

/// One setting of a thread, as a person chooses it.
enum CodexSetting: Equatable {
    case model(String)
    case policy(String)
}

/// Settings of a thread, as Codex last reported them, and the choices of clients.
///
/// Known only during a connection: what was chosen at the terminal meanwhile may look the same afterwards.
///
/// Codex's approval policies are the modes. Clients cannot choose a freer policy than the one that was set at the terminal: a person
/// there sees what runs, and a person elsewhere should be asked at least as often.
struct CodexThreadSettings: Equatable {
    /// From the one that asks most to the one that asks never.
    private static let policies = ["untrusted", "on-request", "never"]
    /// Policy of a session that is held.
    static let askingMost = policies[0]
    /// Codex lists its own models; another provider's are unknown.
    private static let ownProvider = "openai"

    private(set) var model: String?
    private(set) var provider: String?
    /// Nil if Codex's policy is none of those that have an order, such as one that is made of parts.
    private(set) var policy: String?
    /// The freest policy that may be chosen.
    private(set) var ceiling: String?
    /// Other settings that decide what runs unasked: the sandbox, the profile that it comes from, and the reviewer, as Codex writes them.
    /// A policy that was harmless in one sandbox need not be in another.
    private var surroundings: String?

    /// Takes the settings of a resumed thread, or of a change. `isOurs` says if a client asked for that policy.
    mutating func take(_ value: JSONValue, isOurs: (CodexSetting) -> Bool) {
        model = value.text("model") ?? model
        provider = value.text("modelProvider") ?? provider
        guard value.optional("approvalPolicy") != nil else { return }
        let said = value.text("approvalPolicy").flatMap { Self.policies.contains($0) ? $0 : nil }
        let surroundings = Self.surroundings(value)
        defer { (policy, self.surroundings) = (said, surroundings) }
        if ceiling != nil, surroundings == self.surroundings {
            // An unchanged policy was not chosen again, and one that a client chose does not raise the ceiling.
            guard said != policy else { return }
            if let said, isOurs(.policy(said)) { return }
        }
        ceiling = said
    }

    private static func surroundings(_ value: JSONValue) -> String {
        // A resumed thread names its sandbox differently than a change of its settings does.
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

    /// Empty if there is no choice.
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
