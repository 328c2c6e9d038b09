/// A program of ours that runs in the background.
package struct BackgroundPart: Equatable, Sendable {
    package enum Name: String, CaseIterable, Sendable { case relay, host }

    package let name: Name
    /// Arguments of `heliograph`.
    package let arguments: [String]

    package init(_ name: Name, _ arguments: [String]) {
        self.name = name
        self.arguments = arguments
    }

    /// The value after an option; nil if it is not given.
    package func value(of option: String) -> String? {
        guard let place = arguments.firstIndex(of: option), place + 1 < arguments.count else { return nil }
        return arguments[place + 1]
    }
}
