/// Numbers the pushes of one log, from 1. With the log's epoch it names a push to its service.
package struct PushID: Hashable, Comparable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static func < (left: PushID, right: PushID) -> Bool { left.rawValue < right.rawValue }
}
