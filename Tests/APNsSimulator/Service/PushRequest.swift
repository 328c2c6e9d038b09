/// One HTTP/2 request with its complete body.
package struct PushRequest: Sendable {
    package var method: String
    package var path: String
    /// Headers in order, repeated ones included, with names in lower case; without pseudo-headers.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(method: String = "POST", path: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }

    package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// True if a header that may occur once occurs twice. A cookie may be split, and is not checked.
    var hasDuplicateHeaders: Bool {
        var seen: Set<String> = []
        return headers.contains { $0.name != "cookie" && !seen.insert($0.name).inserted }
    }
}
