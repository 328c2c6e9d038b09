/// The words of an alert as the person saw them.
public struct ShownAlert: Sendable, Hashable {
    public var title: String
    public var subtitle: String
    public var body: String

    public init(title: String, subtitle: String, body: String) {
        (self.title, self.subtitle, self.body) = (title, subtitle, body)
    }
}

/// Signs what buttons decide, for hosts that take only what a device signs that they trust.
public protocol DecisionSigning: Sendable {
    /// `shown`: what the alert said; nil for a button of a card, whose words are the relay's.
    func proof(of verdict: Verdict, approval: String, shown: ShownAlert?) async -> DecisionProof
}

public enum DecisionProof: Sendable, Hashable {
    /// The decision counts without.
    case notNeeded
    case signed(String)
    /// The alert showed other words than the host wants signed, or these could not be looked up.
    case needsApp
}
