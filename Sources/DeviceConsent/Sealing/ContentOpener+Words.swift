internal import Consent
package import RelayProtocol

/// Seals a person's words to a session whose host seals. Signatures are over the sealed text.
extension ContentOpener {
    /// Longest text that a person can send: sealed and in base64url it has to fit the wire.
    private static let textBytesMax = (WireLimits.textBytesMax - 128) / 4 * 3
    /// Longest rule, for the same reason.
    private static let lineBytesMax = (WireLimits.lineBytesMax - 128) / 4 * 3

    /// `id` is the command's.
    package mutating func sealed(
        _ action: SteeringAction, as id: CommandID, to session: SessionID
    ) throws(SealingError) -> SteeringAction {
        guard sessions[session] != nil else { return action }
        switch action {
        case .prompt(var prompt):
            try Self.check(prompt.pictures)
            if prompt.isCommand {
                let rest = prompt.text.dropFirst(prompt.command.count).drop(while: \.isWhitespace)
                let words = rest.isEmpty ? "" : try " " + sealed(String(rest), with: id.rawValue, in: session)
                prompt.text = try alias(of: prompt.command, in: session) + words
            } else {
                prompt.text = try sealed(prompt.text, with: id.rawValue, in: session)
            }
            return .prompt(prompt)
        case .launch(var launch):
            try Self.check(launch.pictures)
            launch.project = try alias(of: launch.project, in: session)
            if let text = launch.text { launch.text = try sealed(text, with: id.rawValue, in: session) }
            return .launch(launch)
        case .ruleOff(let rule): return .ruleOff(try sealed(rule, with: id.rawValue, in: session))
        case .ruleAdd(let text): return .ruleAdd(try sealed(text, with: id.rawValue, in: session, Self.lineBytesMax))
        case .ruleChange(let rule, let text):
            return .ruleChange(
                try sealed(rule, with: id.rawValue, in: session),
                to: try sealed(text, with: id.rawValue, in: session, Self.lineBytesMax))
        case .ruleTry(let text):
            return text.isEmpty ? action : .ruleTry(try sealed(text, with: id.rawValue, in: session, Self.lineBytesMax))
        case .mode, .model, .askAll, .interrupt, .stop: return action
        }
    }

    /// Choices go out as the numbers that the relay was shown in place of their labels.
    package mutating func sealed(
        _ verdict: Decision.Verdict, on approval: ApprovalID, of session: SessionID
    ) throws(SealingError) -> Decision.Verdict {
        if unknownHosts.contains(session), sessions[session] == nil, verdict.hasWords {
            throw SealingError(.unknownHost, "this is sealed, and the relay does not say by which host")
        }
        guard sessions[session] != nil else { return verdict }
        func words(_ text: String?) throws(SealingError) -> String? {
            guard let text else { return nil }
            return try sealed(text, with: approval.rawValue, in: session)
        }
        switch verdict {
        case .allow, .allowIn, .allowWith: return verdict
        case .allowEdited(let edit): return .allowEdited(try sealed(edit, with: approval.rawValue, in: session))
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

    /// Seals a picture for a prompt to this session; nil if its host does not seal.
    package mutating func sealed(picture: [UInt8], for session: SessionID) throws(SealingError) -> [UInt8]? {
        guard sessions[session] != nil else { return nil }
        return try seal(for: session).seal(picture, as: .picture, nonce: self.nonce()).bytes
    }

    private static func check(_ pictures: [Picture]) throws(SealingError) {
        guard pictures.allSatisfy({ $0.type == .sealed }) else {
            throw SealingError(.notOffered, "a picture is not sealed, although the session's host seals")
        }
    }

    /// The alias of a name in the opened offer; other names are not sent.
    private func alias(of name: String, in session: SessionID) throws(SealingError) -> String {
        guard let host = sessions[session], names[session]?.contains(name) == true, keys.current(of: host) != nil,
            let alias = keys.aliases(of: name, host).first
        else { throw SealingError(.notOffered, "“\(VisibleText.line(name))” is not offered, as far as this device can read") }
        return alias
    }

    private mutating func sealed(
        _ text: String, with id: String, in session: SessionID, _ bytesMax: Int = ContentOpener.textBytesMax
    ) throws(SealingError) -> String {
        guard text.utf8.count <= bytesMax else {
            throw SealingError(.tooLong, "to a host that seals its content such a text has at most \(bytesMax) bytes")
        }
        return try seal(for: session).seal(Array(text.utf8), as: .words(with: id), nonce: self.nonce()).text
    }

    /// The seal of the newest epoch. Throws if this device does not have its key.
    private mutating func seal(for session: SessionID) throws(SealingError) -> SessionSeal {
        if let host = sessions[session], keys.canOpen(host), keys.current(of: host) == nil {
            throw SealingError(.oldKey, "its host has a newer key than this device was given")
        }
        guard let host = sessions[session], let epoch = keys.current(of: host), let seal = keys.seal(of: session, host, epoch)
        else {
            throw SealingError(.noKey, "this device has no key to seal that with")
        }
        return seal
    }
}

extension Decision.Verdict {
    fileprivate var hasWords: Bool {
        switch self {
        case .allow, .allowIn, .allowWith, .deny(nil), .denyWith(_, nil): false
        case .allowEdited, .deny, .denyWith, .answer: true
        }
    }
}
