import ChannelWeb
import PushPlanner
import RelayModel
import RelayProtocol
import Testing

@Suite("The planner and a browser") struct WebDeviceTests {
    private typealias S = PlannerStage

    /// A point and a secret as a browser makes them: stored records are read by the rules of the wire.
    private static let p256dh = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let auth = "BTBZMqHH6r4Tts7J_aSIgg"

    private static func browser(at service: String = "updates.push.services.mozilla.com") -> Device {
        var device = Device(
            id: S.device.device, name: "Laptop", profile: "web",
            address: .web(WebSubscription(endpoint: "https://\(service)/a", p256dh: p256dh, auth: auth)),
            system: "Firefox on Linux")
        (device.cards, device.starts, device.text, device.allowsOnLockScreen) = (.off, .never, .full, true)
        return device
    }

    private static func stage(_ channel: WebChannel = WebChannel(pageURL: "https://relay.example")) -> S {
        let stage = S(web: channel)
        _ = stage.take()
        return stage
    }

    /// A stage with an approval whose text a person can judge, after it has rung there.
    private static func rung(_ device: Device) throws -> (stage: S, push: PushIntent) {
        let stage = stage()
        stage.ask(.device(device))
        stage.asks(RequestWords(full: "ls", isWhole: true))
        let push = try #require(stage.staged)
        stage.tell(.committed([push]))
        return (stage, push)
    }

    @Test("an address that its channel does not take is refused at the registration, and nothing is kept")
    func refused() {
        let stage = Self.stage(
            WebChannel(pageURL: "https://relay.example") { _ in WireError(.badValue, at: "$.device.web.endpoint", "no") })
        stage.ask(.device(Self.browser()))
        #expect(stage.take() == ["reply c2: no"])
    }

    @Test("a browser that reads German is told in German")
    func german() throws {
        var device = Self.browser()
        device.language = "de-DE"
        let (_, push) = try Self.rung(device)
        #expect(String(decoding: push.payload, as: UTF8.self).contains("ausführen"))
    }

    @Test("an approval goes to the subscription, and its code allows as long as the person has not changed their mind")
    func rings() throws {
        let (stage, push) = try Self.rung(Self.browser())
        let place = "https://updates.push.services.mozilla.com/a \(Self.p256dh) \(Self.auth)"
        #expect(push.service == .web && push.target == .device(token: place))
        let command = CommandID("k1")!
        _ = stage.take()
        stage.tell(.codePresented(push.id, .allow, command, S.peer))
        #expect(stage.take() == ["decide a1 as phone for k1 with 1"])
        var cautious = Self.browser()
        cautious.allowsOnLockScreen = false
        stage.ask(.device(cautious))
        _ = stage.take()
        stage.tell(.codePresented(push.id, .allow, command, S.peer))
        #expect(stage.take() == ["reply k1: no"])
    }

    @Test(
        "what waits is kept for a browser that is away; at Apple, where nothing takes its place once it is settled, until it rings again"
    )
    func kept() throws {
        let (_, push) = try Self.rung(Self.browser())
        #expect(push.worthUntil - push.plannedAt == 28 * 86_400_000)
        let (_, apple) = try Self.rung(Self.browser(at: "web.push.apple.com"))
        #expect(apple.worthUntil - apple.plannedAt == 3_600_000)
        let code = try #require(apple.code)
        #expect(code.expiresAt - apple.plannedAt == 28 * 86_400_000)
    }

    private static let watcher = ClientIdentity(
        workspace: S.home, client: Named(id: ClientID("onlooker")!, name: "Onlooker"), scope: Scope(of: .watcher))

    @Test("what is pushed to a device of somebody who only watches decides nothing, also after the relay was started anew")
    func watched() throws {
        let stage = Self.stage()
        var device = Self.browser()
        device.id = DeviceID("d2")!
        stage.ask(.device(device), as: Self.watcher)
        let record = try #require(stage.records.last { $0.kind == .device && $0.name == "d2" })
        #expect(String(decoding: record.bytes ?? [], as: UTF8.self).contains(#""onlyWatches":true"#))
        stage.asks(RequestWords(full: "ls", isWhole: true))
        let push = try #require(stage.staged)
        #expect(push.device == device.id && push.code == nil)
        #expect(!String(decoding: push.payload, as: UTF8.self).contains("decisions"))
        stage.tell(.committed([push]))
        _ = stage.take()
        stage.tell(.codePresented(push.id, .deny(message: nil), CommandID("k1")!, S.peer))
        #expect(stage.take() == ["reply k1: no"])
    }

    @Test("who only watches has no hand in the devices of others")
    func othersDevices() {
        let stage = Self.stage()
        let device = Self.browser()
        stage.ask(.device(device))
        _ = stage.take()
        let asked: [ClientCommand] = [
            .device(device), .deviceChoices(device.id, device.choices), .testPush(device.id), .forget(device.id),
        ]
        for command in asked {
            stage.ask(command, as: Self.watcher)
            #expect(stage.take().map { $0.hasSuffix("no") } == [true], "\(command)")
        }
    }

    @Test("words that the channel has to cut can be denied by their code, not allowed")
    func cut() throws {
        let stage = Self.stage()
        stage.ask(.device(Self.browser()))
        stage.asks(RequestWords(full: String(repeating: "x", count: 2_700), isWhole: true))
        let push = try #require(stage.staged)
        stage.tell(.committed([push]))
        _ = stage.take()
        stage.tell(.codePresented(push.id, .allow, CommandID("k1")!, S.peer))
        #expect(stage.take() == ["reply k1: no"])
        stage.tell(.codePresented(push.id, .deny(message: nil), CommandID("k2")!, S.peer))
        #expect(stage.take() == ["decide a1 as phone for k2 with 1"])
    }

    @Test(
        "a subscription that is gone is forgotten with the reason, and nothing more is planned for it",
        arguments: [PushAdvice.dropToken, .quarantineToken])
    func gone(_ advice: PushAdvice) throws {
        let (stage, push) = try Self.rung(Self.browser())
        _ = stage.take()
        stage.tell(.pushAnswered(push.id, .refused(advice, text: "410")))
        let record = try #require(stage.records.last { $0.kind == .device }?.bytes)
        let stored = String(decoding: record, as: UTF8.self)
        #expect(stored.contains(#""web":{}"#) && stored.contains("open the page there once"))
        _ = stage.take()
        stage.pass(600_000)
        stage.tell(.sessionsChanged([S.session]))
        stage.ask(.testPush(S.device.device))
        #expect(stage.take().filter { $0.hasPrefix("stage push") } == [])
    }

    @Test("what is settled elsewhere is told to a browser, and to none of Apple's", arguments: [true, false])
    func settled(_ isAtApple: Bool) throws {
        let device = isAtApple ? Self.browser(at: "web.push.apple.com") : Self.browser()
        let (stage, push) = try Self.rung(device)
        stage.tell(.pushAnswered(push.id, .accepted(.production, channel: nil)))
        _ = stage.take()
        stage.agent(.approvalCancelled(S.approval, reason: "answeredLocally"))
        #expect(stage.take().contains("stage push 2: alert") == !isAtApple)
    }

    @Test("what is settled is not tried again once the browser has moved to Apple's service")
    func moved() throws {
        let (stage, push) = try Self.rung(Self.browser())
        stage.tell(.pushAnswered(push.id, .accepted(.production, channel: nil)))
        stage.agent(.approvalCancelled(S.approval, reason: "answeredLocally"))
        let settled = try #require(stage.staged)
        #expect(settled.id != push.id)
        stage.tell(.committed([settled]))
        stage.tell(.pushAnswered(settled.id, .refused(.sendLater, text: "503")))
        _ = stage.take()
        stage.ask(.device(Self.browser(at: "web.push.apple.com")))
        stage.pass(600_000)
        stage.tell(.timerFired(.alerts(S.home.id, S.device.device)))
        #expect(stage.take().filter { $0.hasPrefix("stage push") && $0.contains(":") } == [])
    }

    @Test(
        "an alert that fails is not repeated over a later one of its name, whichever is answered first",
        arguments: [true, false])
    func outdated(_ isLaterFirst: Bool) throws {
        let stage = Self.stage()
        stage.ask(.device(Self.browser()))
        stage.agent(.error(message: "first", recoverable: true))
        let first = try #require(stage.staged)
        stage.agent(.error(message: "second", recoverable: true))
        let second = try #require(stage.staged)
        #expect(first.id != second.id && first.replaces == second.replaces)
        stage.tell(.committed([first, second]))
        let answers: [PlannerFact] = [
            .pushAnswered(first.id, .notSent("a later one took its place")),
            .pushAnswered(second.id, .accepted(.production, channel: nil)),
        ]
        _ = stage.take()
        for answer in isLaterFirst ? answers.reversed() : answers { stage.tell(answer) }
        stage.pass(600_000)
        stage.tell(.timerFired(.alerts(S.home.id, S.device.device)))
        #expect(stage.take().filter { $0.hasPrefix("stage push") && $0.contains(":") } == [])
    }

    @Test("a planned push is read back and sent again as it was")
    func restart() throws {
        let stage = Self.stage()
        stage.ask(.device(Self.browser()))
        stage.asks(RequestWords(full: "ls", isWhole: true))
        let push = try #require(stage.staged)
        var planner = PushPlanner(
            PushSettings(channels: [.web: WebChannel(pageURL: "https://moved.example")]), firstWorkspace: S.home.id,
            restoring: stage.records)
        #expect(planner.damaged.isEmpty)
        let orders = planner.handle(.started(holders: nil), seeing: stage.sight, at: Instant(wall: push.plannedAt, uptime: 0))
        #expect(orders.compactMap { if case .push(let order) = $0 { order.asPlanned } else { nil } } == [push])
    }
}
