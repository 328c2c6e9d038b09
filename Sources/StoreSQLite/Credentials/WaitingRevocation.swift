internal import RelayCore
internal import RelayStore

/// One revocation as `WaitingRevocations` stores it: a line of fixed length, padded with blanks, that begins with its checksum.
struct WaitingRevocation {
    /// Length of a line. It divides a sector, so that a line is never written by half.
    static let byteCount = 128
    /// Limit for ids; those that we make have 22 characters.
    private static let idBytesMax = 40
    private static let nobody = "-"

    let revocation: TokenRevocation

    /// Nil if an id is invalid. The workspace is left out, as an id is unique among all.
    init?(_ revocation: TokenRevocation) {
        guard Self.isID(revocation.id), revocation.by.map(Self.isID) ?? true else { return nil }
        self.revocation = TokenRevocation(
            id: revocation.id, keepsChildren: revocation.keepsChildren, by: revocation.by, at: revocation.at)
    }

    /// True if it revokes the same tokens, regardless of time and author.
    func isAlike(_ other: WaitingRevocation) -> Bool {
        revocation.id == other.revocation.id && revocation.keepsChildren == other.revocation.keepsChildren
    }

    var bytes: [UInt8] {
        let line = Array("\(checksum) \(text)".utf8)
        precondition(line.count < Self.byteCount, "two ids, two numbers and a word fit")
        return line + [UInt8](repeating: UInt8(ascii: " "), count: Self.byteCount - 1 - line.count) + [UInt8(ascii: "\n")]
    }

    /// Nil if the line was changed since it was written.
    init?(parsing bytes: some Collection<UInt8>) {
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: { $0 == " " || $0 == "\n" }).map(String.init)
        guard words.count == 5, let at = Int64(words[1]), ["all", "one"].contains(words[2]) else { return nil }
        self.init(
            TokenRevocation(
                id: words[3], keepsChildren: words[2] == "one", by: words[4] == Self.nobody ? nil : words[4], at: at))
        guard words[0] == "\(checksum)" else { return nil }
    }

    private var text: String {
        "\(revocation.at) \(revocation.keepsChildren ? "one" : "all") \(revocation.id) \(revocation.by ?? Self.nobody)"
    }

    private var checksum: Int64 {
        RowChecksum(record: revocation.id, kind: "revocation", workspace: "", bytes: Array(text.utf8)).column
    }

    private static func isID(_ text: String) -> Bool {
        (1...idBytesMax).contains(text.utf8.count) && text != nobody && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
