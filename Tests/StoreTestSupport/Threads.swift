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

/// Many times what such a body needs on a slow machine.
private let threadSecondsMax = 120.0

/// Runs `body` on `count` threads at once. Real threads, because the store blocks, so that tasks would wait for each other's
/// threads. A thread that does not end because another failed is left waiting.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let done = DispatchSemaphore(value: 0)
    for index in 0..<count {
        Thread {
            body(index)
            done.signal()
        }.start()
    }
    let limit = DispatchTime.now() + threadSecondsMax
    for _ in 0..<count where done.wait(timeout: limit) == .timedOut { Issue.record("a thread does not end") }
}

/// Runs `body` on a thread, which cannot throw to a caller.
package func attempt(_ body: () throws -> Void) {
    do { try body() } catch { Issue.record(error) }
}
