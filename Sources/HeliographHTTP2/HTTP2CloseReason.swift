/// The cause of a connection's end.
package enum HTTP2CloseReason: Equatable, Sendable {
    /// Closed by this side: `close(_:)`, `drop(_:)`, `cut(_:afterBytes:)` or the end of the loop.
    case here
    /// The peer hung up, with or without a word; `goAway` was told before if it sent one.
    case byPeer
    /// No address of the host answered. A sentence for the operator.
    case unreachable(String)
    /// The certificate is not that of the host, or nobody that we trust signed it.
    case notTrusted(String)
    /// TLS failed, or the peer speaks no HTTP/2.
    case tlsFailed(String)
    /// The peer broke the rules of HTTP/2.
    case protocolBroken(String)
    /// The network broke.
    case networkFailed(String)
    /// Opening took longer than `openDeadline`, or going `closeDeadline`.
    case deadlinePassed

    /// For the operator.
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
