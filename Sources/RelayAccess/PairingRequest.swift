package import RelayProtocol

/// A link that a person scanned or pasted: `RELAY/#pair=CODE` for a client, `RELAY/#host=CODE` for a host. A client's may continue
/// with `&k=SECRET`, which is for hosts and never sent to the relay.
package struct PairingLink: Equatable, Sendable {
    package let relay: RelayAddress
    package let code: String
    package let role: PairingRole
    /// The secret with which hosts come to trust the client, as text.
    package let trust: String?

    package init?(_ text: String) {
        guard let mark = text.firstIndex(of: "#"), let relay = RelayAddress(String(text[..<mark])) else { return nil }
        let parts = text[text.index(after: mark)...].split(separator: "&", maxSplits: 1, omittingEmptySubsequences: false)
        guard let code = Self.value("pair", parts[0]) ?? Self.value("host", parts[0]) else { return nil }
        role = parts[0].hasPrefix("host") ? .host : .client
        if parts.count == 2 {
            guard role == .client, let secret = Self.value("k", parts[1]) else { return nil }
            trust = secret
        } else {
            trust = nil
        }
        self.relay = relay
        self.code = code
    }

    private static func value(_ name: String, _ part: Substring) -> String? {
        guard part.hasPrefix(name + "=") else { return nil }
        let value = part.dropFirst(name.count + 1)
        guard (1...256).contains(value.utf8.count), value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        return String(value)
    }
}

/// Redeems a pairing code for a token. Blocks the calling thread as long as `HTTPExchange` and `LinkProbe` do.
package struct PairingRequest: Sendable {
    package struct Result: Equatable, Sendable {
        package var token: String
        package var role: PairingRole
        package var name: String
    }

    package var link: PairingLink
    /// The name that the relay will use for this machine.
    package var name: String
    package var certificateAuthorityFile: String?
    /// A host's earlier token of the same relay: it proves that this machine may continue the sessions of that host. Sent in the
    /// body and not as `Authorization`, because it may be revoked by now.
    package var previousToken: String?
    /// A token of its own making, kept before it is sent: if the answer is lost, the same request gets it again.
    package var ownToken: String?

    package init(
        link: PairingLink, name: String, certificateAuthorityFile: String? = nil, previousToken: String? = nil,
        ownToken: String? = nil
    ) {
        self.link = link
        self.name = name
        self.certificateAuthorityFile = certificateAuthorityFile
        self.previousToken = previousToken
        self.ownToken = ownToken
    }

    var body: [UInt8] {
        PairCall(
            code: link.code, name: name, previous: previousToken, token: ownToken,
            kind: link.role.isClient ? "terminal" : nil
        ).bytes
    }

    package func perform() throws(PairingError) -> Result {
        let answer: HTTPExchange.Answer
        do {
            // Tested first, as a code works only once: it is not used up if links cannot pass the proxy.
            if try ProxySettings.environment.proxy(for: link.relay) != nil {
                try LinkProbe(relay: link.relay, certificateAuthorityFile: certificateAuthorityFile).perform()
            }
            answer = try HTTPExchange(
                relay: link.relay, path: ProtocolVersion.pairPath, body: body,
                certificateAuthorityFile: certificateAuthorityFile
            ).perform()
        } catch { throw .noAnswer(error) }
        return try Self.read(answer, role: link.role)
    }

    static func read(_ answer: HTTPExchange.Answer, role: PairingRole) throws(PairingError) -> Result {
        guard answer.status == 200 || answer.status == 201 else { throw refusal(by: answer) }
        let given: PairAnswer
        do throws(WireError) { given = try PairAnswer(parsing: answer.body) } catch { throw .notARelay }
        // Checked, as the token is put into a header of each connection.
        guard case .token(let token) = given.secret, !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .notARelay
        }
        guard given.role.isClient == role.isClient else { throw .otherRole(given.role) }
        return Result(token: token, role: given.role, name: given.name)
    }

    /// A relay says why it takes no code; without its word what answers is something else, or a proxy on the way.
    static func refusal(by answer: HTTPExchange.Answer) -> PairingError {
        let sentence = notice(in: answer)?.message
        let isRelays = sentence != nil || answer.status == 429 || answer.status >= 500
        return isRelays ? .refused(status: answer.status, sentence) : .notARelay
    }

    /// The relay's notice, if the answer has one: `{"error":{"code","message"}}`, or the notice itself.
    static func notice(in answer: HTTPExchange.Answer) -> Notice? {
        guard let value = try? JSONDocument(parsing: answer.body).root else { return nil }
        if let error = value.optional("error"), let notice = try? Notice(from: error) { return notice }
        return try? Notice(from: value)
    }
}

package enum PairingError: Error, Equatable, Sendable {
    case noAnswer(HTTPError)
    /// The code is unknown, used or expired, or the relay accepts no more tokens.
    case refused(status: Int, String?)
    case notARelay
    /// The code was for the other kind of peer.
    case otherRole(PairingRole)
    /// Somebody has entered the workspace of this key, or it is gone.
    case usedKey

    package var message: String {
        switch self {
        case .noAnswer(let fault): fault.message
        case .refused(let status, let sentence): sentence ?? "what answers there says HTTP \(status)"
        case .notARelay: "what answers there is not a relay, or the relay is below a path"
        case .otherRole(let role): "that code is for a \(role.rawValue)"
        case .usedKey: "the workspace that was registered here before is in use, or gone"
        }
    }
}
