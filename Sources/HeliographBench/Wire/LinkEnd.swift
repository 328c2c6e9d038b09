/// How a connection that was open came to its end.
enum LinkEnd: CustomStringConvertible {
    /// By the other side's word.
    case closed(code: Int, reason: String)
    /// Without one; the system's number of why, 0 where it was an end in order.
    case cut(failure: Int32)

    var description: String {
        switch self {
        case .closed(let code, let reason): "was closed with \(code) \(reason)"
        case .cut(let failure): "was cut off\(failure == 0 ? "" : ": \(String(errno: failure))")"
        }
    }
}
