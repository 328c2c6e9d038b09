/// A host's note of a device's pin, kept beside the book: an older book that is put back contradicts it.
package enum PinNote: Sendable, Equatable {
    /// The last count that the host took of the device.
    case count(Int64)
    /// The host distrusts the device, which it had trusted since then (as in `Pin`); nil in notes of earlier versions.
    case distrusted(since: Int64?)

    private static let distrusted = "distrusted"

    package init(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        // A note that cannot be read trusts nobody.
        self = Int64(text).map { .count($0) } ?? .distrusted(since: Int64(text.dropFirst(Self.distrusted.count + 1)))
    }

    package var bytes: [UInt8] {
        switch self {
        case .count(let count): Array(String(count).utf8)
        case .distrusted(let since?): Array("\(Self.distrusted) \(since)".utf8)
        case .distrusted(nil): Array(Self.distrusted.utf8)
        }
    }
}
