internal import HeliographPlatform
internal import RelayAccess
internal import RelayProtocol

/// `client.json`: `{"relay", "token", "name", "ca"?}`, readable only by its owner.
package struct ClientFile: Sendable {
    static let bytesMax = 64 << 10

    package let path: String
    private let file: PrivateFile

    package init(path: String) {
        self.path = path
        file = PrivateFile(path: path)
    }

    package init(_ options: ClientOptions) {
        self.init(path: options.configurationFile ?? Self.folder(options.environment) + "/client.json")
    }

    /// The folder of the file: `$XDG_CONFIG_HOME/heliograph`, which counts only if it is absolute, or `~/.config/heliograph`.
    package static func folder(_ environment: Environment) -> String {
        if let base = environment.nonEmpty("XDG_CONFIG_HOME"), base.hasPrefix("/") { return base + "/heliograph" }
        // Never the working folder, because the file contains a token.
        return (environment.nonEmpty("HOME") ?? UserRecord.home) + "/.config/heliograph"
    }

    /// The credentials; nil if there is no file.
    package func read() throws(ClientError) -> Credentials? {
        guard let bytes = try file.read(bytesMax: Self.bytesMax) else { return nil }
        do throws(WireError) {
            let value = try JSONDocument(parsing: bytes).root.object()
            let token = try value.string("token")
            guard let relay = RelayAddress(try value.string("relay")), Credentials.isUsable(token) else {
                throw WireError(.badValue, at: "$", "the relay or the token is not valid")
            }
            return Credentials(
                relay: relay, token: token, name: try value.optionalString("name"),
                certificateAuthorityFile: try value.optionalString("ca"))
        } catch {
            throw ClientError(
                .failed, "\(path) is not as it should be: \(error.path): \(error.message)",
                advice: "Pair again with “heliograph login LINK”.")
        }
    }

    package func write(_ credentials: Credentials) throws(ClientError) {
        let bytes = JSONWriter.object {
            $0.field("relay", credentials.relay.description)
            $0.field("token", credentials.token)
            $0.field("name", credentials.name)
            $0.field("ca", credentials.certificateAuthorityFile)
        }
        try file.write(bytes + [10])
    }

    /// Throws if the file could not be written, tried with more bytes than pairing writes. Checked before a pairing link is used,
    /// which works once.
    package func checkWritable() throws(ClientError) { try file.checkWritable(bytes: 4 << 10) }

    /// Removes the file.
    ///
    /// - Returns: false if there was none.
    package func remove() throws(ClientError) -> Bool { try file.remove() }
}
