internal import RelayProtocol

/// An event without its time.
struct Told {
    let head: EventHead
    let body: (inout JSONWriter) -> Void

    init(_ head: EventHead, body: @escaping (inout JSONWriter) -> Void = { _ in }) {
        self.head = head
        self.body = body
    }

    func event(at: Int64) -> Event { Event(head, at: at, body: body) }
}
