/// The words of an alert as the person saw them.
public struct ShownAlert: Sendable, Hashable {
    public var title: String
    public var subtitle: String
    public var body: String

    public init(title: String, subtitle: String, body: String) {
        (self.title, self.subtitle, self.body) = (title, subtitle, body)
    }
}

/// Signs decisions made with buttons, for hosts that take only decisions signed by a device that they trust.
public protocol DecisionSigning: Sendable {
    /// `shown` is the text of the alert; nil for a button of a card, whose text is the relay's.
    func proof(of verdict: Verdict, approval: String, shown: ShownAlert?) async -> DecisionProof
}

public enum DecisionProof: Sendable, Hashable {
    /// The decision counts without a signature.
    case notNeeded
    case signed(String)
    /// The alert's text differs from the text to sign, or that could not be looked up.
    case needsApp
}
