/// The one purpose for which a sealed text opens.
package enum SealedPurpose: Sendable, Equatable {
    /// A whole event of this kind.
    case event(kind: String)
    /// A session's line in lists.
    case line
    /// A `LivePiece` of that message, or of the output of that call.
    case live(of: String)
    /// A terminal's screen, for the client's command that asked for it.
    case screen(to: String)
    /// A person's text or keys with this command, or text for this approval.
    case words(with: String)
    /// A picture that a person has attached to a prompt. It is named by the digest of its sealed bytes, which is signed with the
    /// prompt.
    case picture

    package var form: Sealed.Shape {
        switch self {
        case .event, .line: .numbered
        case .live, .screen: .live
        case .words: .words
        case .picture: .picture
        }
    }

    /// ```
    /// domain("body")  ‖ LP(host) ‖ LP(session) ‖ u32 epoch ‖ u64 number ‖ LP(kind)
    /// domain("line")  ‖ LP(host) ‖ LP(session) ‖ u32 epoch ‖ u64 number
    /// domain("live")  ‖ LP(host) ‖ LP(session) ‖ u32 epoch ‖ LP(message or call)
    /// domain("screen") ‖ LP(host) ‖ LP(session) ‖ u32 epoch ‖ LP(command's id)
    /// domain("words") ‖ LP(host) ‖ LP(session) ‖ u32 epoch ‖ LP(command's id, or approval)
    /// domain("picture") ‖ LP(host) ‖ LP(session) ‖ u32 epoch
    /// ```
    func bound(to host: KeyID, _ session: String, epoch: EpochNumber, number: Int64) -> [UInt8] {
        var writer: StatementWriter
        switch self {
        case .event: writer = StatementWriter(domain: "body")
        case .line: writer = StatementWriter(domain: "line")
        case .live: writer = StatementWriter(domain: "live")
        case .screen: writer = StatementWriter(domain: "screen")
        case .words: writer = StatementWriter(domain: "words")
        case .picture: writer = StatementWriter(domain: "picture")
        }
        writer.part(host)
        writer.part(session)
        writer.number(epoch)
        if form == .numbered { writer.number(UInt64(number)) }
        switch self {
        case .event(let part), .live(let part), .screen(let part), .words(let part): writer.part(part)
        case .line, .picture: break
        }
        return writer.bytes
    }
}
