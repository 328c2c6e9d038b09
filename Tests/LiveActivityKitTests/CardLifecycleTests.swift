import Foundation
import Testing

@testable import LiveActivityKit

/// Tests that read as transcripts: events and the resulting orders.
@Suite("Card lifecycle") struct CardLifecycleTests {
    private let attributes = Attributes(session: "s1", title: "Fix it", agent: "Claude Code", host: "studio")
    private let content = ContentState(status: .running, startedAt: began, updatedAt: moment)

    /// A lifecycle that is driven by hand, with a relay that accepts everything by default.
    private struct Rig {
        var lifecycle: CardLifecycle
        var now = moment

        init(saved: SavedLifecycle? = nil, device: DeviceRegistration = registration) {
            lifecycle = CardLifecycle(device: device, saved: saved)
        }

        mutating func tell(_ input: CardLifecycle.Input) -> [CardLifecycle.Order] { lifecycle.handle(input, at: now) }

        /// The relay acknowledges all reports; returns them.
        mutating func drain(_ orders: [CardLifecycle.Order]) -> [RelayReport] {
            var told: [RelayReport] = []
            var pending = orders
            while case .send(let report, let number)? = pending.last(where: { if case .send = $0 { true } else { false } }) {
                told.append(report)
                pending = tell(.acknowledged(report: number))
            }
            return told
        }

        mutating func wait(_ seconds: TimeInterval) { now = now.addingTimeInterval(seconds) }
    }

    private func card(_ id: String, session: String? = "s1", token: String? = nil, at: Date = moment) -> CardLifecycle.SeenCard
    {
        var attributes = attributes
        attributes.session = session
        var content = content
        content.updatedAt = at
        return CardLifecycle.SeenCard(id: id, attributes: attributes, content: content, token: token)
    }

    private func report(_ id: String, token: String? = nil, _ state: LiveActivityKit.CardReport.State = .active) -> RelayReport
    {
        .card(LiveActivityKit.CardReport(card: id, session: "s1", token: token, state: state))
    }

    private func rig(_ seen: [CardLifecycle.SeenCard] = []) -> Rig {
        var rig = Rig()
        _ = rig.drain(rig.tell(.launched(seen)))
        _ = rig.drain(rig.tell(.foregroundChanged(true)))
        return rig
    }

    @Test("a card that was started before the system's list came stays, though it is not on the list")
    func startedBeforeTheList() {
        var rig = Rig()
        _ = rig.tell(.appeared(card("c1", token: "aa")))
        let told = rig.drain(rig.tell(.launched([])))
        #expect(rig.lifecycle.liveCard(of: "s1") == "c1")
        #expect(told.allSatisfy { $0 != report("c1", token: "aa", .dismissed) })
    }

    @Test("from the app's wish to the relay's knowledge")
    func start() throws {
        var rig = rig()
        let stale = moment.addingTimeInterval(900)
        #expect(rig.tell(.startRequested(attributes, content)) == [.request(attributes, content, staleAt: stale)])
        // Asked twice before it is there: one card.
        #expect(rig.tell(.startRequested(attributes, content)).isEmpty)
        #expect(rig.drain(rig.tell(.appeared(card("c1")))) == [report("c1")])
        // ActivityKit reports the card as well.
        #expect(rig.tell(.appeared(card("c1"))).isEmpty)
        #expect(rig.drain(rig.tell(.tokenReceived(card: "c1", token: "aa"))) == [report("c1", token: "aa")])
        #expect(rig.tell(.tokenReceived(card: "c1", token: "aa")).isEmpty)
        #expect(rig.drain(rig.tell(.tokenReceived(card: "c1", token: "bb"))) == [report("c1", token: "bb")])
        #expect(rig.drain(rig.tell(.stateChanged(card: "c1", .stale))) == [report("c1", token: "bb", .stale)])
        #expect(rig.drain(rig.tell(.stateChanged(card: "c1", .dismissed))) == [report("c1", token: "bb", .dismissed)])
        // An ended card whose end was reported is forgotten.
        #expect(rig.lifecycle.cards.isEmpty)
        #expect(rig.tell(.stateChanged(card: "c1", .dismissed)).isEmpty)
    }

    @Test("a card is not started in the background, nor when the person wants none")
    func refusals() {
        var rig = rig()
        _ = rig.tell(.foregroundChanged(false))
        #expect(refusal(rig.tell(.startRequested(attributes, content))) == .notForeground)
        _ = rig.tell(.foregroundChanged(true))
        var device = registration
        device.cards = .off
        _ = rig.drain(rig.tell(.deviceChanged(device)))
        #expect(refusal(rig.tell(.startRequested(attributes, content))) == .disabled)
        #expect(refusal(rig.tell(.updateRequested(session: "s1", content))) == .noCard)
        #expect(refusal(rig.tell(.endRequested(session: "s1", nil, .bySystem))) == .noCard)
    }

    @Test("after the system said no, the person can try again")
    func startRefused() {
        var rig = rig()
        _ = rig.tell(.startRequested(attributes, content))
        #expect(rig.tell(.startRefused(session: "s1")).isEmpty)
        #expect(rig.tell(.startRequested(attributes, content)).count == 1)
    }

    @Test("a session that has a card gets no second one")
    func startTwice() {
        var rig = rig([card("c1")])
        var newer = content
        newer.updatedAt = moment.addingTimeInterval(5)
        let stale = moment.addingTimeInterval(900)
        #expect(rig.tell(.startRequested(attributes, newer)) == [.update(card: "c1", newer, staleAt: stale)])
    }

    @Test("a push is not undone by what the app knew before it")
    func olderUpdate() {
        var rig = rig([card("c1")])
        var pushed = content
        pushed.updatedAt = moment.addingTimeInterval(10)
        _ = rig.tell(.contentChanged(card: "c1", pushed))
        #expect(rig.tell(.updateRequested(session: "s1", content)).isEmpty)
        pushed.updatedAt = moment.addingTimeInterval(11)
        #expect(rig.tell(.updateRequested(session: "s1", pushed)).count == 1)
    }

    @Test("an end shows the last state, without a stale date")
    func end() {
        var rig = rig([card("c1")])
        var done = content
        done.status = .completed
        let later = moment.addingTimeInterval(900)
        #expect(rig.tell(.endRequested(session: "s1", done, .at(later))) == [.end(card: "c1", done, .at(later))])
        #expect(rig.tell(.updateRequested(session: "s1", done)) == [.update(card: "c1", done, staleAt: nil)])
    }

    @Test("a card that a push started takes the place of the one that was there")
    func pushStart() {
        var rig = rig([card("c1", token: "aa")])
        let orders = rig.tell(.appeared(card("c2", token: "bb")))
        #expect(orders.contains(.end(card: "c1", nil, .immediately)))
        #expect(rig.drain(orders) == [report("c2", token: "bb")])
        #expect(rig.drain(rig.tell(.stateChanged(card: "c1", .dismissed))) == [report("c1", token: "aa", .dismissed)])
        #expect(rig.lifecycle.liveCard(of: "s1") == "c2")
        // The card of another session is left alone.
        #expect(rig.tell(.appeared(card("c3", session: "s2"))).count == 1)
    }

    @Test("at launch the relay hears of what lives, of what went meanwhile, and the device comes first")
    func restore() {
        var before = rig([card("c1", token: "aa")])
        _ = before.drain(before.tell(.appeared(card("c2", session: "s2", token: "bb"))))
        _ = before.drain(before.tell(.startTokenReceived("cc")))
        var rig = Rig(saved: before.lifecycle.saved)
        // ActivityKit has not found the token again yet; the relay keeps it.
        let told = rig.drain(rig.tell(.launched([card("c1")])))
        var device = registration
        device.startToken = "cc"
        #expect(told.first == .device(device))
        #expect(told.contains(report("c1", token: "aa")))
        #expect(told.contains(.card(LiveActivityKit.CardReport(card: "c2", session: "s2", token: "bb", state: .dismissed))))
        #expect(told.count == 3)
        #expect(rig.lifecycle.cards.map(\.id) == ["c1"])
    }

    @Test("of two cards for one session the newer content stays after a launch")
    func doubles() {
        var rig = Rig()
        let older = card("c1", at: moment.addingTimeInterval(-60))
        let orders = rig.tell(.launched([card("c2"), older]))
        #expect(orders.filter { if case .end = $0 { true } else { false } } == [.end(card: "c1", nil, .immediately)])
    }

    @Test("what the relay did not acknowledge survives the app")
    func reportsSurvive() {
        var before = rig()
        _ = before.tell(.relayUnreachable)
        #expect(before.tell(.appeared(card("c1", token: "aa"))).isEmpty)
        _ = before.tell(.stateChanged(card: "c1", .ended))
        var rig = Rig(saved: before.lifecycle.saved)
        #expect(rig.drain(rig.tell(.launched([]))).contains(report("c1", token: "aa", .ended)))
    }

    @Test("what was saved for another device is not taken over")
    func otherDevice() {
        var before = rig([card("c1")])
        _ = before.drain(before.tell(.startTokenReceived("cc")))
        var device = registration
        device.device = "d2"
        let lifecycle = CardLifecycle(device: device, saved: before.lifecycle.saved)
        #expect(lifecycle.cards.isEmpty)
        #expect(lifecycle.device.startToken == nil)
    }

    @Test("tokens and settings reach the relay, once each; the person's changes do not undo them")
    func device() {
        var rig = rig()
        var expected = registration
        expected.alertToken = "aa"
        #expect(rig.drain(rig.tell(.alertTokenReceived("aa"))) == [.device(expected)])
        #expect(rig.tell(.alertTokenReceived("aa")).isEmpty)
        expected.startToken = "bb"
        #expect(rig.drain(rig.tell(.startTokenReceived("bb"))) == [.device(expected)])
        expected.frequentPushes = true
        #expect(rig.drain(rig.tell(.frequentPushesChanged(true))) == [.device(expected)])
        var wish = registration
        wish.text = .generic
        expected.text = .generic
        #expect(rig.drain(rig.tell(.deviceChanged(wish))) == [.device(expected)])
    }

    @Test("before the system's 8 hours a fresh card takes over, in the foreground only")
    func renewal() {
        var rig = rig([card("c1")])
        let due = moment.addingTimeInterval(27_000)
        #expect(rig.lifecycle.wakeAt == due)
        _ = rig.tell(.foregroundChanged(false))
        #expect(rig.lifecycle.wakeAt == nil)
        rig.now = due
        #expect(rig.tell(.woken).isEmpty)
        let asked = rig.tell(.foregroundChanged(true))
        #expect(asked == [.request(attributes, content, staleAt: due.addingTimeInterval(900))])
        // The system says no: the old card lives on, and the next attempt is not at once.
        _ = rig.tell(.startRefused(session: "s1"))
        #expect(rig.lifecycle.liveCard(of: "s1") == "c1")
        #expect(rig.lifecycle.wakeAt == due.addingTimeInterval(600))
        rig.wait(600)
        #expect(rig.tell(.woken).count == 1)
        let orders = rig.tell(.appeared(card("c2")))
        #expect(orders.contains(.end(card: "c1", nil, .immediately)))
        #expect(rig.lifecycle.liveCard(of: "s1") == "c2")
    }

    @Test("a finished session's card is not renewed")
    func noRenewal() {
        var rig = rig([card("c1")])
        var done = content
        done.status = .completed
        _ = rig.tell(.contentChanged(card: "c1", done))
        #expect(rig.lifecycle.wakeAt == nil)
    }

    @Test("signing out ends every card, has the relay forget the device, and says nothing more")
    func signOut() {
        var rig = rig([card("c1"), card("c2", session: "s2")])
        let orders = rig.tell(.signedOut)
        #expect(orders.contains(.end(card: "c1", nil, .immediately)))
        #expect(orders.contains(.end(card: "c2", nil, .immediately)))
        #expect(rig.tell(.stateChanged(card: "c1", .dismissed)).isEmpty)
        #expect(rig.drain(orders) == [.forget])
        #expect(rig.tell(.alertTokenReceived("aa")).isEmpty)
        #expect(refusal(rig.tell(.startRequested(attributes, content))) == .unauthorised)
        // A push that was on its way: its card goes at once.
        #expect(rig.tell(.appeared(card("c3"))) == [.end(card: "c3", nil, .immediately)])
        #expect(rig.lifecycle.saved.isSignedOut)
        #expect(rig.drain(rig.tell(.signedIn)).first == .device(rig.lifecycle.device))
    }

    private func refusal(_ orders: [CardLifecycle.Order]) -> LiveActivityError.Code? {
        for case .refuse(let error) in orders { return error.code }
        return nil
    }
}

let registration = DeviceRegistration(device: "d1", name: "Ada's iPhone", environment: .sandbox, system: "18.1")!
