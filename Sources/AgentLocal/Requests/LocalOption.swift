internal import HostCore
internal import RelayProtocol

/// One of the answers that a program accepts to a question about a tool, in its own words.
struct LocalOption: Sendable {
    enum Kind: String, CaseIterable {
        case allowOnce = "allow_once"
        case allowAlways = "allow_always"
        case rejectOnce = "reject_once"
        case rejectAlways = "reject_always"

        /// Scope of the choice, unless the program names one.
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
    /// The option's name for people.
    let name: String?
    /// The rule that the program would record; nil if it does not say.
    let rule: String?
    let scope: Offer.Scope

    /// The options; nil if the program names none.
    static func list(from root: JSONValue) throws(WireError) -> [LocalOption]? {
        guard root.optional("options") != nil else { return nil }
        var options: [LocalOption] = []
        for entry in try root.array("options", countMax: LocalLimits.optionsMax) {
            let kind: Kind = try entry.object().word("kind")
            let scope: Offer.Scope = entry.optional("scope") == nil ? kind.scope : try entry.word("scope")
            // A plain yes applies once, so an option with both kinds of scope cannot be offered.
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

    /// Options that are chosen only by name: all but the two of the plain answers.
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

    /// An option that also applies later is never chosen without being seen.
    static func plainAllow(in options: [LocalOption]) -> LocalOption? { options.first { $0.kind == .allowOnce } }
    static func plainDenial(in options: [LocalOption]) -> LocalOption? { options.first { $0.kind == .rejectOnce } }
}
