import RelayProtocol

/// Number of a push, unique in one log; `PushNumbers` assigns the ranges. With the log's epoch it names a push to its service.
package struct PushID: Hashable, Comparable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// Parses the form used in names and codes; nil if that is no push's number. A number has one spelling: 7, not +7 or 07.
    package init?(text: some StringProtocol) {
        guard let number = Int64(text), 1...JSONValue.integerMax ~= number, String(number) == text else { return nil }
        rawValue = number
    }

    package static func < (left: PushID, right: PushID) -> Bool { left.rawValue < right.rawValue }
}
