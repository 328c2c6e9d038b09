internal import Foundation
internal import Synchronization
internal import Testing

/// Raised once, seen by every thread.
package final class Flag: Sendable {
    private let value = Atomic(false)

    package init() {}

    package var isUp: Bool { value.load(ordering: .relaxed) }

    package func raise() { value.store(true, ordering: .relaxed) }
}

/// Runs `body` on so many threads at once, real ones: the store blocks, so tasks would wait for each other's threads.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let done = DispatchSemaphore(value: 0)
    for index in 0..<count {
        Thread {
            body(index)
            done.signal()
        }.start()
    }
    for _ in 0..<count { done.wait() }
}

/// For threads, which cannot throw to a caller.
package func attempt(_ body: () throws -> Void) {
    do { try body() } catch { Issue.record(error) }
}
