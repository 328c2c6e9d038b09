import Foundation
import Testing

@testable import LiveActivityKit

@Suite("Live Activity manager", .timeLimit(.minutes(2))) struct LiveActivityManagerTests {
    private let relay = FakeRelay()
    private let cards = FakeCards()
    private let clock = FakeClock()
    private let store = FakeStore()
    private let troubles = Troubles()
    private let attributes = Attributes(session: "s1", title: "Fix it", agent: "Claude Code", host: "studio")
    private let content = ContentState(status: .running, startedAt: began, updatedAt: moment)

    private func manager(cards: (any CardDriving)? = nil) -> LiveActivityManager {
        LiveActivityManager(
            device: registration, reporter: relay, store: store, cards: cards ?? self.cards, clock: clock,
            onTrouble: { [troubles] in troubles.add($0) })
    }

    @Test("a card from its start to the relay's knowledge of its token")
    func start() async throws {
        let manager = manager()
        let running = Task { await manager.run() }
        await relay.hears(1)
        await manager.setForeground(true)
        try await manager.start(attributes, content)
        #expect(cards.calls == [.request("s1")])
        await relay.hears(2)
        cards.tell(.token(card: "card1", "aa"))
        await relay.hears(3)
        #expect(
            relay.reports == [
                .device(registration), .card(CardReport(card: "card1", session: "s1", state: .active)),
                .card(CardReport(card: "card1", session: "s1", token: "aa", state: .active)),
            ])
        try await manager.end(session: "s1")
        #expect(cards.calls.last == .end("card1"))
        cards.finish()
        await running.value
        #expect(troubles.codes.isEmpty)
    }

    @Test("whoever asks hears the system's refusal, and may ask again")
    func refused() async throws {
        let manager = manager()
        let running = Task { await manager.run() }
        await manager.setForeground(true)
        cards.refuse(LiveActivityError(.refusedBySystem, "too many"))
        await #expect(throws: LiveActivityError(.refusedBySystem, "too many")) { try await manager.start(attributes, content) }
        cards.refuse(nil)
        try await manager.start(attributes, content)
        #expect(await manager.hasCard(session: "s1"))
        cards.finish()
        await running.value
    }

    @Test("a relay that is away is told later, after a wait")
    func retry() async throws {
        relay.fail(with: .unreachable, .busy)
        let manager = manager()
        let running = Task { await manager.run() }
        await relay.hears(1)
        await clock.hasSleeper()
        clock.advance(1)
        await relay.hears(2)
        await clock.hasSleeper()
        clock.advance(2)
        await relay.hears(3)
        #expect(relay.reports == Array(repeating: .device(registration), count: 3))
        cards.finish()
        await running.value
    }

    @Test("what was not told before the app went is told by the next one")
    func restart() async throws {
        relay.fail(with: .unreachable)
        let first = manager()
        let running = Task { await first.run() }
        await relay.hears(1)
        await first.register(alertToken: Data([0xAB, 0x01]))
        cards.finish()
        await running.value
        let second = manager(cards: FakeCards())
        let again = Task { await second.run() }
        await relay.hears(2)
        var device = registration
        device.alertToken = "ab01"
        #expect(relay.reports.last == .device(device))
        again.cancel()
    }

    @Test("signing out is over when the relay has forgotten the device")
    func signOut() async throws {
        let manager = manager()
        let running = Task { await manager.run() }
        await relay.hears(1)
        await manager.signOut()
        await relay.hears(2)
        #expect(relay.reports.last == .forget)
        cards.finish()
        await running.value
    }

    @Test("a platform without Live Activities says so, and the device is known all the same")
    func unsupported() async throws {
        let manager = manager(cards: UnsupportedCards())
        let running = Task { await manager.run() }
        await relay.hears(1)
        await manager.setForeground(true)
        await #expect(throws: LiveActivityError(.unsupported, "this platform has no Live Activities")) {
            try await manager.start(attributes, content)
        }
        #expect(relay.reports == [.device(registration)])
        running.cancel()
        await running.value
    }

    @Test("a state that cannot be saved or read is told, and the cards go on")
    func storage() async throws {
        store.breakDown()
        let manager = manager()
        let running = Task { await manager.run() }
        await relay.hears(1)
        #expect(troubles.codes.contains(.storage))
        cards.finish()
        await running.value
    }

    @Test("a token that the relay does not know is told to the app")
    func unauthorised() async throws {
        relay.fail(with: .unauthorised)
        let manager = manager()
        let running = Task { await manager.run() }
        await relay.hears(1)
        await manager.signedIn()
        await relay.hears(2)
        #expect(troubles.codes.contains(.unauthorised))
        cards.finish()
        await running.value
    }

    @Test("the file holds what is saved, and one that is damaged is told of")
    func file() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cards-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = LifecycleFile(folder.appending(path: "cards.json"))
        #expect(try file.load() == nil)
        var lifecycle = CardLifecycle(device: registration)
        let seen = CardLifecycle.SeenCard(id: "c1", attributes: attributes, content: content, token: "aa")
        _ = lifecycle.handle(.launched([seen]), at: moment)
        try file.save(lifecycle.saved)
        #expect(try file.load() == lifecycle.saved)
        try Data("{".utf8).write(to: folder.appending(path: "cards.json"))
        #expect { try file.load() } throws: { ($0 as? LiveActivityError)?.code == .storage }
    }
}
