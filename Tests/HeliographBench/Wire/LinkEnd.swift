/// The cause of an open connection's end.
enum LinkEnd: CustomStringConvertible {
    /// Closed by the other side.
    case closed(code: Int, reason: String)
    /// Cut without a close frame; `failure` is the system's error number, 0 if the stream ended in order.
    case cut(failure: Int32)

    var description: String {
        switch self {
        case .closed(let code, let reason): "was closed with \(code) \(reason)"
        case .cut(let failure): "was cut off\(failure == 0 ? "" : ": \(String(errno: failure))")"
        }
    }
}
