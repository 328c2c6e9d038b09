/// A whole WebSocket message, assembled from its fragments.
package struct IncomingMessage: Equatable, Sendable {
    package enum Kind: Sendable { case text, binary }

    package var kind: Kind

    /// The payload. That of a text message was checked to be valid UTF-8.
    package var bytes: [UInt8]

    package init(kind: Kind, bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }
}
