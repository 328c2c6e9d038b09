/// What cannot be put into one file without guessing. The build ends with it.
package struct PageBundleError: Error, CustomStringConvertible, Equatable {
    package var file: String
    package var sentence: String

    package var description: String { "\(file): \(sentence)" }
}
