/// The one purpose as which a sealed text opens.
package enum SealedPurpose: Sendable, Equatable {
    /// A whole event of that kind.
    case event(kind: String)
    /// A session's line in lists.
    case line
    /// A piece of that message, or the output of that call.
    case live(of: String)
    /// A person's text with that command, or to that approval.
    case words(with: String)

    package var form: Sealed.Shape {
        switch self {
        case .event, .line: .numbered
        case .live: .live
        case .words: .words
        }
    }

    /// ```
    /// domain("body")  ‖ LP(host) ‖ LP(session) ‖ u32 epoch ‖ u64 number ‖ LP(kind)
    /// domain("line")  ‖ LP(host) ‖ LP(session) ‖ u32 epoch ‖ u64 number
    /// domain("live")  ‖ LP(host) ‖ LP(session) ‖ u32 epoch ‖ LP(message or call)
    /// domain("words") ‖ LP(host) ‖ LP(session) ‖ u32 epoch ‖ LP(command's id, or approval)
    /// ```
    func bound(to host: KeyID, _ session: String, epoch: EpochNumber, number: Int64) -> [UInt8] {
        var writer: StatementWriter
        switch self {
        case .event: writer = StatementWriter(domain: "body")
        case .line: writer = StatementWriter(domain: "line")
        case .live: writer = StatementWriter(domain: "live")
        case .words: writer = StatementWriter(domain: "words")
        }
        writer.part(host)
        writer.part(session)
        writer.number(epoch)
        if form == .numbered { writer.number(UInt64(number)) }
        switch self {
        case .event(let part), .live(let part), .words(let part): writer.part(part)
        case .line: break
        }
        return writer.bytes
    }
}
