internal import Consent
internal import ConsentKeys
internal import RelayProtocol

/// Seals a person's words to a session whose host seals. Signatures are over the sealed text.
extension ContentOpener {
    /// Sealing takes so much: what a person types has to fit the wire as base64url.
    private static let textBytesMax = (WireLimits.textBytesMax - 128) / 4 * 3

    /// `id`: of the command.
    mutating func sealed(_ action: SteeringAction, as id: CommandID, to session: SessionID) throws(ClientError)
        -> SteeringAction
    {
        guard sessions[session] != nil else { return action }
        switch action {
        case .prompt(var prompt):
            guard prompt.pictures.isEmpty else { throw Self.notYet("pictures") }
            if prompt.isCommand {
                let rest = prompt.text.dropFirst(prompt.command.count).drop(while: \.isWhitespace)
                let words = rest.isEmpty ? "" : try " " + sealed(String(rest), with: id.rawValue, in: session)
                prompt.text = try alias(of: prompt.command, in: session) + words
            } else {
                prompt.text = try sealed(prompt.text, with: id.rawValue, in: session)
            }
            return .prompt(prompt)
        case .launch(var launch):
            guard launch.pictures.isEmpty else { throw Self.notYet("pictures") }
            launch.project = try alias(of: launch.project, in: session)
            if let text = launch.text { launch.text = try sealed(text, with: id.rawValue, in: session) }
            return .launch(launch)
        case .ruleOff, .ruleAdd, .ruleChange, .ruleTry: throw Self.notYet("rules")
        case .mode, .model, .askAll, .interrupt, .stop: return action
        }
    }

    /// Choices by the numbers that are shown to the relay in place of their labels.
    mutating func sealed(
        _ verdict: Decision.Verdict, on approval: ApprovalID, of session: SessionID
    ) throws(ClientError) -> Decision.Verdict {
        if unknownHosts.contains(session), sessions[session] == nil, verdict.hasWords {
            throw ClientError(
                .refused, "this is sealed, and the relay does not say by which host", advice: "Deny it without words.")
        }
        guard sessions[session] != nil else { return verdict }
        func words(_ text: String?) throws(ClientError) -> String? {
            guard let text else { return nil }
            return try sealed(text, with: approval.rawValue, in: session)
        }
        switch verdict {
        case .allow, .allowIn, .allowWith: return verdict
        case .deny(let message): return .deny(message: try words(message))
        case .denyWith(let offer, let message): return .denyWith(offer: offer, message: try words(message))
        case .answer(let answers):
            var sealed: [Answer] = []
            for var answer in answers {
                answer.choices = (answer.indexes ?? []).map { "\($0 + 1)" }
                answer.text = try words(answer.text)
                sealed.append(answer)
            }
            return .answer(sealed)
        }
    }

    private static func notYet(_ what: String) -> ClientError {
        ClientError(.refused, "a host that seals its content takes no \(what) from afar yet")
    }

    /// Of a name that the true offer has: no other goes out.
    private func alias(of name: String, in session: SessionID) throws(ClientError) -> String {
        guard let host = sessions[session], names[session]?.contains(name) == true, keys.current(of: host) != nil,
            let alias = keys.aliases(of: name, host).first
        else { throw ClientError(.refused, "“\(VisibleText.line(name))” is not offered, as far as this terminal can read") }
        return alias
    }

    private mutating func sealed(_ text: String, with id: String, in session: SessionID) throws(ClientError) -> String {
        guard text.utf8.count <= Self.textBytesMax else {
            throw ClientError(.usage, "to a host that seals its content a text has at most \(Self.textBytesMax) bytes")
        }
        if let host = sessions[session], keys.canOpen(host), keys.current(of: host) == nil {
            throw ClientError(
                .refused, "its host has a newer key than this terminal was given",
                advice:
                    "Once the host is there it offers the key. If not, trust it anew: heliograph host trust, at that machine.")
        }
        guard let host = sessions[session], let epoch = keys.current(of: host), let seal = keys.seal(of: session, host, epoch)
        else {
            throw ClientError(.refused, "this terminal has no key to seal that with", advice: advice.first)
        }
        return seal.seal(Array(text.utf8), as: .words(with: id), nonce: .random()).text
    }
}

extension Decision.Verdict {
    fileprivate var hasWords: Bool {
        switch self {
        case .allow, .allowIn, .allowWith, .deny(nil), .denyWith(_, nil): false
        case .deny, .denyWith, .answer: true
        }
    }
}
