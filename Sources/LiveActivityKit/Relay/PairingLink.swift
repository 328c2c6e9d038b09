public import Foundation

/// The link that a person scans to pair the app: `RELAY/#pair=CODE`. The app sends the code to the relay only.
public struct PairingLink: Hashable, Sendable {
    /// The relay's address, such as `https://relay.example` or `https://example.org/relay`.
    public let relay: URL
    package let code: String

    /// Throws `badLink`, with a sentence for the person.
    public init(_ text: String) throws(LiveActivityError) {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let halves = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard text.utf8.count <= 2_048, halves.count == 2, halves[1].hasPrefix("pair=") || halves[1].hasPrefix("host=") else {
            throw LiveActivityError(.badLink, "this is no pairing link: on the relay's machine, “heliograph pair” shows one")
        }
        guard halves[1].hasPrefix("pair=") else {
            throw LiveActivityError(.badLink, "this link is for a machine with agents, not for a phone")
        }
        // The rest of the fragment is between this device and its hosts, and must not be sent to the relay.
        let code = halves[1].dropFirst("pair=".count).prefix { $0 != "&" }
        var address = halves[0]
        while address.last == "/" { address.removeLast() }
        guard (1...256).contains(code.utf8.count), code.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !address.contains(where: { "?@\\\"<>".contains($0) }),
            let relay = URL(string: String(address))
        else { throw LiveActivityError(.badLink, "this pairing link is not whole") }
        do { try HTTPRelayReporter.check(relay) } catch { throw LiveActivityError(.badLink, error.message) }
        self.relay = relay
        self.code = String(code)
    }

    /// Redeems the code, which works once and within ten minutes. `name` is the relay's name for this phone from now on. Keep the token
    /// in the `Keychain`, and the relay's address with it.
    ///
    /// Throws `notFound` if the code is unknown, used or too old, `unreachable`, `busy`, `refused` or `badAnswer`. After `unreachable`
    /// the code may be used up: the person makes another.
    public func redeem(name: String, exchange: any HTTPExchanging) async throws(LiveActivityError) -> Pairing {
        let request = try RelayRequest(redeeming: self, name: name)
        let answer = try await exchange.exchange(request, relay: relay, token: nil)
        try RelayRequest.check(status: answer.status, answer.body)
        guard let pairing = try? JSONDecoder().decode(Pairing.Answer.self, from: answer.body),
            ["client", "watcher", "operator"].contains(pairing.role),
            !pairing.token.isEmpty, pairing.token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw LiveActivityError(.badAnswer, "what answers there is not a relay") }
        return Pairing(relay: relay, token: pairing.token, name: pairing.name)
    }
}

/// Result of pairing.
public struct Pairing: Hashable, Sendable {
    struct Answer: Decodable {
        var token: String
        var role: String
        var name: String
    }

    public let relay: URL
    /// Secret, for the keychain.
    public let token: String
    /// The relay's name for this app.
    public let name: String
}
