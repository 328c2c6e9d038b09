import PushPlanner
import RelayModel
import RelayProtocol

/// Checks that coalesced changes are sent in the end, and that a session with a pending request is soon on the card.
struct CardEdgeChecker {
    private struct Shown {
        var accepted: PushIntent?
        var isEnded = false
        /// Set if APNs refused it in a way that the relay cannot correct.
        var givenUp: Refused?
        /// True if the relay's clock says that the system has removed it by now: after a failure it is not tried again.
        var isOutlived = false
        /// True if the last attempt failed: the next ones are later each time.
        var hasFailed = false
        /// Time since which nothing has failed for it, and the person has not looked.
        var steadySince: Int64 = 0
        var orderedAt: Int64 = 0
        /// Pending requests that the last order showed, by the time when they were first seen.
        var isUnderWay = false
    }

    private enum Refused {
        /// The address is refused; the app may report another.
        case address
        /// The content is refused at any address, until there is something else to show.
        case content
    }

    private var shown: [CardID: Shown] = [:]
    private var pendingSince: [ApprovalID: (steady: Int64, wall: Int64)] = [:]
    private var markSince: [SessionID: (mark: BudgetMark?, at: Int64)] = [:]
    private var troubledAt: Int64 = 0
    /// Longest allowed delay, in milliseconds: the relay's minimum intervals, its back-off, and a commit.
    private static let patience: Int64 = 60_000
    /// Longest time that a card is on the Lock Screen, in milliseconds: eight hours, and four more after its end.
    private static let cardAge: Int64 = 12 * 3_600_000
    /// Longer delay that is allowed after a failure.
    private static let retryPatience: Int64 = 300_000

    mutating func troubled(at now: Int64) { troubledAt = now }

    /// The clock was set by `jump` milliseconds while the relay did not run, which is to it as if that time had passed.
    mutating func clockWasSetForward(by jump: Int64, with cards: [CardID]) {
        guard jump >= Self.cardAge else { return }
        for card in cards { shown[card, default: Shown()].isOutlived = true }
    }

    mutating func spared(_ cards: [CardID], at now: Int64) {
        for card in cards { shown[card, default: Shown()].steadySince = now }
    }

    /// `isListener`: it listens to a channel, whose faults a report of its app does not correct.
    mutating func reported(_ card: CardID, isListener: Bool, at now: Int64) {
        shown[card, default: Shown()].steadySince = now
        if isListener || shown[card]?.givenUp == .content { return }
        shown[card]?.givenUp = nil
    }

    mutating func ordered(_ order: PushIntent, _ card: CardID) {
        shown[card, default: Shown()].isUnderWay = true
        shown[card]?.orderedAt = order.plannedAt
    }

    mutating func answered(_ order: PushIntent, _ card: CardID, _ outcome: PushOutcome, at now: Int64) {
        var known = shown[card] ?? Shown()
        known.isUnderWay = false
        known.steadySince = now
        switch outcome {
        case .accepted:
            known.hasFailed = false
            known.givenUp = nil
            known.accepted = order
            if order.purpose == .end { known.isEnded = true }
        case .refused(.markProfile, _), .refused(.fixRequest, _): known.givenUp = .content
        case .refused(.dropToken, _), .refused(.quarantineToken, _), .refused(.dropChannel, _), .refused(.enableBroadcast, _):
            known.givenUp = .address
        case .refused, .unknown, .notSent:
            known.hasFailed = true
            if known.isOutlived { known.givenUp = .content }
        }
        // An end that APNs refuses is not sent in another way; an end to a dead token is sent to the next token.
        switch outcome {
        case .refused(.dropToken, _), .refused(.quarantineToken, _): break
        default: if order.purpose == .end, known.givenUp != nil { known.isEnded = true }
        }
        shown[card] = known
    }

    // MARK: In time

    mutating func phase(_ known: [KnownDevice], _ views: [CardFace.View], at now: Int64) -> String? {
        var pending: [ApprovalID: (steady: Int64, wall: Int64)] = [:]
        for view in views {
            for id in view.approvals.values.filter({ $0.stage == .pending }).map(\.id) {
                pending[id] = pendingSince[id] ?? (now, view.state.summary.lastActivityAt)
            }
        }
        pendingSince = pending
        for view in views where markSince[view.key.session]?.mark != view.state.summary.budget {
            markSince[view.key.session] = (view.state.summary.budget, now)
        }
        for device in known where device.device.cards == .perSession {
            for card in device.cards {
                guard card.isActive, let id = card.address, let session = card.session, let known = shown[id],
                    known.givenUp == nil, !known.isUnderWay, let view = views.first(where: { $0.key.session == session }),
                    let newest = view.approvals.values.filter({ $0.stage == .pending }).compactMap({ pending[$0.id]?.steady })
                        .max()
                else {
                    continue
                }
                // A budget that was just set is a separate change.
                let since = max(newest, known.steadySince, troubledAt, markSince[session]?.at ?? 0)
                guard now - since > Self.patience + (known.hasFailed ? Self.retryPatience : 0) else { continue }
                guard let accepted = known.accepted, let face = CardFace(accepted.payload),
                    face == CardFace.expected(session, device.device, views, at: accepted.plannedAt)
                else {
                    return "\(id) on \(device.device.id) does not show what \(session) has been waiting for"
                }
            }
        }
        return nil
    }

    // MARK: At rest

    func quiet(_ phone: Phone, _ known: KnownDevice, _ views: [CardFace.View]) -> String? {
        for card in phone.cards where card.state == .active && (card.token != nil || card.channel != nil) && card.isTold {
            let shown = shown[card.address] ?? Shown()
            if shown.isEnded || shown.givenUp != nil || card.isLost { continue }
            let view = views.first { $0.key.session == card.session }
            // Retention removed its session before the relay could reach it: its content is stale, and marked as such.
            if card.isRefused, view == nil { continue }
            let isWanted =
                switch known.device.cards {
                case .perSession: card.session != nil
                case .aggregate: card.session == nil
                case .off: false
                }
            let isLive = card.session == nil ? views.contains(where: CardFace.isLive) : view.map(CardFace.isLive) ?? false
            guard isWanted, isLive else { return "\(card.id) on \(phone.name) is over, and was not ended" }
            guard let accepted = shown.accepted else { return "\(card.id) on \(phone.name) was never told anything" }
            let expected = CardFace.expected(card.session, known.device, views, at: accepted.plannedAt)
            guard let face = CardFace(accepted.payload), let expected, face == expected else {
                return
                    "\(card.id) on \(phone.name) shows \(accepted.id.rawValue) \(CardFace(accepted.payload)?.description ?? "nothing"), "
                    + "and committed is \(expected?.description ?? "nothing")"
            }
        }
        return nil
    }
}
