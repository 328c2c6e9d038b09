/// An injected failure of one request.
package struct Fault: Sendable {
    package enum Action: Sendable {
        /// Another response in place of the right one.
        case answer(FaultScript.Answer)
        /// The right response, delayed by `Fault.delay`.
        case late
        /// No response at all.
        case hang
        case reset(code: UInt32)
        case goAway(lastStream: Order.LastStream, reason: Reason?, closes: Bool)
        case cut(Order.Cut)
        case close(resets: Bool)
        case blackHole
        case starveWindow
        /// The device gets the push several times.
        case duplicate(copies: Int)
        case limitStreams(Int)
    }

    /// RFC 9113 §7: the stream was not processed, and may be sent again.
    package static let refusedStream: UInt32 = 7

    package var action: Action
    /// Milliseconds before the answer.
    package var delay: Int64 = 0
    /// True if the service processed the push (and the device may have it) before the failure.
    package var isProcessed: Bool
    /// The fault's name in the journal.
    package let name: String

    var answer: FaultScript.Answer? {
        if case .answer(let answer) = action { answer } else { nil }
    }

    var copies: Int {
        if case .duplicate(let copies) = action { copies } else { 1 }
    }

    /// The orders in place of the right ones.
    func turn(_ orders: [Order]) -> [Order] {
        let others = orders.filter { if case .answer = $0 { false } else { true } }
        switch action {
        case .answer, .late, .duplicate: return orders
        case .hang: return others
        case .reset(let code): return others + [.reset(code: code)]
        case .goAway(let lastStream, let reason, let closes):
            // A server that closes at once cannot answer requests in progress.
            return [.goAway(lastStream: lastStream, reason: reason, closes: closes)] + (closes ? others : orders)
        case .cut(let cut):
            return others
                + orders.compactMap { if case .answer(let response, _) = $0 { .cut(response, cut) } else { nil } }
        case .close(let resets): return [.close(resets: resets)]
        case .blackHole: return [.blackHole]
        case .starveWindow: return [.starveWindow] + orders
        case .limitStreams(let limit): return orders + [.limitStreams(limit)]
        }
    }
}
