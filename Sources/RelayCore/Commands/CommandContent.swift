import RelayProtocol

/// Tells a command from another one under the same name, without keeping it: all that it says, hashed (FNV-1a). Whoever finds two that are alike
/// in it has them taken for one, of its own alone.
struct CommandContent: Equatable {
    private let count: Int
    private let hash: UInt64

    init(_ request: SteeringRequest) {
        // Without the client's name, which may be another by the time that it is sent again.
        let bytes = JSONWriter.object { writer in
            writer.field("kind", request.action.kind.rawValue)
            writer.field("session", request.session)
            writer.field("signature", request.signature)
            request.action.write(to: &writer)
        }
        count = bytes.count
        hash = bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}
