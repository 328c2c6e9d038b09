/// Input that cannot be bundled without guessing. Ends the build.
package struct PageBundleError: Error, CustomStringConvertible, Equatable {
    package var file: String
    package var sentence: String

    package init(file: String, sentence: String) {
        self.file = file
        self.sentence = sentence
    }

    package var description: String { "\(file): \(sentence)" }
}
