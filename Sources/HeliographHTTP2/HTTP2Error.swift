/// Why the engine could not do what it was asked.
package struct HTTP2Error: Error, Equatable, CustomStringConvertible {
    package enum Code: Sendable {
        /// The address cannot be listened on.
        case cannotListen
        /// The system gave no thread, descriptor or epoll.
        case systemFailed
        /// The connection does not exist, is not open yet, or accepts no new streams after a GOAWAY.
        case notOpen
        /// The peer allows no more streams at the moment.
        case streamLimit
        /// A header cannot be sent.
        case invalidMessage
        /// The peer violated HTTP, or nghttp2 could not continue.
        case protocolBroken
        /// The engine is stopping.
        case stopped
    }

    package let code: Code

    /// A sentence for the operator.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
