import Foundation

/// A value behind a lock. `Mutex` requires iOS 18. `@unchecked`: `value` is read and written under the lock only.
package final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) { self.value = value }

    package func get() -> Value { withLock { $0 } }

    package func set(_ new: Value) { withLock { $0 = new } }

    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
