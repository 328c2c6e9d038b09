import RelayModel
import RelayProtocol
import Testing

@testable import RelayCore

@Suite("Steering a session by way of the relay")
struct SteeringTests {
    typealias T = RelayTranscript

    private static let offer = EventHead.steeringOffered(
        SteeringOffer(actions: [.prompt, .mode], reason: "no interrupt here", modes: ["plan"], commands: ["/compact"]))

    private func withSession(_ offer: EventHead = offer) -> (RelayTranscript, host: PeerID, client: PeerID) {
        let t = T()
        let host = t.host(capabilities: [.steer])
        t.send([T.started, offer], first: 1, by: host)
        t.commit()
        let client = t.client()
        _ = t.take(host)
        _ = t.take(client)
        return (t, host, client)
    }

    private func ask(_ t: RelayTranscript, _ action: SteeringAction, _ id: String = "k1", by client: PeerID) -> [String] {
        t.command(.steer(T.session, action), id: id, by: client)
        t.commit()
        return t.take(client)
    }

    private func prompt(_ text: String, _ whenBusy: SteeringAction.WhenBusy = .queue, isCommand: Bool = false)
        -> SteeringAction
    {
        .prompt(.init(text: text, whenBusy: whenBusy, isCommand: isCommand))
    }

    private static let name = SteeringName(client: ClientID("phone")!, command: CommandID("k1")!)

    @Test("what was asked is an event of the session, with its text in the body, before its host gets it")
    func isAnEvent() throws {
        let (t, host, client) = withSession()
        t.command(.subscribe(T.session, after: Position(epoch: T.epoch, seq: 2)), id: "s", by: client)
        _ = t.take(client)
        t.command(.steer(T.session, prompt("go on")), id: "k1", by: client)
        t.handle(.tickEnded)
        #expect(t.take(host) == [], "not on disk yet")
        t.finishCommit()
        #expect(t.types(host) == ["prompt"])
        let said = t.take(client)
        let event = try #require(said.first { $0.contains("steering.requested") })
        #expect(
            event.contains(
                #""head":{"action":"prompt","command":"k1","by":{"id":"phone","name":"phone"}},"body":{"text":"go on"}"#))
        #expect(t.relay.shown[SessionKey(workspace: T.home.id, session: T.session)]?.openSteering == [Self.name])
    }

    @Test("a start is for a host that offers it; its first prompt is in the body, and its target in the head")
    func launches() throws {
        var offer = SteeringOffer(actions: [.start, .past], projects: [ProjectOffer(name: "site", folder: "~/site")])
        offer.agents = [StartableAgent(name: "claude", title: "Claude Code", modes: ["plan"])]
        let (t, host, client) = withSession(.steeringOffered(offer))
        t.command(.subscribe(T.session, after: Position(epoch: T.epoch, seq: 2)), id: "s", by: client)
        _ = t.take(client)
        for (project, agent, mode) in [("else", "claude", nil), ("site", "bash", nil), ("site", "claude", "free")] {
            let launch = Launch(.start, project: project, agent: agent, mode: mode)
            let said = ask(t, .launch(launch), "no-\(project)-\(agent)", by: client).joined()
            #expect(said.contains("unsupported"))
        }
        #expect(
            ask(t, .launch(Launch(.resume("p1"), project: "site", agent: "claude")), "k0", by: client).joined().contains(
                "unsupported"))
        #expect(t.types(host) == [])
        let launch = Launch(.start, project: "site", agent: "claude", mode: "plan", text: "go on")
        let event = try #require(ask(t, .launch(launch), by: client).first { $0.contains("steering.requested") })
        #expect(event.contains(#""name":"phone"},"project":"site","agent":"claude","mode":"plan"},"body":{"text":"go on"}"#))
        #expect(t.types(host) == ["start"])
    }

    @Test("its host's word ends it; steps on the way and a second end change nothing")
    func ends() {
        let (t, host, client) = withSession()
        _ = ask(t, prompt("go on"), by: client)
        let key = SessionKey(workspace: T.home.id, session: T.session)
        for (number, stage) in [SteeringStage.queued, .given, .taken, .unknown].enumerated() {
            t.send([.steeringChanged(SteeringChange(Self.name, stage))], first: 3 + Int64(number), by: host)
            t.commit()
            #expect(t.relay.shown[key]?.openSteering == (stage.isFinal ? [] : [Self.name]))
        }
    }

    @Test("what is not offered is refused with the reason that the host gave")
    func notOffered() {
        let (t, host, client) = withSession()
        #expect(ask(t, .interrupt, by: client).first?.contains("no interrupt here") == true)
        #expect(ask(t, .mode("bypassPermissions"), by: client).first?.contains("unsupported") == true)
        #expect(ask(t, prompt("/clear", isCommand: true), by: client).first?.contains("unsupported") == true)
        #expect(ask(t, prompt("x", .steer), by: client).first?.contains("takes no prompt while it works") == true)
        #expect(t.take(host) == [])
        #expect(ask(t, .mode("plan"), by: client).last?.contains(#""delivery":"sent""#) == true)
        #expect(ask(t, prompt("/compact now", isCommand: true), "k2", by: client).last?.contains("sent") == true)
        #expect(t.types(host) == ["mode", "prompt"])
    }

    @Test("a host that goes before it is sent ends it, and what was asked is not sent later")
    func hostGone() {
        let (t, host, client) = withSession()
        t.command(.steer(T.session, prompt("go on")), id: "k1", by: client)
        t.handle(.disconnected(host))
        t.commit()
        t.commit()
        #expect(t.take(client).last?.contains("unavailable") == true)
        #expect(t.relay.shown[SessionKey(workspace: T.home.id, session: T.session)]?.openSteering == [])
        let back = t.host(sessions: [T.session], capabilities: [.steer])
        #expect(t.types(back) == ["welcome"])
    }

    @Test("a host that comes back hears what has had no outcome, also of a relay that was started anew")
    func outstanding() {
        let (before, host, client) = withSession()
        _ = ask(before, prompt("go on"), by: client)
        before.handle(.disconnected(host))
        let t = T(state: before.state)
        t.resume(before)
        let back = t.host(sessions: [T.session], capabilities: [.steer])
        #expect(
            t.take(back).last
                == #"{"type":"outstanding","session":"s1","commands":[{"client":"phone","command":"k1"}]}"#)
    }

    @Test("so many are under way and no more")
    func bound() {
        let (t, _, client) = withSession()
        for number in 0..<WireLimits.steeringOpenMax {
            #expect(ask(t, prompt("x"), "k\(number)", by: client).last?.contains("sent") == true)
        }
        #expect(ask(t, prompt("x"), "more", by: client).last?.contains("tooMany") == true)
    }

    @Test("a prompt that waits is withdrawn by way of its host; one that is over is not")
    func withdraw() {
        let (t, host, client) = withSession()
        _ = ask(t, prompt("go on"), by: client)
        _ = t.take(host)
        t.command(.withdraw(T.session, Self.name), id: "w1", by: client)
        #expect(t.take(host) == [#"{"type":"withdraw","session":"s1","client":"phone","command":"k1"}"#])
        t.send([.steeringChanged(SteeringChange(Self.name, .withdrawn))], first: 3, by: host)
        t.commit()
        _ = t.take(client)
        t.command(.withdraw(T.session, Self.name), id: "w2", by: client)
        #expect(t.take(client).first?.contains(#""code":"closed""#) == true)
    }

    @Test("what somebody sent whose token is revoked is taken back from its host, now and when the host comes back")
    func revoked() {
        let (t, host, client) = withSession()
        _ = ask(t, prompt("go on"), by: client)
        _ = t.take(host)
        t.handle(.clientsListed([ClientKey(workspace: T.home.id, client: Self.name.client)]))
        #expect(t.types(host) == [], "it still holds one")
        t.handle(.clientsListed([]))
        #expect(t.types(host) == ["withdraw"])
        t.handle(.disconnected(host))
        let again = t.host(capabilities: [.steer])
        #expect(t.types(again).suffix(2) == ["outstanding", "withdraw"])
    }

    @Test("one client's commands leave room for others'")
    func room() {
        let (t, host, client) = withSession()
        for number in 0..<Quotas().commandsPerDayPerClient {
            _ = ask(t, .mode("plan"), "k\(number)", by: client)
            let name = SteeringName(client: Self.name.client, command: CommandID("k\(number)")!)
            t.send([.steeringChanged(SteeringChange(name, .taken))], first: Int64(3 + number), by: host)
            t.commit()
        }
        _ = t.take(client)
        #expect(ask(t, .mode("plan"), "more", by: client).last?.contains("tooMany") == true)
        let other = t.client("tablet")
        #expect(ask(t, .mode("plan"), "more", by: other).last?.contains("sent") == true)
    }

    @Test("a host that is there and takes nothing is told apart from one that is away: to try again would not help")
    func takesNothing() {
        let t = T()
        let host = t.host()
        t.send([T.started], first: 1, by: host)
        t.commit()
        let client = t.client()
        #expect(ask(t, prompt("x"), by: client).last?.contains(#""code":"unsupported""#) == true)
        t.handle(.disconnected(host))
        _ = t.take(client)
        #expect(ask(t, prompt("x"), "k2", by: client).last?.contains(#""code":"unavailable""#) == true)
    }

    @Test("a session that has ended is steered by nobody")
    func ended() {
        let (t, host, client) = withSession()
        t.send([.sessionEnded(reason: nil, failed: false)], first: 3, by: host)
        t.commit()
        #expect(ask(t, prompt("x"), by: client).last?.contains("closed") == true)
    }

    @Test("what a host says of a command that nobody sent, or that has its end, is not recorded, and it hears so")
    func strangers() {
        let (t, host, client) = withSession()
        t.command(.subscribe(T.session, after: Position(epoch: T.epoch, seq: 2)), id: "s", by: client)
        _ = ask(t, prompt("go on"), by: client)
        _ = t.take(host)
        let other = SteeringName(client: Self.name.client, command: CommandID("k9")!)
        let changes = [
            SteeringChange(other, .taken), SteeringChange(Self.name, .taken), SteeringChange(Self.name, .unknown),
        ]
        t.send(changes.map { .steeringChanged($0) }, first: 3, by: host)
        t.commit()
        let said = t.take(host)
        #expect(said.count { $0.contains(#""type":"notice","code":"closed""#) } == 2)
        #expect(said.last?.contains(#""through":5"#) == true, "it is not sent again")
        let shown = t.take(client).joined()
        #expect(shown.contains(#""stage":"taken""#) && !shown.contains("k9") && !shown.contains(#""stage":"unknown""#))
        #expect(!shown.contains("truncated"), "nothing is missing")
    }

    @Test("a session that is known by such a report alone says that its beginning is missing")
    func strangerFirst() throws {
        let t = T()
        let host = t.host(capabilities: [.steer])
        t.send([.steeringChanged(SteeringChange(Self.name, .taken))], first: 1, by: host)
        t.commit()
        #expect(try (t.log[T.key] ?? []).map { try Event(stored: $0).head } == [.truncated(count: 1)])
    }

    @Test("a host that comes back unsteered hears what has no outcome, and what is still offered")
    func steeredNoMore() {
        let (before, host, client) = withSession()
        _ = ask(before, prompt("go on"), by: client)
        before.handle(.disconnected(host))
        let unsteered = before.host(sessions: [T.session])
        #expect(
            before.take(unsteered).last
                == #"{"type":"outstanding","session":"s1","commands":[{"client":"phone","command":"k1"}]}"#)
        before.send(
            [.steeringChanged(SteeringChange(Self.name, .refused)), .steeringOffered(SteeringOffer())], first: 3, by: unsteered)
        before.commit()
        before.handle(.disconnected(unsteered))
        #expect(before.types(before.host(sessions: [T.session])) == ["welcome"])
    }

    @Test("also where nothing is under way")
    func offersNoMore() {
        let (t, host, _) = withSession()
        t.handle(.disconnected(host))
        #expect(t.take(t.host(sessions: [T.session])).last == #"{"type":"outstanding","session":"s1","commands":[]}"#)
    }

    // MARK: Pictures

    private static let picture = Picture(digest: PictureDigest(String(repeating: "ab", count: 32))!, type: .png, bytes: 70)
    private static let looks = EventHead.steeringOffered(
        SteeringOffer(actions: [.prompt], takesPictures: true, commands: ["/compact"]))

    private func look(isCommand: Bool = false) -> SteeringAction {
        .prompt(.init(text: isCommand ? "/compact" : "look", isCommand: isCommand, pictures: [Self.picture]))
    }

    @Test("a prompt with pictures is recorded when they are there: they are named in its event, and for its host")
    func pictures() throws {
        let (t, host, client) = withSession(Self.looks)
        t.command(.subscribe(T.session, after: Position(epoch: T.epoch, seq: 2)), id: "s", by: client)
        t.command(.steer(T.session, look()), id: "k1", by: client)
        t.commit()
        #expect(t.take(host) == [])
        let search = try #require(t.pictureSearches.first)
        #expect(search.request.action == look())
        t.handle(.picturesFound(search.peer, search.request, .all))
        t.commit()
        let named = #""pictures":[{"digest":"\#(Self.picture.digest.rawValue)","type":"image/png","bytes":70}]"#
        #expect(t.take(client).contains { $0.contains(#""body":{"text":"look",\#(named)}"#) })
        #expect(t.take(host).contains { $0.contains(named) })
        #expect(t.relay.census.breach == nil)
    }

    @Test("what is not kept is refused, and nothing is recorded", arguments: [PictureFinding.lacking, .failed("no disk")])
    func unknownPictures(_ finding: PictureFinding) throws {
        let (t, host, client) = withSession(Self.looks)
        t.command(.steer(T.session, look()), id: "k1", by: client)
        let search = try #require(t.pictureSearches.first)
        t.handle(.picturesFound(search.peer, search.request, finding))
        t.commit()
        let code = finding == .lacking ? "unknownPicture" : "unavailable"
        #expect(t.take(client).contains { $0.contains(#""code":"\#(code)""#) })
        #expect(t.take(host) == [])
        #expect(t.commands.isEmpty)
    }

    @Test("pictures go with the first prompt of a start where its agent takes some: kept beside the host's own session")
    func picturesOfStarts() throws {
        var offer = SteeringOffer(actions: [.start], projects: [ProjectOffer(name: "site", folder: "~/site")])
        offer.agents = [
            StartableAgent(name: "claude", title: "Claude Code", takesPictures: true),
            StartableAgent(name: "blind", title: "B"),
        ]
        let (t, host, client) = withSession(.steeringOffered(offer))
        func start(_ text: String?, _ agent: String = "claude") -> SteeringAction {
            .launch(Launch(.start, project: "site", agent: agent, text: text, pictures: [Self.picture]))
        }
        #expect(ask(t, start("look", "blind"), "k1", by: client).joined().contains("this agent takes no pictures"))
        #expect(ask(t, start(nil), "k2", by: client).joined().contains("pictures go with a prompt"))
        #expect(t.pictureSearches.isEmpty)
        t.command(.steer(T.session, start("look")), id: "k3", by: client)
        let search = try #require(t.pictureSearches.first)
        t.handle(.picturesFound(search.peer, search.request, .all))
        t.commit()
        #expect(t.take(host).contains { $0.contains(#""text":"look","pictures":[{"digest""#) })
    }

    @Test("pictures are for sessions that take them, and no command has any; whoever has gone meanwhile is answered nothing")
    func picturesRefused() throws {
        let (plain, _, visitor) = withSession()
        #expect(ask(plain, look(), by: visitor).first?.contains("takes no pictures") == true)
        let (t, host, client) = withSession(Self.looks)
        #expect(ask(t, look(isCommand: true), by: client).first?.contains("a command takes no pictures") == true)
        t.command(.steer(T.session, look()), id: "k2", by: client)
        let search = try #require(t.pictureSearches.first)
        t.handle(.disconnected(client))
        t.handle(.picturesFound(search.peer, search.request, .all))
        t.commit()
        #expect(t.take(host) == [])
    }
}
