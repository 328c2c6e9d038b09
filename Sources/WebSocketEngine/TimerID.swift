/// Names one timer of one event loop; never reused.
package struct TimerID: Hashable, Sendable {
    let rawValue: UInt64
}
