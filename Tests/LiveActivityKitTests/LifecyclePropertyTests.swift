import Foundation
import HeliographTestSupport
import Testing

@testable import LiveActivityKit

/// Whatever happens, in whatever order, with a relay that fails as it likes and an app that is killed at any moment: in the end
/// the relay knows the device and every card as they are, and no card is left double.
@Suite("Card lifecycle, by chance") struct LifecyclePropertyTests {
    /// A phone with its system and a relay, both simple.
    private struct World {
        var dice: SeededDice
        var lifecycle = CardLifecycle(device: registration)
        var now = moment
        var system: [String: CardLifecycle.SeenCard] = [:]
        var told: [String: LiveActivityKit.CardReport] = [:]
        var toldDevice: DeviceRegistration?
        var flying: (report: RelayReport, number: Int)?
        var count = 0

        mutating func tell(_ input: CardLifecycle.Input) {
            for order in lifecycle.handle(input, at: now) { carryOut(order) }
        }

        mutating func carryOut(_ order: CardLifecycle.Order) {
            switch order {
            case .request(let attributes, let content, _):
                if dice.next(4) == 0 { return tell(.startRefused(session: attributes.session)) }
                appear(attributes, content)
            case .end(let card, _, _): leave(card)
            case .send(let report, let number):
                #expect(flying == nil, "two reports on their way at once")
                flying = (report, number)
            case .update, .refuse: break
            case .giveUp(let report, let code): Issue.record("gave up \(report): \(code)")
            }
        }

        mutating func appear(_ attributes: Attributes, _ content: ContentState) {
            count += 1
            let seen = CardLifecycle.SeenCard(id: "c\(count)", attributes: attributes, content: content)
            system[seen.id] = seen
            tell(.appeared(seen))
        }

        mutating func leave(_ card: String) {
            guard system.removeValue(forKey: card) != nil else { return }
            tell(.stateChanged(card: card, .dismissed))
        }

        /// The relay may or may not have got the report, and the response may be lost.
        mutating func answer(reliably: Bool) {
            guard let (report, number) = flying else { return }
            flying = nil
            let fate = reliably ? 0 : dice.next(3)
            if fate < 2 {
                switch report {
                case .device(let device): toldDevice = device
                case .card(let card): told[card.card] = card.state.isFinal ? nil : card
                case .forget: break
                }
            }
            tell(fate == 0 ? .acknowledged(report: number) : .failed(report: number, .unreachable, dice: dice.fraction))
        }

        mutating func restart() {
            flying = nil
            lifecycle = CardLifecycle(device: registration, saved: lifecycle.saved)
            tell(.launched(system.keys.sorted().map { system[$0]! }))
        }

        mutating func step() {
            now = now.addingTimeInterval(Double(dice.next(2_000)))
            let session = "s\(dice.next(3))"
            let attributes = Attributes(session: session, title: "t", agent: "a", host: "h")
            let content = ContentState(status: .running, startedAt: began, updatedAt: now)
            let some = system.keys.sorted()
            let card = some.isEmpty ? nil : some[dice.next(some.count)]
            switch dice.next(12) {
            case 0: tell(.startRequested(attributes, content))
            case 1: appear(attributes, content)
            case 2:
                guard let card else { return }
                count += 1
                system[card]?.token = "a\(count)"
                tell(.tokenReceived(card: card, token: "a\(count)"))
            case 3: if let card { leave(card) }
            // The person swept it away while the app did not run.
            case 4: if let card { system[card] = nil; restart() }
            case 5: restart()
            case 6: tell(.foregroundChanged(dice.next(2) == 0))
            case 7: tell(dice.next(2) == 0 ? .relayUnreachable : .relayReachable)
            case 8: tell(.startTokenReceived("b\(dice.next(3))"))
            case 9: tell(.frequentPushesChanged(dice.next(2) == 0))
            case 10: tell(.woken)
            default: answer(reliably: false)
            }
        }

        mutating func settle() {
            tell(.relayReachable)
            for _ in 0..<200 where flying != nil || lifecycle.wakeAt != nil {
                answer(reliably: true)
                if let wake = lifecycle.wakeAt, flying == nil, !lifecycle.queue.entries.isEmpty {
                    now = max(now, wake)
                    tell(.woken)
                }
            }
        }
    }

    @Test("the relay knows in the end what is", arguments: 1...300)
    func converges(seed: Int) {
        var world = World(dice: SeededDice(seed: UInt64(seed)))
        world.tell(.launched([]))
        for _ in 0..<200 { world.step() }
        world.settle()
        #expect(world.lifecycle.queue.entries.isEmpty, "seed \(seed)")
        #expect(world.toldDevice == world.lifecycle.device, "seed \(seed)")
        #expect(Set(world.told.keys) == Set(world.system.keys), "seed \(seed)")
        for (id, seen) in world.system { #expect(world.told[id]?.token == seen.token, "seed \(seed), \(id)") }
        let sessions = world.system.values.map(\.attributes.session)
        #expect(Set(sessions).count == sessions.count, "seed \(seed): a session with two cards")
    }
}

extension SeededDice {
    fileprivate mutating func next(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    fileprivate var fraction: Double { mutating get { Double(next(1_000)) / 1_000 } }
}
