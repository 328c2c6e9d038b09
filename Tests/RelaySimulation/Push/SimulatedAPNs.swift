import PushPlanner
import RelayCore
import RelayProtocol

/// The push services, Apple's and those of browsers: accept or refuse pushes; answer in time, late, or after the relay has ended;
/// and deliver accepted pushes late, out of order, twice or never.
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

    struct Channel {
        var isDeleted = false
        /// True if the service removed it; the relay may or may not learn of that.
        var isLost = false
        /// The last push, kept for devices that begin to listen.
        var last: PushIntent?
    }

    private unowned let world: World
    /// Channels by name.
    private(set) var channels: [String: Channel] = [:]
    private(set) var tokens: [String: Token] = [:]

    init(world: World) { self.world = world }

    func makeToken(_ kind: Kind, for phone: Int) -> String {
        world.lastName += 1
        let digits = String(world.lastName, radix: 16)
        let token = digits.count.isMultiple(of: 2) ? digits : "0" + digits
        tokens[token] = Token(phone: phone, kind: kind)
        return token
    }

    func makeSubscription(for phone: Int) -> WebSubscription {
        let service = world.dice.pick(["web.push.apple.com", "updates.push.services.mozilla.com"])
        let subscription = WebSubscription(
            endpoint: "https://\(service)/\(world.name("endpoint"))",
            p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            auth: "BTBZMqHH6r4Tts7J_aSIgg")
        tokens[subscription.place] = Token(phone: phone, kind: .alert)
        return subscription
    }

    func makeTopic(for phone: Int) -> NtfyTopic {
        let topic = NtfyTopic(server: "https://ntfy.sh", topic: world.name("topic"), token: "tk_secret")
        tokens[topic.place] = Token(phone: phone, kind: .alert)
        return topic
    }

    func makeReceiver(for phone: Int) -> Receiver {
        world.lastName += 1
        let receiver = Receiver("receiver-\(world.lastName)")
        tokens[receiver.name] = Token(phone: phone, kind: .alert)
        return receiver
    }

    func kill(_ token: String?) { if let token { tokens[token]?.isDead = true } }

    /// The card that this push is for; for a broadcast the channel's name represents all that listen.
    func card(of order: PushIntent) -> CardID? {
        if case .broadcast(let name) = order.target { return CardID(name) }
        guard case .device(let token) = order.target, case .card(let card) = tokens[token]?.kind else { return nil }
        return card
    }

    func isDeleted(_ channel: String?) -> Bool { channel.map { channels[$0]?.isDeleted != false } ?? false }

    func isLost(_ channel: String?) -> Bool { channel.flatMap { channels[$0]?.isLost } ?? false }

    /// Takes a push. The outcome reaches this run of the relay or is lost.
    func take(_ order: PushIntent) {
        guard case .device(let text) = order.target else { return takeOfChannel(order) }
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

    private func takeOfChannel(_ order: PushIntent) {
        let faults = world.faults
        if world.dice.chance(faults.refusedPush) {
            let advice: PushAdvice = world.dice.pick([
                .keepToken, .sendLater, .sendLater, .fixCredentials, .fixRequest, .markProfile, .dropChannel, .enableBroadcast,
            ])
            if advice == .dropChannel { lose(order) }
            answer(order, .refused(advice, text: advice.rawValue))
        } else if world.dice.chance(faults.unsentPush) {
            answer(order, .notSent("it was not worth sending any more"))
        } else if world.dice.chance(faults.unknownPush) {
            if world.dice.chance(0.5) { _ = carryOut(order) }
            answer(order, .unknown("the connection broke"))
        } else {
            answer(order, carryOut(order))
        }
    }

    /// Handles a push to a channel that is gone.
    private func lose(_ order: PushIntent) {
        switch order.target {
        case .broadcast(let name), .deleteChannel(let name):
            guard channels[name]?.isDeleted == false else { break }
            channels[name]?.isDeleted = true
            channels[name]?.isLost = true
        case .device, .makeChannel: break
        }
    }

    private func carryOut(_ order: PushIntent) -> PushOutcome {
        let gone = PushOutcome.refused(.dropChannel, text: "ChannelNotRegistered")
        let accepted = PushOutcome.accepted(order.environment, channel: nil)
        switch order.target {
        case .device: preconditionFailure("a push to a device is about no channel")
        case .makeChannel:
            let name = world.name("ch")
            channels[name] = Channel()
            return .accepted(order.environment, channel: name)
        case .deleteChannel(let name):
            guard channels[name]?.isDeleted == false else { return gone }
            if world.plant != .keptChannel { channels[name]?.isDeleted = true }
            return accepted
        case .broadcast(let name):
            guard channels[name]?.isDeleted == false else { return gone }
            channels[name]?.last = order
            deliver(order, listeningTo: name)
            return accepted
        }
    }

    /// A card begins to listen: it gets the last push that the channel keeps.
    func listens(to name: String) {
        if let last = channels[name]?.last { deliver(last, listeningTo: name) }
    }

    private func deliver(_ order: PushIntent, listeningTo name: String) {
        let wait = world.dice.chance(world.faults.latePush) ? world.dice.within(500...60_000) : world.dice.within(50...800)
        world.after(wait) { world in for phone in world.pushes?.phones ?? [] { phone.heard(order, on: name) } }
    }

    private func answer(_ order: PushIntent, _ outcome: PushOutcome) {
        let wait = world.dice.chance(world.faults.latePush) ? world.dice.within(500...60_000) : world.dice.within(5...200)
        world.relay.inThisLife(after: wait) { process in process.world.pushes?.answered(order, outcome) }
    }

    private func deliver(_ order: PushIntent, to token: Token) {
        let wait = world.dice.chance(world.faults.latePush) ? world.dice.within(500...60_000) : world.dice.within(50...800)
        world.after(wait) { world in world.pushes?.phones[token.phone].delivered(order, token.kind) }
    }
}
