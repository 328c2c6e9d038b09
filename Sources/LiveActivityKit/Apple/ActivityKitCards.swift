#if canImport(ActivityKit) && !os(macOS) && !targetEnvironment(macCatalyst)
public import ActivityKit
public import Foundation

extension HeliographActivityAttributes: ActivityAttributes {}

/// The cards that ActivityKit holds.
///
/// An `Activity` never leaves the function that found it: only its id travels.
public struct ActivityKitCards: CardDriving {
    private typealias Card = Activity<HeliographActivityAttributes>

    public init() {}

    /// Unbounded, because no fact may be lost: the system reports few.
    public func facts() -> AsyncStream<CardFact> {
        let (stream, facts) = AsyncStream.makeStream(of: CardFact.self)
        let watching = Task { await Self.watch(facts) }
        facts.onTermination = { _ in watching.cancel() }
        return stream
    }

    public func request(
        _ attributes: HeliographActivityAttributes, _ content: HeliographActivityAttributes.ContentState, staleAt: Date?
    ) async throws(LiveActivityError) -> CardLifecycle.SeenCard {
        guard ActivityAuthorizationInfo().areActivitiesEnabled else {
            throw LiveActivityError(.disabled, "Live Activities are switched off in Settings")
        }
        do {
            let card = try Card.request(attributes: attributes, content: Self.content(content, staleAt), pushType: .token)
            return Self.seen(card, .active)
        } catch { throw Self.refusal(error) }
    }

    public func update(_ card: String, _ content: HeliographActivityAttributes.ContentState, staleAt: Date?) async {
        await Self.find(card)?.update(Self.content(content, staleAt))
    }

    public func end(
        _ card: String, _ content: HeliographActivityAttributes.ContentState?, _ dismissal: CardLifecycle.Dismissal
    ) async {
        let policy: ActivityUIDismissalPolicy =
            switch dismissal {
            case .bySystem: .default
            case .immediately: .immediate
            case .at(let moment): .after(moment)
            }
        await Self.find(card)?.end(content.map { Self.content($0, nil) }, dismissalPolicy: policy)
    }

    // MARK: Facts

    private static func watch(_ facts: AsyncStream<CardFact>.Continuation) async {
        await withDiscardingTaskGroup { group in
            let seen = Card.activities.compactMap { card in state(card.activityState).map { self.seen(card, $0) } }
            var followed = Set(seen.map(\.id))
            facts.yield(.launched(seen))
            for card in seen { group.addTask { await follow(card.id, facts) } }
            group.addTask { await followSettings(facts) }
            group.addTask {
                if let token = Card.pushToStartToken { facts.yield(.startToken(token.hexadecimal)) }
                for await token in Card.pushToStartTokenUpdates { facts.yield(.startToken(token.hexadecimal)) }
            }
            for await card in Card.activityUpdates {
                guard let state = state(card.activityState) else { continue }
                facts.yield(.appeared(self.seen(card, state)))
                let id = card.id
                if followed.insert(id).inserted { group.addTask { await follow(id, facts) } }
            }
        }
    }

    private static func follow(_ id: String, _ facts: AsyncStream<CardFact>.Continuation) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                guard let card = find(id) else { return }
                for await token in card.pushTokenUpdates { facts.yield(.token(card: id, token.hexadecimal)) }
            }
            group.addTask {
                guard let card = find(id) else { return }
                for await content in card.contentUpdates { facts.yield(.content(card: id, content.state)) }
            }
            guard let card = find(id) else {
                facts.yield(.state(card: id, .dismissed))
                return
            }
            for await state in card.activityStateUpdates {
                guard let state = Self.state(state) else { continue }
                facts.yield(.state(card: id, state))
                // Switching frequent pushes ends every card, and some phones report it in no other way.
                if state.isFinal { facts.yield(.frequentPushes(ActivityAuthorizationInfo().frequentPushesEnabled)) }
                if state == .dismissed { break }
            }
            group.cancelAll()
        }
    }

    private static func followSettings(_ facts: AsyncStream<CardFact>.Continuation) async {
        let settings = ActivityAuthorizationInfo()
        facts.yield(.frequentPushes(settings.frequentPushesEnabled))
        for await isOn in settings.frequentPushEnablementUpdates { facts.yield(.frequentPushes(isOn)) }
    }

    // MARK: Words

    private static func find(_ id: String) -> Card? { Card.activities.first { $0.id == id } }

    private static func seen(_ card: Card, _ state: CardReport.State) -> CardLifecycle.SeenCard {
        CardLifecycle.SeenCard(
            id: card.id, attributes: card.attributes, content: card.content.state, state: state,
            token: card.pushToken?.hexadecimal)
    }

    /// Nil if the card has not begun.
    private static func state(_ state: ActivityState) -> CardReport.State? {
        switch state {
        case .active: .active
        case .stale: .stale
        case .ended: .ended
        case .dismissed: .dismissed
        // `pending`, of iOS 26, and later additions.
        default: nil
        }
    }

    private static func content(
        _ state: HeliographActivityAttributes.ContentState, _ staleAt: Date?
    ) -> ActivityContent<HeliographActivityAttributes.ContentState> {
        let waits = state.approvals + state.questions > 0
        return ActivityContent(state: state, staleDate: staleAt, relevanceScore: waits ? 100 : 50)
    }

    private static func refusal(_ error: any Error) -> LiveActivityError {
        guard let error = error as? ActivityAuthorizationError else {
            return LiveActivityError(.refusedBySystem, error.localizedDescription)
        }
        return switch error {
        case .visibility: LiveActivityError(.notForeground, "a card starts while the app is in the foreground, or by push")
        case .denied: LiveActivityError(.disabled, "Live Activities are switched off in Settings")
        case .unsupported: LiveActivityError(.unsupported, "this device has no Live Activities")
        default: LiveActivityError(.refusedBySystem, error.localizedDescription)
        }
    }
}
#endif
