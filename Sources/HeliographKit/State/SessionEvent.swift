public import Foundation
internal import RelayProtocol

/// One event of the session on the screen. Kinds and fields are those of the wire.
public struct SessionEvent: Sendable, Hashable, Identifiable {
    /// The event's number in the session's log.
    public let id: Int
    /// The kind, such as `message` or `tool.started`; an app shows unknown kinds as unsupported.
    public let kind: String
    public let at: Date
    /// Text of the message or the action, safe to show.
    public let text: String?
    /// A warning to show before this event, if its host seals: the relay left out events, or this one was not sealed.
    public let remark: String?
    /// The whole event as its host wrote it, opened if it was sealed. No host states the kind `unopened`: such an event cannot be
    /// trusted, and is not shown as true.
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
