internal import HeliographPlatform

/// The header that says how long to wait: seconds, or a date in any of the three forms of RFC 9110, section 5.6.7.
enum RetryAfter {
    /// Nil if it is neither form; zero if the date has passed.
    static func duration(_ text: String, at unixSeconds: Int64) -> Duration? {
        if text.utf8.count <= 9, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return Int64(text).map { .seconds($0) }
        }
        return HTTPDate.seconds(text).map { .seconds(max(0, $0 - unixSeconds)) }
    }
}
