/// Why nothing was written: a closed code, the place, and a sentence.
package struct ConnectError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: Sendable, CaseIterable {
        /// The file is not strict JSON.
        case badJSON
        /// Valid JSON, but not the shape of the agent's settings.
        case unexpectedShape
        /// Longer than `SettingsFile.bytesMax`.
        case tooLarge
        case unreadable
        case unwritable
        /// The file was changed while the change was being looked at.
        case changedMeanwhile
        /// Our own path could not be found again in the settings.
        case unfitExecutable
        /// The argument of `--ask` is no permission rule.
        case unfitRule
        /// No agent that can be connected, or none that is, was found.
        case nothingFound
        /// There is a choice, and no terminal to ask on.
        case nobodyToAsk
    }

    package let code: Code
    /// `/home/me/.claude/settings.json, line 3, column 5`.
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
