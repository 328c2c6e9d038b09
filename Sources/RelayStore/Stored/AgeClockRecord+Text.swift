package import RelayCore

/// The record's form in the store: one row of the table `meta`.
extension AgeClockRecord {
    package static let name = "clock"

    package var text: String {
        [String(time), String(wall), String(uptime), steadyFor.map(String.init) ?? "-", boot].joined(separator: " ")
    }

    /// Nil if the text is invalid; then only the log's own times are known.
    package init?(text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 5, let time = Int64(words[0]), let wall = Int64(words[1]), let uptime = Int64(words[2]) else {
            return nil
        }
        let steadyFor = Int64(words[3])
        guard steadyFor != nil || words[3] == "-" else { return nil }
        self.init(time: time, wall: wall, uptime: uptime, boot: String(words[4]), steadyFor: steadyFor)
    }
}
