/// The reason why nothing was written: a closed code, the place, and a sentence.
package struct ConnectError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: Sendable, CaseIterable {
        /// The file is not strict JSON.
        case badJSON
        /// Valid JSON that does not have the shape of the agent's settings.
        case unexpectedShape
        /// The file is longer than `SettingsFile.bytesMax`.
        case tooLarge
        case unreadable
        case unwritable
        /// The file was changed while the person looked at the change.
        case changedMeanwhile
        /// The shape of our executable's path would not be recognised again in the settings.
        case unfitExecutable
        /// The argument of `--ask` is not a permission rule.
        case unfitRule
        /// No agent was found that can be connected, or that is connected.
        case nothingFound
        /// There is a choice, and no terminal to ask on.
        case nobodyToAsk
    }

    package let code: Code
    /// The place of the error: `/home/me/.claude/settings.json, line 3, column 5`.
    package let place: String
    package let message: String

    package init(_ code: Code, at place: String, _ message: String) {
        self.code = code
        self.place = place
        self.message = message
    }

    package var description: String { "\(place): \(message)" }

    func inFile(_ path: String) -> ConnectError { ConnectError(code, at: "\(path), \(place)", message) }
}
