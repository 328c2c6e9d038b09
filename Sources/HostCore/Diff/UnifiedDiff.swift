/// The change between two texts in the form of `diff -u`.
package enum UnifiedDiff {
    /// Nil means a file that is not there. Returns an empty text if nothing changes.
    package static func text(from old: [UInt8]?, to new: [UInt8]?, path: String) -> String {
        let difference = LineDifference(from: old ?? [], to: new ?? [])
        let hunks = difference.hunks
        guard !hunks.isEmpty else { return "" }
        var result = "--- \(old == nil ? "/dev/null" : path)\n+++ \(new == nil ? "/dev/null" : path)\n"
        for hunk in hunks {
            result += hunk.header + "\n"
            for line in hunk.lines {
                let (sign, bytes) =
                    switch line {
                    case .kept(let index, _): (" ", difference.old[index])
                    case .removed(let index): ("-", difference.old[index])
                    case .added(let index): ("+", difference.new[index])
                    }
                result += sign + String(decoding: bytes, as: UTF8.self)
                if bytes.last != UInt8(ascii: "\n") { result += "\n\\ No newline at end of file\n" }
            }
        }
        return result
    }
}
