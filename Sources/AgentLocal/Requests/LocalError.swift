package import RelayProtocol

/// The reason why a program's request was refused; nothing of it was accepted.
package struct LocalError: Error, Equatable, Sendable {
    package enum Code: Equatable, Sendable {
        /// The request violates the protocol.
        case wire(WireError.Code)
        /// Only the host or the relay makes events of that kind, or with that status.
        case notYours
        /// The request exceeds a limit.
        case tooMany
        /// Another question has that name.
        case conflict

        package var word: String {
            switch self {
            case .wire(let code): code.rawValue
            case .notYours: "notYours"
            case .tooMany: "tooMany"
            case .conflict: "conflict"
            }
        }
    }

    /// The path of requests that are refused until the program has sent the offer of its session.
    package static let offerPath = "$.offer"

    package let code: Code
    /// The place of the error: `$.head.title`, or `byte 17` if the JSON itself is invalid.
    package let path: String
    package let message: String
    /// The faulty line of a request of many lines, from 1.
    package var line: Int?

    init(_ code: Code, at path: String, _ message: String) {
        self.code = code
        self.path = path
        self.message = message
    }

    package init(_ error: WireError) { self.init(.wire(error.code), at: error.path, error.message) }

    /// The HTTP status.
    package var status: UInt16 {
        switch code {
        case .wire, .notYours: 400
        case .conflict: 409
        case .tooMany: 429
        }
    }

    package var bytes: [UInt8] {
        JSONWriter.object {
            $0.field("code", code.word)
            $0.field("message", message)
            $0.field("path", path)
            $0.field("line", line.map(Int64.init))
        }
    }

    /// Calls `read`, turning the wire's errors into errors of this type.
    static func reading<Result>(_ read: () throws(WireError) -> Result) throws(LocalError) -> Result {
        do throws(WireError) { return try read() } catch { throw LocalError(error) }
    }
}
