import RelayCore
import RelayProtocol

/// Apple's end: takes pushes or does not, says so in time, late, or to a relay that has ended, and delivers what it took late, out of
/// order, twice or never.
final class SimulatedAPNs {
    enum Kind: Equatable {
        case alert, start
        case card(CardID)
    }

    struct Token {
        let phone: Int
        let kind: Kind
        var isDead = false
    }

    private unowned let world: World
    private(set) var tokens: [String: Token] = [:]

    init(world: World) { self.world = world }

    func makeToken(_ kind: Kind, for phone: Int) -> String {
        world.lastName += 1
        let digits = String(world.lastName, radix: 16)
        let token = digits.count.isMultiple(of: 2) ? digits : "0" + digits
        tokens[token] = Token(phone: phone, kind: kind)
        return token
    }

    func kill(_ token: String?) { if let token { tokens[token]?.isDead = true } }

    /// The card that this push is for.
    func card(of order: PushOrder) -> CardID? {
        guard case .device(let token) = order.target, case .card(let card) = tokens[token]?.kind else { return nil }
        return card
    }

    /// `answer` comes in this life of the relay or not at all.
    func take(_ order: PushOrder) {
        guard case .device(let text) = order.target else {
            // No app here listens to a channel.
            return answer(order, .refused(.enableBroadcast, text: "FeatureNotEnabled"))
        }
        guard let token = tokens[text], !token.isDead else {
            return answer(order, .refused(.dropToken, text: "Unregistered"))
        }
        let faults = world.faults
        if world.dice.chance(faults.refusedPush) {
            let advice: PushAdvice = world.dice.pick([
                .keepToken, .sendLater, .sendLater, .fixCredentials, .dropToken, .quarantineToken, .markProfile, .fixRequest,
            ])
            answer(order, .refused(advice, text: advice.rawValue))
        } else if world.dice.chance(faults.unsentPush) {
            answer(order, .notSent("it was not worth sending any more"))
        } else if world.dice.chance(faults.unknownPush) {
            answer(order, .unknown("the connection broke"))
            if world.dice.chance(0.5) { deliver(order, to: token) }
        } else {
            answer(order, .accepted(order.environment, channel: nil))
            if !world.dice.chance(faults.lostPush) { deliver(order, to: token) }
            if world.dice.chance(faults.repeatedPush) { deliver(order, to: token) }
        }
    }

    private func answer(_ order: PushOrder, _ outcome: PushOutcome) {
        let wait = world.dice.chance(world.faults.latePush) ? world.dice.within(500...60_000) : world.dice.within(5...200)
        world.relay.inThisLife(after: wait) { process in process.world.pushes?.answered(order, outcome) }
    }

    private func deliver(_ order: PushOrder, to token: Token) {
        let wait = world.dice.chance(world.faults.latePush) ? world.dice.within(500...60_000) : world.dice.within(50...800)
        world.after(wait) { world in world.pushes?.phones[token.phone].delivered(order, token.kind) }
    }
}
