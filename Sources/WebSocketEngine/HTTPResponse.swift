/// The whole response to a plain HTTP request. The engine adds `content-length` and `connection`.
package struct HTTPResponse: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        case staticBytes(StaticString)

        package var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .staticBytes(let text): text.utf8CodeUnitCount
            }
        }
    }

    package var status: UInt16

    /// Characters that could end a line are left out when the header is written.
    package var headers: [(String, String)]

    /// Not sent in response to HEAD, though its length is.
    package var body: Body

    package init(status: UInt16, headers: [(String, String)] = [], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
