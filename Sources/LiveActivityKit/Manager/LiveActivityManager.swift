public import Foundation

/// Keeps the cards of one device and the relay's knowledge of them in step: starts, updates and ends cards, sends their tokens to the
/// relay, and finds existing cards after a launch.
///
/// One for each app, made when it launches; `run()` works until it is cancelled. Without Live Activities `start` throws `unsupported` and
/// the rest still works: the device still gets alerts.
public actor LiveActivityManager {
    public typealias ContentState = HeliographActivityAttributes.ContentState

    private var lifecycle: CardLifecycle
    private let cards: any CardDriving
    private let reporter: any RelayReporting
    private let store: any LifecycleStoring
    private let clock: any ManagerClock
    private let onTrouble: @Sendable (LiveActivityError) -> Void
    private var lastSaved: SavedLifecycle?
    /// Task that sleeps until `alarmAt`.
    private var alarm: Task<Void, Never>?
    private var alarmAt: Date?
    private var sending: Task<Void, Never>?

    /// `onTrouble` receives errors that no caller waits for: a report that the relay will never accept, a state that could not be saved.
    public init(
        device: DeviceRegistration, reporter: any RelayReporting, store: any LifecycleStoring,
        cards: any CardDriving = PlatformCards(), clock: any ManagerClock = SystemManagerClock(),
        limits: LifecycleLimits = LifecycleLimits(), onTrouble: @escaping @Sendable (LiveActivityError) -> Void
    ) {
        var saved: SavedLifecycle?
        // If it cannot be read, everything is reported to the relay once more, which does no harm.
        do { saved = try store.load() } catch { onTrouble(error) }
        lifecycle = CardLifecycle(device: device, saved: saved, limits: limits)
        lastSaved = saved
        self.cards = cards
        self.reporter = reporter
        self.store = store
        self.clock = clock
        self.onTrouble = onTrouble
    }

    deinit {
        alarm?.cancel()
        sending?.cancel()
    }

    // MARK: Events in the order of life

    /// Restores the saved state, and follows the system's reports. Ends when its task is cancelled.
    public func run() async {
        for await fact in cards.facts() { await tell(fact.input) }
        alarm?.cancel()
        alarm = nil
        alarmAt = nil
    }

    /// Starts a card for the session of `attributes`, or updates its card if there is one. Throws `unsupported`, `disabled`,
    /// `notForeground`, `unauthorised` or `refusedBySystem`.
    public func start(
        _ attributes: HeliographActivityAttributes, _ content: ContentState
    ) async throws(LiveActivityError) {
        try await demand(.startRequested(attributes, content))
    }

    /// Shows content from another source of the app, unless a push brought something newer. Throws `noCard`.
    public func update(session: String?, _ content: ContentState) async throws(LiveActivityError) {
        try await demand(.updateRequested(session: session, content))
    }

    /// Nil content leaves the card unchanged. Throws `noCard`.
    public func end(
        session: String?, _ content: ContentState? = nil, dismissal: CardLifecycle.Dismissal = .bySystem
    ) async throws(LiveActivityError) {
        try await demand(.endRequested(session: session, content, dismissal))
    }

    /// Applies the person's choices: kinds, quiet hours, amount of text in a push.
    public func change(_ device: DeviceRegistration) async { await tell(.deviceChanged(device)) }

    /// The token from `didRegisterForRemoteNotificationsWithDeviceToken`.
    public func register(alertToken: Data) async { await tell(.alertTokenReceived(alertToken.hexadecimal)) }

    /// To be called as `scenePhase` changes: cards start in the foreground only.
    public func setForeground(_ isForeground: Bool) async { await tell(.foregroundChanged(isForeground)) }

    /// Call this when the network changes, if the app watches it.
    public func setRelayReachable(_ isReachable: Bool) async {
        await tell(isReachable ? .relayReachable : .relayUnreachable)
    }

    /// To be called when the app has a token for the relay, for the first time or again.
    public func signedIn() async { await tell(.signedIn) }

    /// Ends all cards, and makes the relay forget this device. Leave the token in the keychain until `isForgotten`.
    public func signOut() async { await tell(.signedOut) }

    public var isForgotten: Bool { lifecycle.isSignedOut && lifecycle.queue.entries.isEmpty }

    public var device: DeviceRegistration { lifecycle.device }

    /// True if the relay has all reports.
    public var isReported: Bool { lifecycle.queue.entries.isEmpty }

    /// Sessions that have a card of their own.
    public var sessionsWithCards: Set<String> { Set(lifecycle.cards.filter(\.isLive).compactMap(\.session)) }

    public func hasCard(session: String?) -> Bool { lifecycle.liveCard(of: session) != nil }

    // MARK: Carrying out

    private func tell(_ input: CardLifecycle.Input) async {
        do { try await demand(input) } catch { onTrouble(error) }
    }

    /// Throws the error with which the input was refused.
    private func demand(_ input: CardLifecycle.Input) async throws(LiveActivityError) {
        let orders = lifecycle.handle(input, at: clock.now)
        // Saved before anything is sent: the relay must not know more about us than we do.
        save()
        var refusal: LiveActivityError?
        for order in orders {
            do { try await carryOut(order) } catch { refusal = error }
        }
        setAlarm()
        if let refusal { throw refusal }
    }

    private func carryOut(_ order: CardLifecycle.Order) async throws(LiveActivityError) {
        switch order {
        case .request(let attributes, let content, let staleAt): try await request(attributes, content, staleAt)
        case .update(let card, let content, let staleAt): await cards.update(card, content, staleAt: staleAt)
        case .end(let card, let content, let dismissal): await cards.end(card, content, dismissal)
        case .send(let report, let number): send(report, number)
        case .refuse(let error): throw error
        case .giveUp(let report, let code): onTrouble(LiveActivityError(code, "the relay will not know of \(report.subject)"))
        }
    }

    private func request(
        _ attributes: HeliographActivityAttributes, _ content: ContentState, _ staleAt: Date?
    ) async throws(LiveActivityError) {
        let seen: CardLifecycle.SeenCard
        do { seen = try await cards.request(attributes, content, staleAt: staleAt) } catch {
            await tell(.startRefused(session: attributes.session))
            throw error
        }
        await tell(.appeared(seen))
    }

    private func send(_ report: RelayReport, _ number: Int) {
        let device = lifecycle.device.device
        sending = Task { [reporter, weak self] in
            let failure: LiveActivityError?
            do throws(LiveActivityError) {
                try await reporter.report(report, of: device)
                failure = nil
            } catch { failure = error }
            await self?.sent(number, failure)
        }
    }

    private func sent(_ number: Int, _ failure: LiveActivityError?) async {
        guard let failure else { return await tell(.acknowledged(report: number)) }
        if failure.code == .unauthorised || failure.code == .keychain { onTrouble(failure) }
        await tell(.failed(report: number, failure.code, dice: clock.dice))
    }

    private func setAlarm() {
        guard lifecycle.wakeAt != alarmAt else { return }
        alarm?.cancel()
        alarm = nil
        alarmAt = lifecycle.wakeAt
        guard let moment = alarmAt else { return }
        alarm = Task { [clock, weak self] in
            await clock.sleep(until: moment)
            if !Task.isCancelled { await self?.wake(moment) }
        }
    }

    private func wake(_ moment: Date) async {
        guard moment == alarmAt else { return }
        alarmAt = nil
        await tell(.woken)
    }

    private func save() {
        let saved = lifecycle.saved
        guard saved != lastSaved else { return }
        do {
            try store.save(saved)
            lastSaved = saved
        } catch { onTrouble(error) }
    }
}

extension Data {
    /// The spelling of a token at the relay.
    public var hexadecimal: String {
        reduce(into: "") { $0 += ($1 < 16 ? "0" : "") + String($1, radix: 16) }
    }
}
