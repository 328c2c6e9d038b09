/// An error in a file of rules, and its place.
package struct RuleError: Error, Equatable, Sendable, CustomStringConvertible {
    package let sentence: String
    /// The line, from 1; nil if the error belongs to no line.
    package var line: Int?

    init(_ sentence: String, line: Int? = nil) {
        self.sentence = sentence
        self.line = line
    }

    package var description: String { line.map { "line \($0): \(sentence)" } ?? sentence }
}
