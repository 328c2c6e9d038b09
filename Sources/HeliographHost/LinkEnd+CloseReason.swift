internal import HostCore
internal import WebSocketEngine

extension LinkEnd {
    init(_ reason: CloseReason) {
        self =
            switch reason {
            case .peer(let code, let words): .peer(code: code, reason: words)
            case .local(let code): .local(code: code)
            case .timedOut: .timedOut
            case .tooSlow: .tooSlow
            case .failed(let words): .failed(words)
            case .refused(let status, let wait): .refused(status: status, retryAfter: wait)
            }
    }
}
