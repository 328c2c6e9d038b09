import RelayModel

/// Queues of the clients' requests, served in turn: each client's first, then each one's second. A client with hundreds of requests
/// delays another by one at a time.
struct Turns<Element> {
    /// Each client's elements, in the order in which it asked.
    private var queues: [ClientKey: [Element]] = [:]
    /// Clients that wait; the next one is at `start`, and those served longest ago come first.
    private var circle: [ClientKey] = []
    private var start = 0

    var isEmpty: Bool { queues.isEmpty }

    mutating func add(_ element: Element, of client: ClientKey) {
        if queues[client] == nil { circle.append(client) }
        queues[client, default: []].append(element)
    }

    mutating func next() -> Element? {
        guard start < circle.endIndex else { return nil }
        let client = circle[start]
        start += 1
        if start > circle.count / 2 {
            circle.removeFirst(start)
            start = 0
        }
        guard var queue = queues.removeValue(forKey: client) else {
            preconditionFailure("a client in the circle has a queue")
        }
        let element = queue.removeFirst()
        if !queue.isEmpty {
            queues[client] = queue
            circle.append(client)
        }
        return element
    }

    /// Takes back some of what is waited for.
    mutating func remove(_ isGone: (Element) -> Bool) {
        queues = queues.compactMapValues { queue in
            let rest = queue.filter { !isGone($0) }
            return rest.isEmpty ? nil : rest
        }
        circle = circle[start...].filter { queues[$0] != nil }
        start = 0
    }

    var count: Int { queues.values.reduce(0) { $0 + $1.count } }
}
