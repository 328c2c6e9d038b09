/// An order to the transport, about the connection and the stream of an input.
package enum Order: Sendable {
    /// `after` in milliseconds.
    case answer(Response, after: Int64)
    /// A new SETTINGS_MAX_CONCURRENT_STREAMS.
    case limitStreams(Int)
    /// RST_STREAM with this error code of RFC 9113 §7.
    case reset(code: UInt32)
    /// `reason` is sent as JSON, like Apple's. Open streams are still answered, unless it `closes`.
    case goAway(lastStream: LastStream, reason: Reason?, closes: Bool)
    /// Sends the response only up to a point, then ends the TCP connection.
    case cut(Response, Cut)
    /// Ends the TCP connection; `resets` with RST, otherwise with FIN.
    case close(resets: Bool)
    /// Neither reads nor writes from now on, but keeps the connection, as if the network had failed silently.
    case blackHole
    /// Reads, but never opens the flow-control window again.
    case starveWindow

    package enum LastStream: Sendable, Equatable {
        /// Every stream opened so far is still served.
        case all
        /// The stream before this one: this request may safely be sent again.
        case before
        /// An explicit stream.
        case number(Int32)
    }

    package enum Cut: String, Sendable, CaseIterable {
        /// The response's HEADERS are sent, its body is not.
        case afterHeaders
        /// Half of the HEADERS frame is sent.
        case insideHeaders
    }
}
