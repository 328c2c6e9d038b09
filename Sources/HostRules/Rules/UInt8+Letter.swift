extension UInt8 {
    /// True for a letter or digit of ASCII.
    var isLetterOrDigit: Bool { (48...57).contains(self) || (65...90).contains(self) || (97...122).contains(self) }
}
