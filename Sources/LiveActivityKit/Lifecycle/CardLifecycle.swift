public import Foundation

/// The life of the cards of one device, and the reports about them to the relay.
///
/// Pure: the clock and the dice are arguments. The manager carries out the orders one after another, and returns their results as
/// facts.
public struct CardLifecycle: Sendable {
    public typealias Attributes = HeliographActivityAttributes
    public typealias ContentState = HeliographActivityAttributes.ContentState

    /// A card as ActivityKit has it.
    public struct SeenCard: Sendable, Hashable {
        public var id: String
        public var attributes: Attributes
        public var content: ContentState
        public var state: CardReport.State
        /// The push token in hexadecimal digits.
        public var token: String?

        public init(
            id: String, attributes: Attributes, content: ContentState, state: CardReport.State = .active, token: String? = nil
        ) {
            self.id = id
            self.attributes = attributes
            self.content = content
            self.state = state
            self.token = token
        }
    }

    public enum Input: Sendable, Equatable {
        /// The first input: the cards that the system has kept.
        case launched([SeenCard])
        case startRequested(Attributes, ContentState)
        /// A new card, which the app requested or a push started.
        case appeared(SeenCard)
        /// The system refused a card for this session.
        case startRefused(session: String?)
        case tokenReceived(card: String, token: String)
        case stateChanged(card: String, CardReport.State)
        /// The content was changed by a push or by the app itself.
        case contentChanged(card: String, ContentState)
        case updateRequested(session: String?, ContentState)
        /// Nil content leaves the card unchanged.
        case endRequested(session: String?, ContentState?, Dismissal)
        /// The person changed the registration. Tokens that it lacks are kept.
        case deviceChanged(DeviceRegistration)
        case alertTokenReceived(String)
        case startTokenReceived(String)
        case frequentPushesChanged(Bool)
        case foregroundChanged(Bool)
        case relayReachable, relayUnreachable
        case acknowledged(report: Int)
        case failed(report: Int, LiveActivityError.Code, dice: Double)
        /// The time `wakeAt` has come.
        case woken
        /// The app has a token for the relay again.
        case signedIn
        case signedOut
    }

    public enum Order: Sendable, Equatable {
        case request(Attributes, ContentState, staleAt: Date?)
        case update(card: String, ContentState, staleAt: Date?)
        case end(card: String, ContentState?, Dismissal)
        case send(RelayReport, number: Int)
        /// For the caller of the last input.
        case refuse(LiveActivityError)
        /// The report is dropped; the relay will not receive it.
        case giveUp(RelayReport, LiveActivityError.Code)
    }

    /// Time for which an ended card stays on the Lock Screen.
    public enum Dismissal: Sendable, Hashable {
        /// When the system decides, at most after 4 h.
        case bySystem
        case immediately
        case at(Date)
    }

    struct Card: Codable, Sendable, Equatable {
        var id: String
        var session: String?
        var state: CardReport.State
        var token: String?
        /// When the app first saw the card: the system does not report when it began.
        var firstSeenAt: Date
        var attributes: Attributes
        var content: ContentState
        var renewalTriedAt: Date?

        var report: CardReport { CardReport(card: id, session: session, token: token, state: state) }
        var isLive: Bool { !state.isFinal }
    }

    private(set) var device: DeviceRegistration
    private(set) var cards: [Card] = []
    private(set) var queue: ReportQueue
    private(set) var isForeground = false
    private var isReachable = true
    /// True after the person signed out of this relay.
    private(set) var isSignedOut = false
    /// Sessions whose card was requested but has not appeared.
    private var starting: Set<String?> = []
    /// Cards of an earlier run, until the system has reported which of them are still there.
    private var inherited: Set<String> = []
    private let limits: LifecycleLimits

    /// `saved` is the state of an earlier run. It is ignored if it is of another device.
    public init(device: DeviceRegistration, saved: SavedLifecycle? = nil, limits: LifecycleLimits = LifecycleLimits()) {
        self.device = device
        self.limits = limits
        guard let saved, saved.device.device == device.device else {
            queue = ReportQueue()
            return
        }
        queue = ReportQueue(saved.reports)
        cards = saved.cards
        inherited = Set(saved.cards.map(\.id))
        isSignedOut = saved.isSignedOut
        self.device = Self.merged(device, saved.device)
    }

    public var saved: SavedLifecycle {
        SavedLifecycle(device: device, cards: cards, reports: queue.entries, isSignedOut: isSignedOut)
    }

    /// When to hand in `woken`; nil for never.
    public var wakeAt: Date? {
        let sending = isReachable ? queue.wakeAt : nil
        let renewing = isForeground && !isSignedOut ? cards.compactMap(renewalDue).min() : nil
        return [sending, renewing].compactMap { $0 }.min()
    }

    /// The known card of this session.
    public func liveCard(of session: String?) -> String? { cards.last { $0.isLive && $0.session == session }?.id }

    // MARK: Events in the order of life

    public mutating func handle(_ input: Input, at now: Date) -> [Order] {
        var orders: [Order] = []
        switch input {
        case .launched(let seen): orders = launched(seen, at: now)
        case .startRequested(let attributes, let content): orders = startRequested(attributes, content, at: now)
        case .appeared(let seen): orders = appeared(seen, at: now)
        case .startRefused(let session): starting.remove(session)
        case .tokenReceived(let card, let token): orders = change(card) { $0.token = token }
        case .stateChanged(let card, let state): orders = change(card) { $0.state = state }
        case .contentChanged(let card, let content):
            if let index = index(card) { cards[index].content = content }
        case .updateRequested(let session, let content): orders = updateRequested(session, content, at: now)
        case .endRequested(let session, let content, let dismissal): orders = endRequested(session, content, dismissal)
        case .deviceChanged(let changed): orders = change(device: Self.merged(changed, device))
        case .alertTokenReceived(let token): orders = changeDevice { $0.alertToken = token }
        case .startTokenReceived(let token): orders = changeDevice { $0.startToken = token }
        case .frequentPushesChanged(let isOn): orders = changeDevice { $0.frequentPushes = isOn }
        case .foregroundChanged(let isForeground): foregroundChanged(isForeground)
        case .relayReachable:
            isReachable = true
            queue.hurry()
        case .relayUnreachable: isReachable = false
        case .acknowledged(let number): acknowledged(queue.acknowledged(number))
        case .failed(let number, let code, let dice): orders = failed(number, code, dice, at: now)
        case .woken: break
        case .signedIn:
            isSignedOut = false
            queue.unblock()
            orders = put(.device(device)) + reportCards()
        case .signedOut: orders = signedOut()
        }
        return orders + renewals(at: now) + sending(at: now)
    }

    /// The relay's knowledge of our cards may be outdated: report all that live, and those that ended while the app did not run. A
    /// card that was started before the system's list came is not on it, and stays.
    private mutating func launched(_ seen: [SeenCard], at now: Date) -> [Order] {
        let gone = inherited.subtracting(seen.map(\.id))
        inherited = []
        for index in cards.indices where cards[index].isLive && gone.contains(cards[index].id) {
            cards[index].state = .dismissed
        }
        for card in seen { adopt(card, at: now) }
        guard !isSignedOut else { return endAll() }
        return put(.device(device)) + reportCards() + endDoubles()
    }

    private mutating func startRequested(_ attributes: Attributes, _ content: ContentState, at now: Date) -> [Order] {
        if isSignedOut { return [.refuse(LiveActivityError(.unauthorised, "the app is signed out of its relay"))] }
        if device.cards == .off { return [.refuse(LiveActivityError(.disabled, "cards are switched off in the app"))] }
        if liveCard(of: attributes.session) != nil { return updateRequested(attributes.session, content, at: now) }
        guard isForeground else {
            return [.refuse(LiveActivityError(.notForeground, "a card starts while the app is in the foreground, or by push"))]
        }
        guard starting.insert(attributes.session).inserted else { return [] }
        return [.request(attributes, content, staleAt: staleAt(content, now))]
    }

    /// The new card stays: it is the one that the relay, or the person, wanted last.
    private mutating func appeared(_ seen: SeenCard, at now: Date) -> [Order] {
        starting.remove(seen.attributes.session)
        let before = index(seen.id).map { cards[$0].report }
        adopt(seen, at: now)
        if isSignedOut { return endAll() }
        guard let card = index(seen.id), cards[card].report != before else { return [] }
        var orders = put(.card(cards[card].report))
        guard !seen.state.isFinal else { return orders }
        for other in cards where other.isLive && other.session == seen.attributes.session && other.id != seen.id {
            orders.append(.end(card: other.id, nil, .immediately))
        }
        return orders
    }

    private mutating func updateRequested(_ session: String?, _ content: ContentState, at now: Date) -> [Order] {
        guard let card = liveCard(of: session), let index = index(card) else {
            return [.refuse(LiveActivityError(.noCard, "there is no card for this session"))]
        }
        // A push has brought newer content than the app has.
        guard content.updatedAt >= cards[index].content.updatedAt else { return [] }
        cards[index].content = content
        return [.update(card: card, content, staleAt: staleAt(content, now))]
    }

    private mutating func endRequested(_ session: String?, _ content: ContentState?, _ dismissal: Dismissal) -> [Order] {
        let ending = cards.filter { $0.isLive && $0.session == session }
        guard !ending.isEmpty else { return [.refuse(LiveActivityError(.noCard, "there is no card for this session"))] }
        return ending.map { .end(card: $0.id, content, dismissal) }
    }

    /// Coming to the foreground is worth an attempt, whatever the state of the network.
    private mutating func foregroundChanged(_ isForeground: Bool) {
        self.isForeground = isForeground
        guard isForeground else { return }
        isReachable = true
        queue.hurry()
    }

    private mutating func signedOut() -> [Order] {
        isSignedOut = true
        starting = []
        return endAll() + put(.forget)
    }

    // MARK: Cards

    private mutating func adopt(_ seen: SeenCard, at now: Date) {
        if let index = index(seen.id) {
            cards[index].state = seen.state
            cards[index].content = seen.content
            // ActivityKit does not know the token right after a launch; the relay does.
            cards[index].token = seen.token ?? cards[index].token
        } else {
            cards.append(
                Card(
                    id: seen.id, session: seen.attributes.session, state: seen.state, token: seen.token, firstSeenAt: now,
                    attributes: seen.attributes, content: seen.content))
        }
    }

    private mutating func change(_ card: String, _ body: (inout Card) -> Void) -> [Order] {
        // Once its end is reported, a card needs no more reports.
        guard let index = index(card) else { return [] }
        let before = cards[index].report
        body(&cards[index])
        return cards[index].report == before ? [] : put(.card(cards[index].report))
    }

    private func endDoubles() -> [Order] {
        let live = cards.filter(\.isLive)
        let newest = Dictionary(grouping: live, by: \.session).values.compactMap { same in
            same.max { ($0.content.updatedAt, $0.firstSeenAt, $0.id) < ($1.content.updatedAt, $1.firstSeenAt, $1.id) }?.id
        }
        return live.filter { !newest.contains($0.id) }.map { .end(card: $0.id, nil, .immediately) }
    }

    private func endAll() -> [Order] { cards.filter(\.isLive).map { .end(card: $0.id, nil, .immediately) } }

    /// Requests a new card for each that the system will soon end. The old one is ended once the new one has appeared.
    private mutating func renewals(at now: Date) -> [Order] {
        guard isForeground, !isSignedOut else { return [] }
        var orders: [Order] = []
        for index in cards.indices where renewalDue(cards[index]).map({ $0 <= now }) ?? false {
            let card = cards[index]
            cards[index].renewalTriedAt = now
            guard starting.insert(card.session).inserted else { continue }
            orders.append(.request(card.attributes, card.content, staleAt: staleAt(card.content, now)))
        }
        return orders
    }

    private func renewalDue(_ card: Card) -> Date? {
        guard card.isLive, !card.content.status.isFinal, card.id == liveCard(of: card.session) else { return nil }
        let aged = card.firstSeenAt.addingTimeInterval(limits.renewAfter.timeInterval)
        return card.renewalTriedAt.map { max(aged, $0.addingTimeInterval(limits.renewAgainAfter.timeInterval)) } ?? aged
    }

    private func staleAt(_ content: ContentState, _ now: Date) -> Date? {
        content.status.isFinal ? nil : now.addingTimeInterval(limits.staleAfter.timeInterval)
    }

    private func index(_ card: String) -> Int? { cards.firstIndex { $0.id == card } }

    // MARK: Reports

    private mutating func changeDevice(_ body: (inout DeviceRegistration) -> Void) -> [Order] {
        var changed = device
        body(&changed)
        return change(device: changed)
    }

    private mutating func change(device changed: DeviceRegistration) -> [Order] {
        guard changed != device else { return [] }
        device = changed
        return put(.device(device))
    }

    /// The person's changes keep the values that the system reported for the device.
    private static func merged(_ changed: DeviceRegistration, _ known: DeviceRegistration) -> DeviceRegistration {
        var merged = changed
        merged.alertToken = changed.alertToken ?? known.alertToken
        merged.startToken = changed.startToken ?? known.startToken
        merged.frequentPushes = known.frequentPushes
        return merged
    }

    private mutating func reportCards() -> [Order] { cards.flatMap { put(.card($0.report)) } }

    private mutating func put(_ report: RelayReport) -> [Order] {
        // After signing out the app reports nothing else.
        if isSignedOut, report != .forget { return [] }
        guard let lost = queue.put(report, max: limits.reportsMax) else { return [] }
        return [.giveUp(lost, .busy)]
    }

    private mutating func sending(at now: Date) -> [Order] {
        guard isReachable, let entry = queue.next(at: now) else { return [] }
        return [.send(entry.report, number: entry.number)]
    }

    /// The relay has the report: an ended card can be forgotten.
    private mutating func acknowledged(_ report: RelayReport?) {
        switch report {
        case .card(let told): cards.removeAll { $0.report == told && !$0.isLive }
        case .forget: cards.removeAll()
        case .device, nil: break
        }
    }

    private mutating func failed(
        _ number: Int, _ code: LiveActivityError.Code, _ dice: Double, at now: Date
    ) -> [Order] {
        switch queue.failed(number, code, dice: dice, limits: limits, at: now) {
        case .kept: return []
        case .needsDevice: return put(.device(device))
        case .dropped(let report):
            acknowledged(report)
            return [.giveUp(report, code)]
        case .doneAnyway(let report):
            acknowledged(report)
            return []
        }
    }
}
