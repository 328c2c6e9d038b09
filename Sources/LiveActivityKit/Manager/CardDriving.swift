public import Foundation

/// The system that holds the cards.
public protocol CardDriving: Sendable {
    /// Facts about cards, beginning with the cards that are there first. One listener.
    func facts() -> AsyncStream<CardFact>

    /// Throws `unsupported`, `disabled`, `notForeground` or `refusedBySystem`.
    func request(
        _ attributes: HeliographActivityAttributes, _ content: HeliographActivityAttributes.ContentState, staleAt: Date?
    ) async throws(LiveActivityError) -> CardLifecycle.SeenCard

    /// Does nothing to a card that is gone.
    func update(_ card: String, _ content: HeliographActivityAttributes.ContentState, staleAt: Date?) async
    /// Nil content leaves the card unchanged.
    func end(
        _ card: String, _ content: HeliographActivityAttributes.ContentState?, _ dismissal: CardLifecycle.Dismissal) async
}

/// A fact that the system reports by itself.
public enum CardFact: Sendable, Equatable {
    case launched([CardLifecycle.SeenCard])
    case appeared(CardLifecycle.SeenCard)
    /// A card's token, in hexadecimal digits as all tokens.
    case token(card: String, String)
    case state(card: String, CardReport.State)
    case content(card: String, HeliographActivityAttributes.ContentState)
    case startToken(String)
    case frequentPushes(Bool)

    var input: CardLifecycle.Input {
        switch self {
        case .launched(let cards): .launched(cards)
        case .appeared(let card): .appeared(card)
        case .token(let card, let token): .tokenReceived(card: card, token: token)
        case .state(let card, let state): .stateChanged(card: card, state)
        case .content(let card, let content): .contentChanged(card: card, content)
        case .startToken(let token): .startTokenReceived(token)
        case .frequentPushes(let isOn): .frequentPushesChanged(isOn)
        }
    }
}

/// For platforms without Live Activities: does nothing, and refuses to start a card.
public struct UnsupportedCards: CardDriving {
    public init() {}

    public func facts() -> AsyncStream<CardFact> {
        AsyncStream { continuation in continuation.yield(.launched([])) }
    }

    public func request(
        _ attributes: HeliographActivityAttributes, _ content: HeliographActivityAttributes.ContentState, staleAt: Date?
    ) async throws(LiveActivityError) -> CardLifecycle.SeenCard {
        throw LiveActivityError(.unsupported, "this platform has no Live Activities")
    }

    public func update(_ card: String, _ content: HeliographActivityAttributes.ContentState, staleAt: Date?) async {}

    public func end(
        _ card: String, _ content: HeliographActivityAttributes.ContentState?, _ dismissal: CardLifecycle.Dismissal
    ) async {}
}

/// Clock and dice of the manager.
public protocol ManagerClock: Sendable {
    var now: Date { get }
    /// A random number from 0 to 1.
    var dice: Double { get }
    /// Returns early when the task is cancelled.
    func sleep(until moment: Date) async
}

public struct SystemManagerClock: ManagerClock {
    public init() {}

    public var now: Date { Date() }
    public var dice: Double { Double.random(in: 0...1) }

    public func sleep(until moment: Date) async {
        let seconds = moment.timeIntervalSince(now)
        guard seconds > 0 else { return }
        // A cancelled wait counts as finished: a caller that cancels does not use the result.
        try? await Task.sleep(for: .seconds(seconds))
    }
}
