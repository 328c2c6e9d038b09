/// Names one read of the log.
package struct ReadID: Hashable, Sendable {
    package let rawValue: UInt64
}
