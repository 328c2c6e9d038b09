internal import Glibc

/// Carries a value that is confined to one loop through `@Sendable` closures; reading it on another thread traps.
package struct LoopBound<Value>: @unchecked Sendable {
    // Invariant of @unchecked: `value` is read on the thread that made this only, which the precondition enforces. The last
    // copy may be released elsewhere, so a value with a `deinit` that needs its thread does not belong here.
    private let wrapped: Value
    private let thread: pthread_t

    /// Call on the loop's thread only.
    package init(_ value: Value, loop: EventLoop) {
        loop.preconditionOnLoop()
        self.wrapped = value
        self.thread = pthread_self()
    }

    package var value: Value {
        precondition(pthread_equal(pthread_self(), thread) != 0, "a value of an event loop was read on another thread")
        return wrapped
    }
}
