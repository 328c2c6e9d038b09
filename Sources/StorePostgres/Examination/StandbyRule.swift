/// Meaning of `synchronous_standby_names` for a commit.
struct StandbyRule: Equatable {
    /// Number of standbys that must confirm a commit; 0: it waits for none.
    let needed: Int

    /// Parses the setting as PostgreSQL does: `a, b` and `FIRST 1 (a, b)` are the same; with `ANY 2 (a, b, c)` each of the three is
    /// called *quorum*, and two of them must confirm.
    init(_ setting: String) {
        let text = setting.drop { $0.isWhitespace }
        guard !text.isEmpty else {
            needed = 0
            return
        }
        let word = text.prefix { $0.isLetter }.lowercased()
        let rest = (word == "any" || word == "first" ? text.dropFirst(word.count) : text).drop { $0.isWhitespace }
        let digits = rest.prefix { $0.isNumber }
        let behind = rest.dropFirst(digits.count).drop { $0.isWhitespace }
        needed = behind.first == "(" ? max(Int(digits) ?? 1, 1) : 1
    }
}
