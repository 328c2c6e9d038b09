import WebSocketEngine

extension HTTPRequest {
    /// Memory needed to keep the request.
    var keptBytes: Int {
        let around = path.utf8.count + (query?.utf8.count ?? 0)
        return headers.reduce(body.count + around) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
}
