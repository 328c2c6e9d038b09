/// A fault of a file of rules, and its place.
package struct RuleError: Error, Equatable, Sendable, CustomStringConvertible {
    package let sentence: String
    /// From 1; nil for what is about no line.
    package var line: Int?

    init(_ sentence: String, line: Int? = nil) {
        self.sentence = sentence
        self.line = line
    }

    package var description: String { line.map { "line \($0): \(sentence)" } ?? sentence }
}
