import Foundation
import Synchronization

/// The server's address, the authority of its certificate, and the key that signs our tokens.
struct Place {
    let host: String
    let port: UInt16
    let authorityFile: String
    let keyFile: String
}

/// The measured client.
protocol Pushes: Sendable {
    /// Sends a push; at most `Run.window` at a time. Calls `completion` once, on any thread, with the error; nil if the server
    /// accepted the push.
    func send(then completion: @escaping @Sendable (String?) -> Void)
}

/// Counts outcomes and sends the next push for each.
final class Run: Sendable {
    private struct State {
        var sent = 0
        var accepted = 0
        var done = 0
        /// The first of those that the server did not take.
        var trouble: String?
    }

    /// More than the server permits at a time, so that the client never waits for us, and less than the limit of either client's
    /// queue.
    static let window = 1_000
    private let state = Mutex(State())
    private let finished = DispatchSemaphore(value: 0)
    private let count: Int
    private let pushes: any Pushes

    init(_ pushes: any Pushes, count: Int) { (self.pushes, self.count) = (pushes, count) }

    func run() -> (accepted: Int, trouble: String?) {
        for _ in 0..<min(Self.window, count) { sendNext() }
        finished.wait()
        return state.withLock { ($0.accepted, $0.trouble) }
    }

    private func sendNext() {
        let isDue = state.withLock { state in
            guard state.sent < count else { return false }
            state.sent += 1
            return true
        }
        guard isDue else { return }
        pushes.send { [self] trouble in
            let isLast = state.withLock { state in
                if trouble == nil { state.accepted += 1 }
                state.trouble = state.trouble ?? trouble
                state.done += 1
                return state.done == count
            }
            if isLast { finished.signal() } else { sendNext() }
        }
    }
}
