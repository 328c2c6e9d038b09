import Foundation

/// A value behind a lock. `Mutex` asks for iOS 18.
/// `@unchecked`: `value` is read and written under the lock alone.
package final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) { self.value = value }

    package func get() -> Value { lock.withLock { value } }

    package func set(_ new: Value) { lock.withLock { value = new } }
}
