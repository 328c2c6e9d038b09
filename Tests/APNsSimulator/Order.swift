/// An order to the transport, about the connection and the stream of an input.
package enum Order: Sendable {
    /// `after` in milliseconds.
    case answer(Response, after: Int64)
    /// A new SETTINGS_MAX_CONCURRENT_STREAMS.
    case limitStreams(Int)
    /// RST_STREAM with this error code of RFC 9113 §7.
    case reset(code: UInt32)
    /// `reason` goes along as JSON, as Apple's does. Open streams are still answered, unless it `closes`.
    case goAway(lastStream: LastStream, reason: Reason?, closes: Bool)
    /// Sends the answer only so far, then ends the TCP connection.
    case cut(Response, Cut)
    /// Ends the TCP connection; `resets` with RST, otherwise with FIN.
    case close(resets: Bool)
    /// Neither reads nor writes from now on, and keeps the connection: the network is gone and nobody was told.
    case blackHole
    /// Reads, but never opens the flow-control window again.
    case starveWindow

    package enum LastStream: Sendable, Equatable {
        /// Every stream that was opened so far is still served.
        case all
        /// The last one before this one: the sender of this one may safely send it again.
        case before
        /// An explicit stream.
        case number(Int32)
    }

    package enum Cut: String, Sendable, CaseIterable {
        /// The response's HEADERS go out whole, its body does not.
        case afterHeaders
        /// Half of the HEADERS frame goes out.
        case insideHeaders
    }
}
