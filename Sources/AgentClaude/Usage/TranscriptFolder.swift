/// The folder in `<config>/projects` in which Claude Code keeps the transcripts of one project.
///
/// Seen with 2.1.329: a hyphen replaces each UTF-16 unit that is not an ASCII letter or digit, without normalisation. Of more than
/// 200 units, it has the first 200, a hyphen, and a hash. Several projects can share one folder: the `cwd` in a transcript names
/// its project.
package struct TranscriptFolder: Sendable {
    private static let unitsMax = 200

    private let name: String
    private let isCut: Bool

    package init(of project: String) {
        let units = project.utf16.map { unit -> UInt8 in
            guard let byte = UInt8(exactly: unit), byte.isLetterOrDigit else { return UInt8(ascii: "-") }
            return byte
        }
        isCut = units.count > Self.unitsMax
        name = String(decoding: units.prefix(Self.unitsMax), as: UTF8.self)
    }

    /// True if the folder can have this name. The hash differs between versions.
    package func canBe(_ folder: String) -> Bool {
        isCut ? folder.hasPrefix(name + "-") && folder.utf8.count > name.utf8.count + 1 : folder == name
    }

    /// The folder's name; nil if it differs between versions.
    package var only: String? { isCut ? nil : name }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
