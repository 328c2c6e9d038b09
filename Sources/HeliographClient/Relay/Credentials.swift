package import RelayAccess

/// The relay to connect to, and the secret by which it knows this client.
package struct Credentials: Equatable, Sendable {
    package var relay: RelayAddress
    package var token: String
    /// The relay's name of this client.
    package var name: String?
    /// Authorities to trust besides the system's, as a PEM file.
    package var certificateAuthorityFile: String?

    package init(relay: RelayAddress, token: String, name: String? = nil, certificateAuthorityFile: String? = nil) {
        self.relay = relay
        self.token = token
        self.name = name
        self.certificateAuthorityFile = certificateAuthorityFile
    }

    /// Finds the credentials: flags come first, then the environment, the file, and `fallback`. `--data` is a flag that names a
    /// relay too.
    ///
    /// A stored token is sent only to the relay that issued it: naming another relay requires another token.
    package static func resolve(_ options: ClientOptions) throws(ClientError) -> Credentials {
        let environment = options.environment
        let named = options.relay ?? environment.nonEmpty("HELIOGRAPH_RELAY")
        var relay: RelayAddress?
        if let named {
            relay = RelayAddress(named)
            guard relay != nil else { throw ClientError(.usage, "“\(named)” is no address of a relay") }
        }
        let authorities = options.certificateAuthorityFile ?? environment.nonEmpty("HELIOGRAPH_CA_FILE")
        let token = options.token ?? environment.nonEmpty("HELIOGRAPH_TOKEN")
        if let token, !isUsable(token) { throw ClientError(.usage, "the token has characters that no token has") }
        if let relay, let token {
            return Credentials(relay: relay, token: token, certificateAuthorityFile: authorities)
        }
        var found: Credentials?
        if let data = options.namedData {
            found = options.fallbackCredentials()
            guard found != nil || relay != nil else {
                throw ClientError(
                    .unauthorised, "no relay of yours is set up in \(data)",
                    advice: "Without --data the command goes where “heliograph login” went.")
            }
        }
        if found == nil { found = try ClientFile(options).read() }
        if let relay, let stored = found, stored.relay != relay, token == nil { found = nil }
        if found == nil { found = options.fallbackCredentials() }
        guard var found, relay == nil || relay == found.relay else {
            throw ClientError(
                .unauthorised, relay.map { "not paired with \($0)" } ?? "not paired with a relay",
                advice: "On the relay's machine run “heliograph pair”, then here “heliograph login LINK”.")
        }
        if let token { found.token = token }
        if let authorities { found.certificateAuthorityFile = authorities }
        return found
    }

    static func isUsable(_ token: String) -> Bool {
        !token.isEmpty && token.utf8.count <= 1 << 10 && token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
