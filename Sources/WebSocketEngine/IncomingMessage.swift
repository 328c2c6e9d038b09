/// One whole WebSocket message, put together from its fragments.
package struct IncomingMessage: Equatable, Sendable {
    package enum Kind: Sendable { case text, binary }

    package var kind: Kind

    /// A text message's are valid UTF-8, which has been checked.
    package var bytes: [UInt8]

    package init(kind: Kind, bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }
}
