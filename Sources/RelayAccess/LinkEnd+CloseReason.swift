package import HeliographLink
package import WebSocketEngine

extension LinkEnd {
    package init(_ reason: CloseReason) {
        self =
            switch reason {
            case .peer(let code, let text): .peer(code: code, reason: text)
            case .local(let code): .local(code: code)
            case .timedOut: .timedOut
            case .tooSlow: .tooSlow
            case .failed(let text): .failed(text)
            case .refused(let status, let retryAfter): .refused(status: status, retryAfter: retryAfter)
            }
    }
}
