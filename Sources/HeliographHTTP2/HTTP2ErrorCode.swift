/// Why a stream was reset or a connection goes away: RFC 9113 §7, and any other code that a peer sends.
package struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let noError = Self(rawValue: 0x0)
    package static let protocolError = Self(rawValue: 0x1)
    package static let internalError = Self(rawValue: 0x2)
    /// The stream was not processed: it may be sent again.
    package static let refusedStream = Self(rawValue: 0x7)
    package static let cancel = Self(rawValue: 0x8)

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    package var description: String {
        rawValue < UInt32(Self.names.count) ? Self.names[Int(rawValue)] : "error \(rawValue)"
    }
}
