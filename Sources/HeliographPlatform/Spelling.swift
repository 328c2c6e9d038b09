/// Suggestions for misspelled words.
package enum Spelling {
    /// The word of `words` with the smallest edit distance, at most `distanceMax`; case is ignored.
    package static func nearest(to word: String, in words: [String], distanceMax: Int) -> String? {
        let best = words.map { (word: $0, distance: distance(word.lowercased(), $0.lowercased())) }
            .min { ($0.distance, $0.word) < ($1.distance, $1.word) }
        return best.flatMap { $0.distance <= distanceMax ? $0.word : nil }
    }

    /// Levenshtein distance.
    private static func distance(_ one: String, _ other: String) -> Int {
        let other = Array(other)
        var row = Array(0...other.count)
        for (line, character) in one.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for column in other.indices {
                let changed = diagonal + (other[column] == character ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, row[column] + 1, row[column + 1] + 1)
            }
        }
        return row[other.count]
    }
}
