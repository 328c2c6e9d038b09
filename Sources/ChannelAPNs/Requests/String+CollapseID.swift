extension String {
    /// The text itself if Apple accepts it (64 bytes), else its FNV-1a hash; a collision is of no use to an attacker.
    var asCollapseID: String {
        guard utf8.count > 64 else { return self }
        return String(utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
    }
}
