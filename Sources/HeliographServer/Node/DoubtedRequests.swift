import WebSocketEngine

/// Requests with a token that this node does not know, kept until it has read the tokens again. Confined to the main loop's thread.
final class DoubtedRequests {
    /// Limit of all kept requests: with an ordinary body each, enough for half of `PacedReads.waitingMax`.
    static let bytesMax = 8 << 20

    private let reads: PacedReads
    private var requests: [HTTPRequestID: HTTPRequest] = [:]
    private var bytes = 0

    init(_ reads: PacedReads) { self.reads = reads }

    /// `done` gets the request back when a read that began after this has ended, with whether it succeeded; never if the request
    /// was dropped meanwhile. False: too much is kept already, and this request is not.
    func keep(_ request: HTTPRequest, _ id: HTTPRequestID, then done: @escaping (HTTPRequest, Bool) -> Void) -> Bool {
        precondition(requests[id] == nil, "a request comes once")
        guard requests.count < PacedReads.waitingMax, bytes + request.keptBytes <= Self.bytesMax else { return false }
        requests[id] = request
        bytes += request.keptBytes
        reads.askInTime { [weak self] wasRead in
            guard let request = self?.take(id) else { return }
            done(request, wasRead)
        }
        return true
    }

    /// The request's client has disconnected.
    func drop(_ id: HTTPRequestID) { _ = take(id) }

    private func take(_ id: HTTPRequestID) -> HTTPRequest? {
        guard let request = requests.removeValue(forKey: id) else { return nil }
        bytes -= request.keptBytes
        return request
    }
}
