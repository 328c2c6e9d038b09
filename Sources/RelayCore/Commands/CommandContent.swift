import RelayProtocol

/// A hash (FNV-1a) and length of a command's content, to detect another command with the same name without keeping the content. A
/// client that finds a collision confuses only its own commands.
struct CommandContent: Equatable {
    private let count: Int
    private let hash: UInt64

    init(_ request: SteeringRequest) {
        // Without the client's name, which may have changed when the command is sent again.
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
