/// Addresses of a started relay, and the requirements for connections.
package struct RelayAddresses {
    package let port: UInt16
    package let credentials: Credentials
    let configuration: ServerConfiguration

    package var localURL: String { configuration.localURL(port: port) }
    package var publicURL: String { configuration.publicURL ?? configuration.certifiedURL(port: port) ?? localURL }
    /// The relay's addresses, for a person.
    package var places: String {
        localURL + (configuration.isOnEveryNetwork ? ", and on every other address of this machine" : "")
    }

    /// A sentence for the person who starts a relay that others can read along with; nil for every other.
    package var warning: String? {
        guard configuration.isOpenToOthers else { return nil }
        return """
            warning: it listens to others without TLS: they can read tokens and all that agents do, and browsers there get no notifications. \
            Use --tls-certificate and --tls-key, or --listen 127.0.0.1:\(port) behind a proxy with TLS and --public-url https://…
            """
    }

    /// True if a program on this machine can connect without more: a certificate is for the name that others use, and a PROXY header is a
    /// proxy's to send.
    var isPlainHere: Bool { configuration.tls == nil && !configuration.expectsProxyHeader }
}
