/// One HTTP/2 request as it came, the body complete.
package struct PushRequest: Sendable {
    package var method: String
    package var path: String
    /// Names in lower case, in the order they came, repeated ones too. Pseudo headers are not among them.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(method: String = "POST", path: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }

    package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// True if a header that may occur once occurs twice. A cookie may be split, and is not read here.
    var hasDuplicateHeaders: Bool {
        var seen: Set<String> = []
        return headers.contains { $0.name != "cookie" && !seen.insert($0.name).inserted }
    }
}
