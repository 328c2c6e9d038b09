public import Foundation
internal import RelayProtocol

/// One event of the session on the screen. Kinds and fields are those of the wire.
public struct SessionEvent: Sendable, Hashable, Identifiable {
    /// The event's number in the session's log.
    public let id: Int
    /// Such as `message` or `tool.started`; an app shows kinds that it does not know as unsupported.
    public let kind: String
    public let at: Date
    /// The message, or the action: safe to show.
    public let text: String?
    /// A doubt about the place before this event of a host that seals: the relay left some out, or this one was not sealed.
    public let remark: String?
    /// The whole event, exactly as its host wrote it, or opened. `unopened` is no kind of a host's: the event is not shown as true.
    public let json: Data

    init(_ bytes: [UInt8], number: Int64, remark: String? = nil) {
        let event = try? JSONDocument(parsing: bytes).root
        let head = event?.optional("head")
        id = Int(number)
        kind = (try? event?.string("kind")) ?? ""
        at = Date(milliseconds: (try? event?.integer("at")) ?? 0)
        let said = (try? event?.optional("body")?.optionalString("text")) ?? (try? head?.optionalString("summary"))
        let problem = try? event?.optional("body")?.optionalString("problem")
        let done = said ?? problem ?? (try? head?.optionalString("operation")) ?? (try? head?.optionalString("message"))
        text = done.map { VisibleText.prose($0) }
        self.remark = remark
        json = Data(bytes)
    }
}
