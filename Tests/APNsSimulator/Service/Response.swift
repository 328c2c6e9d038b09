internal import RelayProtocol

/// The service's response to one request.
package struct Response: Sendable {
    package var status: Int
    /// Nil on success.
    package var reason: Reason?
    /// Headers besides `:status`, with names in lower case.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    static func success(_ status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8] = []) -> Response {
        let type = body.isEmpty ? [] : [(name: "content-type", value: "application/json")]
        return Response(status: status, headers: type + headers, body: body)
    }

    /// `timestamp` is the time since which the token is known to be dead, in milliseconds since 1970; for 410 only.
    static func refusal(
        _ reason: Reason, status: Int? = nil, timestamp: Int64? = nil, headers: [(name: String, value: String)] = []
    ) -> Response {
        let body = JSONWriter.object { body in
            body.field("reason", reason.rawValue)
            body.field("timestamp", timestamp)
        }
        return Response(
            status: status ?? reason.status, reason: reason,
            headers: [(name: "content-type", value: "application/json")] + headers, body: body)
    }
}

/// Why a request is refused; thrown by the checks, and turned into a response in one place.
struct RefusalError: Error {
    let reason: Reason
    /// Milliseconds since 1970.
    var timestamp: Int64?

    init(_ reason: Reason, timestamp: Int64? = nil) {
        self.reason = reason
        self.timestamp = timestamp
    }
}
