internal import HeliographLink
internal import RelayProtocol

/// Finds the session that a person means to steer.
enum SteeredLookup {
    /// Finds the session. Without a name, the only one that takes the command. If there are several, the person has to name one: it
    /// is never guessed, because the command has an effect.
    static func find(_ wanted: String?, for kind: SteeringAction.Kind, in view: ClientView) throws(ClientError) -> SessionID {
        if let wanted { return try WatchTask.find(wanted, in: view) }
        let able = SessionsTask.sorted(
            view.sessions.values.filter { $0.endedAt == nil && $0.steering?.actions.contains(kind) == true })
        switch able.count {
        case 1: return able[0].session
        case 0: throw ClientError(.notFound, "no session \(kind.inWords(of: 1)) now", advice: "heliograph sessions")
        default:
            let names = ShortNames.shortest(of: view.sessions.keys.map(\.rawValue))
            throw ClientError(
                .usage, "\(able.count) sessions \(kind.inWords(of: able.count)): say which",
                advice: able.prefix(5).map { "  \(names[$0.session.rawValue] ?? "")  \(title($0.session, in: view))" }
                    .joined(separator: "\n"))
        }
    }

    /// The session's title, safe to print.
    static func title(_ session: SessionID, in view: ClientView) -> String {
        guard let summary = view.sessions[session] else { return session.rawValue }
        return VisibleText.line(summary.title ?? summary.project ?? session.rawValue)
    }
}

extension SteeringAction.Kind {
    /// The command in words, for one session or several.
    func inWords(of count: Int) -> String {
        switch self {
        case .prompt: count == 1 ? "takes prompts" : "take prompts"
        case .interrupt: "can be interrupted"
        case .stop: "can be ended"
        case .mode: "can change its mode"
        case .model: "can change its model"
        case .askAll: count == 1 ? "asks for everything when told to" : "ask for everything when told to"
        case .ruleAdd: count == 1 ? "takes rules" : "take rules"
        case .ruleChange: count == 1 ? "takes changed rules" : "take changed rules"
        case .ruleTry: count == 1 ? "tries rules" : "try rules"
        case .ruleOff: count == 1 ? "takes rules back" : "take rules back"
        case .start, .resume, .past: count == 1 ? "starts sessions" : "start sessions"
        }
    }
}
