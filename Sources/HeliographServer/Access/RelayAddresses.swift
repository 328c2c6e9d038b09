/// Where a relay that has started is reached, and by what it lets others in.
package struct RelayAddresses {
    package let port: UInt16
    package let credentials: Credentials
    let configuration: ServerConfiguration

    package var localURL: String { configuration.localURL(port: port) }
    package var publicURL: String { configuration.publicURL ?? configuration.certifiedURL(port: port) ?? localURL }
    /// Whether a program on this machine gets in there as it is: a certificate is for the name that others use, and a PROXY header
    /// is a proxy's to send.
    var isPlainHere: Bool { configuration.tls == nil && !configuration.expectsProxyHeader }
}
