import PushPlanner
import RelayModel
import RelayProtocol

extension Phone {
    /// The means by which the person gets notifications.
    enum Reach {
        case app, browser
        /// Any app for ntfy.
        case topic
        /// The operator's program, and what it does with a notification.
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
        /// True if the relay has confirmed the app's last report.
        var isTold = false
        var timestamp: Int64 = 0
        /// True if the relay does not know the card, or its session.
        var isRefused = false
        /// True if its start arrived after its channel had been deleted: it can no longer be reached.
        var isLost = false

        /// Name of the card in the record of pushes: its channel, if it has one.
        var address: CardID { channel.flatMap { CardID($0) } ?? id }
    }
}

extension Device {
    /// The app on an iPhone, for the phone of this number.
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

    /// The relay's page in a browser on that phone.
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

    /// An ntfy topic that is read on that phone.
    static func topic(in world: World, _ index: Int, _ apns: SimulatedAPNs) -> Device {
        plain(in: world, index, .ntfy(apns.makeTopic(for: index)))
    }

    /// A program that shows there what it receives.
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
