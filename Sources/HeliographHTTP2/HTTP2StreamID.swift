/// Names a connection of one loop; never reused.
package struct HTTP2ConnectionID: Hashable, Sendable {
    package let rawValue: UInt64
}

/// Identifies a stream: its connection and its number there, odd if the client began it.
package struct HTTP2StreamID: Hashable, Sendable {
    package let connection: HTTP2ConnectionID
    package let number: Int32

    package init(connection: HTTP2ConnectionID, number: Int32) {
        self.connection = connection
        self.number = number
    }
}
