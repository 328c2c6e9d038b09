/// Names one timer of one event loop; never used again.
package struct TimerID: Hashable, Sendable {
    let rawValue: UInt64
}
