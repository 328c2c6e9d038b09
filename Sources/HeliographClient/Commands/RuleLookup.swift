internal import HeliographLink
internal import RelayProtocol

/// Finds the host whose rules a person means, represented by its own session.
enum RuleLookup {
    /// The host to which a rule is added.
    static func taking(on host: String?, in view: ClientView) throws(ClientError) -> SessionID {
        let hosts = view.sessions.values.filter { summary in
            summary.steering?.actions.contains(.ruleAdd) == true && (host.map(summary.host.isCalled) ?? true)
        }
        guard let found = hosts.first else {
            throw ClientError(
                .notFound, host.map { "no host “\($0)” takes rules from afar" } ?? "no host takes rules from afar",
                advice:
                    "Only one does that takes signed commands alone: heliograph host trust, at that machine."
            )
        }
        guard hosts.count == 1 else {
            let names = hosts.map { VisibleText.line($0.host.name) }.sorted().joined(separator: ", ")
            throw ClientError(.usage, "\(hosts.count) hosts take rules: say which, with --host", advice: "They are: \(names)")
        }
        return found.session
    }

    static func find(_ rule: String, on host: String?, in view: ClientView) throws(ClientError) -> SessionID {
        let hosts = view.sessions.values.filter { summary in
            summary.steering?.rules != nil && (host.map(summary.host.isCalled) ?? true)
        }
        guard !hosts.isEmpty else {
            throw ClientError(
                .notFound, host.map { "no host “\($0)” shows rules" } ?? "no host shows rules",
                advice:
                    "One that seals its content shows them to devices that it trusts: heliograph host trust, at that machine.")
        }
        // A rule that had no room in the list may be meant, if the host is named.
        let having = hosts.filter { summary in
            guard let rules = summary.steering?.rules else { return false }
            return rules.rules.contains { $0.name == rule } || (host != nil && rules.more > 0)
        }
        guard let found = having.first else {
            let names = Set(hosts.flatMap { $0.steering?.rules?.rules.map(\.name) ?? [] }).sorted()
            throw ClientError(
                .notFound, "no host has a rule “\(rule)”",
                advice: "There are: \(names.isEmpty ? "none" : names.map { VisibleText.line($0) }.joined(separator: ", "))")
        }
        guard having.count == 1 else {
            let names = having.map { VisibleText.line($0.host.name) }.sorted().joined(separator: ", ")
            throw ClientError(
                .usage, "\(having.count) hosts have such a rule: say which, with --host", advice: "They are: \(names)")
        }
        return found.session
    }
}
