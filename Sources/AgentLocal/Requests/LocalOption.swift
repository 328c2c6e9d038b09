internal import HostCore
internal import RelayProtocol

/// One of the answers that a program takes to a question about a tool, in its own words.
struct LocalOption: Sendable {
    enum Kind: String, CaseIterable {
        case allowOnce = "allow_once"
        case allowAlways = "allow_always"
        case rejectOnce = "reject_once"
        case rejectAlways = "reject_always"

        /// Scope in which the choice is recorded, unless the program names one.
        var scope: Offer.Scope {
            switch self {
            case .allowOnce, .rejectOnce: .once
            case .allowAlways, .rejectAlways: .agent
            }
        }

        var effect: Offer.Effect {
            switch self {
            case .allowOnce, .allowAlways: .allow
            case .rejectOnce, .rejectAlways: .deny
            }
        }
    }

    let id: String
    let kind: Kind
    /// For people.
    let name: String?
    /// The rule that the program would record, if it says so.
    let rule: String?
    let scope: Offer.Scope

    /// Nil if the program names none.
    static func list(from root: JSONValue) throws(WireError) -> [LocalOption]? {
        guard root.optional("options") != nil else { return nil }
        var options: [LocalOption] = []
        for entry in try root.array("options", countMax: LocalLimits.optionsMax) {
            let kind: Kind = try entry.object().word("kind")
            let scope: Offer.Scope = entry.optional("scope") == nil ? kind.scope : try entry.word("scope")
            // A plain yes is for this once, so an option that says both cannot be offered.
            guard (scope == .once) == (kind.scope == .once) else {
                throw WireError(.badValue, at: "$.options", "its kind and its scope do not go together")
            }
            options.append(
                LocalOption(
                    id: try entry.name("id"), kind: kind,
                    name: try entry.optionalString("name", bytesMax: WireLimits.lineBytesMax),
                    rule: try entry.optionalString("rule", bytesMax: WireLimits.lineBytesMax), scope: scope))
        }
        guard Set(options.map(\.id)).count == options.count else {
            throw WireError(.badValue, at: "$.options", "two have the same id")
        }
        return options
    }

    /// Options chosen only by name: all but those that the plain answers stand for.
    static func offers(of options: [LocalOption], _ cleaner: Cleaner) -> [AgentOffer] {
        let plain = [plainAllow(in: options)?.id, plainDenial(in: options)?.id]
        let others = options.filter { !plain.contains($0.id) }.map { option in
            AgentOffer(
                Offer(
                    id: option.id, label: option.name ?? option.id, rule: option.rule, scope: option.scope,
                    effect: option.kind.effect), bytes: JSONWriter.string(option.id))
        }
        return AgentOffer.showable(others, cleaner)
    }

    /// An option that also holds for later is never chosen unseen.
    static func plainAllow(in options: [LocalOption]) -> LocalOption? { options.first { $0.kind == .allowOnce } }
    static func plainDenial(in options: [LocalOption]) -> LocalOption? { options.first { $0.kind == .rejectOnce } }
}
