extension Int64 {
    /// The number in groups of three digits: `1,234,567`.
    package func grouped(by separator: String = ",") -> String {
        var groups: [Substring] = []
        var digits = Substring(String(self))
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = digits.dropLast(3)
        }
        return ([digits] + groups).joined(separator: separator)
    }
}
