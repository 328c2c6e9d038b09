/// Addresses of a started relay, and what a connection to it requires.
package struct RelayAddresses {
    package let port: UInt16
    package let credentials: Credentials
    let configuration: ServerConfiguration

    package var localURL: String { configuration.localURL(port: port) }
    package var publicURL: String { configuration.publicURL ?? configuration.certifiedURL(port: port) ?? localURL }
    /// The relay's addresses as a text for people.
    package var places: String {
        localURL + (configuration.isOnEveryNetwork ? ", and on every other address of this machine" : "")
    }

    /// A warning for the person who starts a relay whose traffic others can read; nil if they cannot.
    package var warning: String? {
        guard configuration.isOpenToOthers else { return nil }
        return """
            warning: it listens to others without TLS: they can read tokens and all that agents do, and browsers there get no notifications. \
            Use --tls-certificate and --tls-key, or --listen 127.0.0.1:\(port) behind a proxy with TLS and --public-url https://…
            """
    }

    /// True if a program on this machine can connect without TLS and without a PROXY header: a certificate is for the public name,
    /// and only a proxy sends that header.
    var isPlainHere: Bool { configuration.tls == nil && !configuration.expectsProxyHeader }
}
