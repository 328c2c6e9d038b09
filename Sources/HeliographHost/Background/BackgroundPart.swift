/// A program of ours that runs in the background.
package struct BackgroundPart: Equatable, Sendable {
    package enum Name: String, CaseIterable, Sendable { case relay, host }

    package let name: Name
    /// Of `heliograph`.
    package let arguments: [String]

    package init(_ name: Name, _ arguments: [String]) {
        self.name = name
        self.arguments = arguments
    }
}
