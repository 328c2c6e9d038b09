import PushPlanner
import RelayModel
import RelayProtocol

extension Phone {
    /// What its person has there.
    enum Reach {
        case app, browser
        /// Whatever app of ntfy.
        case topic
        /// What the operator's program does with it.
        case receiver
    }

    struct LiveCard {
        let id: CardID
        let session: SessionID?
        var token: String?
        /// The broadcast channel that it listens to; then it never has a token.
        var channel: String?
        /// The card's state as the app would report it.
        var state = CardReport.State.active
        /// The relay has confirmed the app's last report.
        var isTold = false
        var timestamp: Int64 = 0
        /// The relay knows of no such card, or session.
        var isRefused = false
        /// Its start came so late that its channel had been deleted: it cannot be reached any more.
        var isLost = false

        /// Name of the card in the record of pushes: its channel, if it has one.
        var address: CardID { channel.flatMap { CardID($0) } ?? id }
    }
}

extension Device {
    /// An app of Apple's on the phone of this number.
    static func app(in world: World, _ index: Int, _ apns: SimulatedAPNs) -> Device {
        let name = "phone\(index)"
        var device = Device(
            id: DeviceID("\(name)-0")!, name: name, profile: "heliograph", address: .apns(APNsTokens(.sandbox)),
            system: world.dice.pick(["17.5", "18.1"]))
        device.address.alerts = apns.makeToken(.alert, for: index)
        device.address.starts = apns.makeToken(.start, for: index)
        device.hasFrequentPushes = world.plant == .boastfulPhone || world.dice.chance(0.4)
        device.cards = world.dice.pick([.perSession, .perSession, .perSession, .aggregate, .off])
        device.starts = world.dice.pick(CardStarts.allCases)
        device.text = world.dice.pick([.full, .summary, .generic])
        return device
    }

    /// The relay's page in a browser there.
    static func browser(in world: World, _ index: Int, _ apns: SimulatedAPNs) -> Device {
        let name = "phone\(index)"
        var device = Device(
            id: DeviceID("\(name)-0")!, name: name, profile: profileOfBrowsers,
            address: .web(apns.makeSubscription(for: index)), system: "Firefox on Linux")
        (device.cards, device.starts) = (.off, .never)
        device.text = world.dice.pick([.full, .full, .summary, .generic])
        device.allowsOnLockScreen = world.dice.chance(0.6)
        return device
    }

    /// A topic that is read there.
    static func topic(in world: World, _ index: Int, _ apns: SimulatedAPNs) -> Device {
        plain(in: world, index, .ntfy(apns.makeTopic(for: index)))
    }

    /// A program that says there what it gets.
    static func receiver(in world: World, _ index: Int, _ apns: SimulatedAPNs) -> Device {
        plain(in: world, index, .receiver(apns.makeReceiver(for: index)))
    }

    private static func plain(in world: World, _ index: Int, _ address: DeviceAddress) -> Device {
        let (name, word) = ("phone\(index)", address.service.rawValue)
        var device = Device(id: DeviceID("\(name)-0")!, name: name, profile: word, address: address, system: word)
        (device.cards, device.starts) = (.off, .never)
        device.text = world.dice.pick([.full, .full, .summary, .generic])
        device.allowsOnLockScreen = world.dice.chance(0.6)
        return device
    }
}
