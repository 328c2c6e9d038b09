/// The cause of a connection's end.
package enum HTTP2CloseReason: Equatable, Sendable {
    /// Closed by this side: `close(_:)`, `drop(_:)`, `cut(_:afterBytes:)` or the end of the loop.
    case here
    /// The peer closed the connection, with or without GOAWAY, which `goAwayReceived` has then reported.
    case byPeer
    /// No address of the host answered. A sentence for the operator.
    case unreachable(String)
    /// The certificate is not that of the host, or was not signed by a trusted authority.
    case notTrusted(String)
    /// TLS failed, or the peer does not support HTTP/2.
    case tlsFailed(String)
    /// The peer violated HTTP/2.
    case protocolBroken(String)
    /// The network failed.
    case networkFailed(String)
    /// Opening took longer than `openDeadline`, or closing longer than `closeDeadline`.
    case deadlinePassed

    /// The reason as a sentence for the operator.
    package var sentence: String {
        switch self {
        case .unreachable(let sentence), .notTrusted(let sentence), .tlsFailed(let sentence): sentence
        case .protocolBroken(let sentence): "the server broke HTTP: \(sentence)"
        case .networkFailed(let sentence): "the connection broke: \(sentence)"
        case .byPeer: "the server hung up"
        case .deadlinePassed: "the server did not answer"
        case .here: "the connection was closed"
        }
    }
}
