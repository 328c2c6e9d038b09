internal import HostCore
internal import RelayProtocol

/// One setting of a thread, as a person chooses it.
enum CodexSetting: Equatable {
    case model(String)
    case policy(String)
}

/// Settings of a thread, as Codex last reported them, and the choices of clients.
///
/// Known only during a connection: settings that were chosen at the terminal meanwhile may look the same afterwards.
///
/// Codex's approval policies are the modes. Clients cannot choose a freer policy than the one that was set at the terminal: a
/// person there sees what runs, and a remote person should be asked at least as often.
struct CodexThreadSettings: Equatable {
    /// The policies, from the one that always asks to the one that never does.
    private static let policies = ["untrusted", "on-request", "never"]
    /// Policy of a session that is held.
    static let askingMost = policies[0]
    static let neverAsking = policies[2]
    /// The provider whose models Codex lists; those of others are unknown.
    private static let ownProvider = "openai"

    private(set) var model: String?
    private(set) var provider: String?
    /// The policy; nil if it has no place in that order, such as a composed one.
    private(set) var policy: String?
    /// The freest policy that clients may choose.
    private(set) var ceiling: String?
    /// Other settings that decide what runs without asking, as Codex writes them: the sandbox, its profile, and the reviewer. A
    /// policy that was harmless in one sandbox need not be in another.
    private var surroundings: String?

    /// Takes the settings of a resumed thread, or a change of them. `isOurs`: true if a client asked for that policy.
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

    /// The modes that clients may choose; empty if there is no choice.
    var modes: [String] {
        guard policy != nil, let ceiling, let last = Self.policies.firstIndex(of: ceiling), last > 0 else { return [] }
        return Array(Self.policies[...last])
    }

    /// The models that clients may choose, from Codex's list; empty if any name is accepted.
    func models(listed: [String]) -> [String] {
        guard provider == Self.ownProvider, !listed.isEmpty else { return [] }
        let current = model.map { listed.contains($0) ? [] : [$0] } ?? []
        return Array((current + listed).prefix(WireLimits.steeringModelsMax))
    }
}
