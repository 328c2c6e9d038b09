/// Why a connection to the relay is over.
package enum LinkEnd: Sendable, Equatable {
    /// The relay said so, with a code and its words, or without either.
    case peer(code: UInt16?, reason: String)
    /// We said so.
    case local(code: UInt16)
    /// Nothing came for longer than a living relay is silent, or it did not open in time.
    case timedOut
    /// More waited to be sent than may.
    case tooSlow
    /// It broke, or was never there; a sentence for a log.
    case failed(String)
    /// The opening handshake was answered with this HTTP status.
    case refused(status: UInt16)
}
