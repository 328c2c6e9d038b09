/// A whole request or a whole response.
package struct HTTP2Message: Equatable, Sendable {
    /// Headers in wire order; pseudo-headers come first.
    package var headers: [HTTP2Header]
    package var body: [UInt8]

    package init(headers: [HTTP2Header], body: [UInt8] = []) {
        self.headers = headers
        self.body = body
    }

    /// A response with this status, headers and body.
    package init(status: Int, headers: [HTTP2Header] = [], body: [UInt8] = []) {
        self.init(headers: [HTTP2Header(":status", String(status))] + headers, body: body)
    }

    /// The first field of that name.
    package subscript(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The status of a response.
    package var status: Int? { self[":status"].flatMap { Int($0) } }
}
