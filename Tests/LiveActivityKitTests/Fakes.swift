import Foundation
import Synchronization

@testable import LiveActivityKit

/// Given once, waited for by one; the wait ends with the task too, so that a test that waits in vain ends at its time limit.
final class Signal: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func give() { continuation.finish() }
    func wait() async { for await _ in stream {} }
}

/// A relay that gives set answers, and records its requests.
final class FakeRelay: RelayReporting {
    struct Heard: Equatable {
        var report: RelayReport?
        var verdict: Verdict?
        var code: String?
        var signature: String?
    }

    private struct State {
        var heard: [Heard] = []
        var failures: [LiveActivityError.Code] = []
        var reply = DecisionReply.stands(stage: "decided")
        var waiting: [(count: Int, signal: Signal)] = []
    }

    private let state = Mutex(State())

    var heard: [Heard] { state.withLock { $0.heard } }
    var reports: [RelayReport] { heard.compactMap(\.report) }

    func fail(with codes: LiveActivityError.Code...) { state.withLock { $0.failures += codes } }
    func answer(_ reply: DecisionReply) { state.withLock { $0.reply = reply } }

    /// Returns when so many calls were made in all.
    func hears(_ count: Int) async {
        let signal = Signal()
        let isThere = state.withLock { state in
            if state.heard.count < count { state.waiting.append((count, signal)) }
            return state.heard.count >= count
        }
        if !isThere { await signal.wait() }
    }

    func report(_ report: RelayReport, of device: String) async throws(LiveActivityError) {
        try hear(Heard(report: report))
    }

    func decide(
        _ verdict: Verdict, code: String, signature: String?
    ) async throws(LiveActivityError) -> DecisionReply {
        try hear(Heard(verdict: verdict, code: code, signature: signature))
        return state.withLock { $0.reply }
    }

    private func hear(_ heard: Heard) throws(LiveActivityError) {
        let (failure, ready) = state.withLock { state in
            state.heard.append(heard)
            let ready = state.waiting.filter { $0.count <= state.heard.count }
            state.waiting.removeAll { $0.count <= state.heard.count }
            return (state.failures.isEmpty ? nil : state.failures.removeFirst(), ready)
        }
        for waiter in ready { waiter.signal.give() }
        if let failure { throw LiveActivityError(failure, "as told") }
    }
}

/// A simulated ActivityKit.
final class FakeCards: CardDriving {
    enum Call: Equatable {
        case request(String?)
        case update(String)
        case end(String)
    }

    private struct State {
        var calls: [Call] = []
        var refusal: LiveActivityError?
        var count = 0
    }

    private let state = Mutex(State())
    private let stream: AsyncStream<CardFact>
    private let continuation: AsyncStream<CardFact>.Continuation

    init(_ cards: [CardLifecycle.SeenCard] = []) {
        (stream, continuation) = AsyncStream.makeStream()
        continuation.yield(.launched(cards))
    }

    var calls: [Call] { state.withLock { $0.calls } }

    func refuse(_ error: LiveActivityError?) { state.withLock { $0.refusal = error } }
    func tell(_ fact: CardFact) { continuation.yield(fact) }
    func finish() { continuation.finish() }

    func facts() -> AsyncStream<CardFact> { stream }

    func request(
        _ attributes: HeliographActivityAttributes, _ content: HeliographActivityAttributes.ContentState, staleAt: Date?
    ) async throws(LiveActivityError) -> CardLifecycle.SeenCard {
        let (refusal, number) = state.withLock { state in
            state.calls.append(.request(attributes.session))
            state.count += 1
            return (state.refusal, state.count)
        }
        if let refusal { throw refusal }
        return CardLifecycle.SeenCard(id: "card\(number)", attributes: attributes, content: content)
    }

    func update(_ card: String, _ content: HeliographActivityAttributes.ContentState, staleAt: Date?) async {
        state.withLock { $0.calls.append(.update(card)) }
    }

    func end(
        _ card: String, _ content: HeliographActivityAttributes.ContentState?, _ dismissal: CardLifecycle.Dismissal
    ) async { state.withLock { $0.calls.append(.end(card)) } }
}

/// A clock that a test advances.
final class FakeClock: ManagerClock {
    private struct State {
        var now = moment
        var sleepers: [(until: Date, signal: Signal)] = []
        var watchers: [Signal] = []
    }

    private let state = Mutex(State())

    var now: Date { state.withLock { $0.now } }
    var dice: Double { 1 }

    func sleep(until moment: Date) async {
        let signal = Signal()
        let watchers = state.withLock { state -> [Signal]? in
            if moment <= state.now { return nil }
            state.sleepers.append((moment, signal))
            defer { state.watchers = [] }
            return state.watchers
        }
        guard let watchers else { return }
        for watcher in watchers { watcher.give() }
        await signal.wait()
        state.withLock { state in state.sleepers.removeAll { $0.signal === signal } }
    }

    /// Returns once a task is sleeping.
    func hasSleeper() async {
        let signal = Signal()
        let isThere = state.withLock { state in
            if state.sleepers.isEmpty { state.watchers.append(signal) }
            return !state.sleepers.isEmpty
        }
        if !isThere { await signal.wait() }
    }

    func advance(_ seconds: TimeInterval) {
        let due = state.withLock { state in
            state.now = state.now.addingTimeInterval(seconds)
            let due = state.sleepers.filter { $0.until <= state.now }
            state.sleepers.removeAll { $0.until <= state.now }
            return due
        }
        for sleeper in due { sleeper.signal.give() }
    }
}

final class FakeStore: LifecycleStoring {
    private let state = Mutex<(saved: SavedLifecycle?, isBroken: Bool)>((nil, false))

    var saved: SavedLifecycle? { state.withLock { $0.saved } }
    func breakDown() { state.withLock { $0.isBroken = true } }

    func load() throws(LiveActivityError) -> SavedLifecycle? {
        if state.withLock({ $0.isBroken }) { throw LiveActivityError(.storage, "as told") }
        return saved
    }

    func save(_ saved: SavedLifecycle) throws(LiveActivityError) {
        if state.withLock({ $0.isBroken }) { throw LiveActivityError(.storage, "as told") }
        state.withLock { $0.saved = saved }
    }
}

/// Errors that the manager reports by itself.
final class Troubles: Sendable {
    private let state = Mutex<[LiveActivityError]>([])
    var codes: [LiveActivityError.Code] { state.withLock { $0.map(\.code) } }
    func add(_ error: LiveActivityError) { state.withLock { $0.append(error) } }
}
