/// One of an agent's own options besides a plain yes and a plain no, such as "always allow". Applied only if a person chose it by
/// its id.
package struct Offer: Sendable, Equatable {
    /// Place where the agent stores the rule, which determines its lifetime.
    package enum Scope: String, Sendable, CaseIterable {
        /// Not kept: the option is for this request alone.
        case once
        /// In the agent's memory, until the session ends.
        case session
        /// In the project's files, which others who work on the project share.
        case project
        /// Beside the project's files, for this person only.
        case local
        /// In the person's settings of the agent, for all projects.
        case user
        /// The agent does not say.
        case agent
    }

    package enum Effect: String, Sendable, CaseIterable {
        case allow, deny
    }

    /// Limit for all offers of an approval together, as the host measures them; offers beyond it are left out.
    package static let bytesMax = 8 << 10

    package var id: String
    /// The agent's own label if it has one.
    package var label: String
    /// The exact text that the agent writes, one entry a line; nil if the agent does not say, or writes nothing.
    package var rule: String?
    /// Mode in which the agent continues, if the offer switches modes.
    package var mode: String?
    package var scope: Scope
    package var effect: Effect

    package init(
        id: String, label: String, rule: String? = nil, mode: String? = nil, scope: Scope, effect: Effect = .allow
    ) {
        self.id = id
        self.label = label
        self.rule = rule
        self.mode = mode
        self.scope = scope
        self.effect = effect
    }

    static func list(from head: JSONValue) throws(WireError) -> [Offer] {
        guard head.optional("offers") != nil else { return [] }
        var offers: [Offer] = []
        for entry in try head.array("offers", countMax: WireLimits.offersMax) {
            offers.append(
                Offer(
                    id: try entry.object().string("id", bytesMax: WireLimits.nameBytesMax),
                    label: try entry.string("label", bytesMax: WireLimits.nameBytesMax),
                    rule: try entry.optionalString("rule", bytesMax: WireLimits.lineBytesMax),
                    mode: try entry.optionalString("mode", bytesMax: WireLimits.nameBytesMax),
                    scope: try entry.word("scope"), effect: try entry.word("effect")))
        }
        return offers
    }

    package func write(to writer: inout JSONWriter) {
        writer.field("id", id)
        writer.field("label", label)
        writer.field("rule", rule)
        writer.field("mode", mode)
        writer.field("scope", scope.rawValue)
        writer.field("effect", effect.rawValue)
    }

    package var bytes: [UInt8] { JSONWriter.object { write(to: &$0) } }

    /// True if the offer's effect extends beyond this project, to other people, for an unknown time, or to more than one kind of
    /// tool: the client then asks for confirmation.
    package var isFarReaching: Bool {
        switch scope {
        case .project, .user, .agent: true
        case .once, .session, .local: mode != nil
        }
    }
}

extension ApprovalRequest {
    /// The offer with that id; nil if there is none, or if two have it.
    package func offer(_ id: String) -> Offer? {
        let found = offers.filter { $0.id == id }
        return found.count == 1 ? found[0] : nil
    }

    /// The offer that the verdict chooses, as it was shown.
    package func offer(of verdict: Decision.Verdict) -> Offer? { verdict.offer.flatMap(offer) }
}
