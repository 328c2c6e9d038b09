internal import WebSocketEngine

/// The requests that came over the local socket in one turn of the loop, in the order in which their senders connected.
///
/// An agent goes on if a hook waits for too long: after a stall the hooks of several of its steps are read in one turn, in any
/// order, and the end of a tool call must not come before its start.
struct Arrivals {
    enum Arrival {
        case request(HTTPRequest, HTTPRequestID)
        /// The sender of this request has left.
        case gone(HTTPRequestID)
    }

    private var requests: [(request: HTTPRequest, id: HTTPRequestID)] = []
    private var gone: Set<HTTPRequestID> = []

    mutating func received(_ request: HTTPRequest, _ id: HTTPRequestID) { requests.append((request, id)) }

    /// Returns false if the request came in an earlier turn.
    mutating func left(_ id: HTTPRequestID) -> Bool {
        guard requests.contains(where: { $0.id == id }) else { return false }
        gone.insert(id)
        return true
    }

    /// Returns all arrivals of the turn, once it is over.
    mutating func take() -> [Arrival] {
        defer { (requests, gone) = ([], []) }
        func place(_ one: (request: HTTPRequest, id: HTTPRequestID)) -> (UInt64, UInt64) {
            (one.request.connection?.rawValue ?? 0, one.id.rawValue)
        }
        return requests.sorted { place($0) < place($1) }.flatMap { request, id in
            [.request(request, id)] + (gone.contains(id) ? [.gone(id)] : [])
        }
    }
}
