/// Why the engine could not do what it was asked.
package struct WebSocketEngineError: Error, CustomStringConvertible {
    package enum Code: Sendable {
        /// libwebsockets could not set itself up.
        case initialisationFailed
        /// The address cannot be listened on.
        case cannotListen
        /// A connection that another component was to open is missing.
        case cannotConnect
        /// The address, a header or a file name cannot be used.
        case invalidConfiguration
        /// A certificate, key or authority file cannot be used.
        case invalidCertificate
        /// The loop is stopping.
        case stopped
    }

    package let code: Code

    /// A sentence for the operator.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
