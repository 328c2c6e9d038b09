public import Foundation
public import LiveActivityKit

/// Decides which cards an app in the foreground starts, updates and ends: the relay sends such a phone no pushes.
///
/// Pure. Hand in each state that `RelayClient` gives, and carry the orders out with `LiveActivityManager`. The card of all sessions is the
/// relay's alone: it catches up when the app leaves the foreground.
public struct CardFollower: Sendable {
    public enum Order: Sendable, Hashable {
        case start(SessionCard)
        case update(SessionCard)
        /// The session has ended.
        case end(SessionCard)
    }

    /// Number of cards that the app starts. The system refuses a sixth card, and one place stays free for a card that a push
    /// starts.
    public static let cardsMax = 4

    /// The last state sent to each card.
    private var told: [String: SessionCard] = [:]
    /// Sessions that have had a card: a card that the person swiped away is not started again.
    private var begun: Set<String> = []
    private var wanted: Set<String> = []

    public init() {}

    /// The person asked for the card of this session.
    public mutating func want(_ session: String) { wanted.insert(session) }

    /// `cards`: `LiveActivityManager.sessionsWithCards`.
    public mutating func follow(
        _ state: RelayState, for device: DeviceRegistration, cards: Set<String>, at now: Date
    ) -> [Order] {
        guard state.link == .live, state.isComplete else { return [] }
        let known = Set(state.sessions.map(\.id))
        told = told.filter { known.contains($0.key) }
        begun.formIntersection(known)
        wanted.formIntersection(known)
        let asked = Dictionary(state.approvals.map { ($0.session, $0) }, uniquingKeysWith: { oldest, _ in oldest })
        var orders: [Order] = []
        var room = Self.cardsMax - cards.count
        // Sessions that wait for the person come first.
        for session in state.sessions.filter(\.waits) + state.sessions.filter({ !$0.waits }) {
            let card = SessionCard(session, asked: asked[session.id], for: device, at: now)
            if cards.contains(session.id) {
                begun.insert(session.id)
                if let before = told[session.id], !card.differs(from: before) { continue }
                orders.append(session.status.isFinal ? .end(card) : .update(card))
            } else if room > 0, mayStart(session, device) {
                room -= 1
                begun.insert(session.id)
                orders.append(.start(card))
            } else {
                continue
            }
            wanted.remove(session.id)
            told[session.id] = card
        }
        return orders
    }

    private func mayStart(_ session: SessionRow, _ device: DeviceRegistration) -> Bool {
        guard device.cards != .off, !session.status.isFinal else { return false }
        if wanted.contains(session.id) { return true }
        guard device.cards == .perSession, !begun.contains(session.id) else { return false }
        return switch device.starts {
        case .never: false
        case .whenNeeded: session.waits
        case .always: session.waits || session.shownStatus == .starting || session.shownStatus == .running
        }
    }
}

extension SessionRow {
    /// True if the session waits for the person.
    fileprivate var waits: Bool { approvals + questions > 0 }
}

extension SessionCard {
    /// True if more than the time differs.
    fileprivate func differs(from told: SessionCard) -> Bool {
        var content = content
        content.updatedAt = told.content.updatedAt
        return content != told.content
    }
}

extension LiveActivityManager {
    /// Throws the errors of `start`. A card that has disappeared by then is not an error.
    public func carryOut(_ order: CardFollower.Order) async throws(LiveActivityError) {
        do throws(LiveActivityError) {
            switch order {
            case .start(let card): try await start(card.attributes, card.content)
            case .update(let card): try await update(session: card.attributes.session, card.content)
            case .end(let card): try await end(session: card.attributes.session, card.content)
            }
        } catch {
            if error.code != .noCard { throw error }
        }
    }
}
