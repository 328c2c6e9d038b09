package import RelayProtocol

/// What a person scans or pastes: `RELAY/#pair=CODE` for a client, `RELAY/#host=CODE` for a host.
package struct PairingLink: Sendable, Equatable {
    package var relay: RelayAddress
    package var code: String
    package var role: PairingRole

    private static let codeBytesMax = 256

    package init(_ text: String) throws(HostError) {
        let parts = text.split(separator: "#", maxSplits: 1)
        guard parts.count == 2 else {
            throw HostError(.badConfiguration, "a pairing link looks like https://relay.example/#host=CODE")
        }
        relay = try RelayAddress(String(parts[0]))
        let fragment = parts[1].split(separator: "=", maxSplits: 1)
        switch fragment.first {
        case "pair": role = .client
        case "host": role = .host
        default: throw HostError(.badConfiguration, "a pairing link ends in #host=CODE or #pair=CODE")
        }
        code = fragment.count == 2 ? String(fragment[1]) : ""
        guard (1...Self.codeBytesMax).contains(code.utf8.count), code.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw HostError(.badConfiguration, "the pairing link has no code")
        }
    }
}
