import RelayProtocol
import Testing

@testable import HostCore

@Suite("What people send to steer a session")
struct SteeringDeskTests {
    private static let session = SessionID("one-s")!
    private static let all = SteeringOffer(
        actions: [.prompt, .interrupt, .mode], modes: ["plan"], commands: ["/compact"])
    private var desk = SteeringDesk(.everyone)
    private var now = HostInstant(wall: 1_000, monotonic: 0)

    private func request(_ id: String, _ action: SteeringAction, by client: String = "phone") -> SteeringRequest {
        SteeringRequest(
            command: CommandID(id)!, session: Self.session, by: Named(id: ClientID(client)!, name: client), action: action)
    }

    private func name(_ id: String) -> SteeringName {
        SteeringName(client: ClientID("phone")!, command: CommandID(id)!)
    }

    private mutating func prompt(_ id: String, _ whenBusy: SteeringAction.WhenBusy = .queue) -> [String] {
        said(desk.asked(request(id, .prompt(.init(text: "go on", whenBusy: whenBusy))), at: now))
    }

    private mutating func stands(_ standing: SteeringStanding) -> [String] {
        said(desk.stands(standing, Self.session, at: now))
    }

    private mutating func changed(_ id: String, _ stage: SteeringStage) -> [String] {
        said(desk.changed(SteeringChange(name(id), stage), of: Self.session, at: now))
    }

    private func said(_ orders: [SteeringOrder]) -> [String] {
        orders.map { order in
            switch order {
            case .give(let request): "give \(request.command.rawValue)"
            case .tell(_, let change):
                "\(change.name.command.rawValue) \(change.stage.rawValue)" + (change.reason.map { ": \($0)" } ?? "")
            }
        }
    }

    private mutating func comeUp(_ offer: SteeringOffer = all, _ standing: SteeringStanding = .idle) {
        desk.offered(offer, by: Self.session)
        _ = stands(standing)
    }

    @Test("a prompt is given at once to an agent that is idle, and only once")
    mutating func idle() {
        comeUp()
        #expect(prompt("k1") == ["give k1"])
        #expect(prompt("k1") == [], "the same once more")
        #expect(changed("k1", .taken) == ["k1 taken"])
        #expect(changed("k1", .refused) == [], "the first end stands")
    }

    @Test("a relay that asks again, or says that it knows no end, after it has had one hears the same end again")
    mutating func endAgain() {
        comeUp()
        #expect(prompt("k1") == ["give k1"])
        #expect(changed("k1", .taken) == ["k1 taken"])
        desk.noted(name("k1"), of: Self.session)
        #expect(prompt("k1") == [], "its end is on its way")
        _ = desk.acknowledged(Self.session)
        #expect(prompt("k1") == ["k1 taken"])
        #expect(said(desk.outstanding([name("k1")], of: Self.session, at: now)) == ["k1 taken"])
        #expect(prompt("k2") == ["k2 queued"])
        #expect(said(desk.withdrawn(name("k2"), of: Self.session)) == ["k2 withdrawn"])
        #expect(prompt("k2") == ["k2 withdrawn"])
        now.monotonic += SteeringLimits().knownFor.milliseconds
        #expect(prompt("k2") != ["k2 withdrawn"], "by then its name may be another command's")
    }

    @Test("while the agent works a prompt waits, is refused, or steers, as its author wants")
    mutating func busy() {
        comeUp(Self.all, .busy)
        #expect(prompt("k1") == ["k1 queued"])
        #expect(prompt("k2", .refuse) == ["k2 refused: the agent is working"])
        #expect(prompt("k3", .steer) == ["k3 queued"], "an agent that cannot be steered gets it later")
        desk.offered(SteeringOffer(actions: [.prompt], steersWhileBusy: true), by: Self.session)
        #expect(prompt("k4", .steer) == ["give k4"])
    }

    @Test("while the agent asks something nothing is given that it might take for the answer")
    mutating func waiting() {
        comeUp(SteeringOffer(actions: [.prompt], steersWhileBusy: true), .waiting)
        #expect(prompt("k1", .steer) == ["k1 queued"])
        #expect(stands(.busy) == [])
        #expect(stands(.idle) == ["give k1"])
    }

    @Test("prompts that wait are given one by one, each when the one before is taken and its turn is over")
    mutating func inOrder() {
        comeUp(Self.all, .busy)
        _ = prompt("k1")
        _ = prompt("k2")
        #expect(stands(.idle) == ["give k1"])
        #expect(stands(.idle) == [], "one at a time")
        #expect(changed("k1", .taken) == ["k1 taken", "give k2"], "the agent said that it is idle since")
        _ = changed("k2", .taken)
        #expect(prompt("k3") == ["k3 queued"], "nothing was heard since the agent took the last: it is at work")
        #expect(stands(.busy) == [])
        #expect(stands(.idle) == ["give k3"])
    }

    @Test("what waits can be withdrawn; what was given cannot")
    mutating func withdrawn() {
        comeUp(Self.all, .busy)
        _ = prompt("k1")
        #expect(said(desk.withdrawn(name("k1"), of: Self.session)) == ["k1 withdrawn"])
        #expect(said(desk.withdrawn(name("k1"), of: Self.session)) == [])
        _ = prompt("k2")
        #expect(stands(.idle) == ["give k2"])
        #expect(said(desk.withdrawn(name("k2"), of: Self.session)) == [])
    }

    @Test("who may not steer this host is refused, whatever the relay says")
    mutating func rights() {
        desk = SteeringDesk(.only([ClientID("laptop")!]))
        comeUp()
        #expect(prompt("k1") == ["k1 refused: this host is not steered by phone"])
        let other = request("k1", .prompt(.init(text: "x")), by: "laptop")
        #expect(said(desk.asked(other, at: now)) == ["give k1"], "an id is each client's own")
        desk = SteeringDesk(.nobody)
        comeUp()
        #expect(prompt("k2") == ["k2 refused: clients cannot steer this host"])
    }

    @Test("what is not offered is refused, with the reason that the offer gives")
    mutating func notOffered() {
        #expect(prompt("k1") == ["k1 refused: clients can do nothing to this session"])
        comeUp(SteeringOffer(actions: [.interrupt], reason: "start it with heliograph run"))
        #expect(prompt("k2") == ["k2 refused: start it with heliograph run"])
        desk.offered(Self.all, by: Self.session)
        #expect(said(desk.asked(request("k3", .mode("bypass")), at: now)) == ["k3 refused: that mode is not offered"])
        #expect(said(desk.asked(request("k4", .mode("plan")), at: now)) == ["give k4"])
        let command = SteeringAction.prompt(.init(text: "/clear now", isCommand: true))
        #expect(said(desk.asked(request("k5", command), at: now)) == ["k5 refused: the agent offers no such command"])
        #expect(said(desk.asked(request("k6", .interrupt), at: now)) == ["k6 refused: nothing runs that could be interrupted"])
    }

    @Test("an agent that shows nothing leaves it unknown, and is not given it again")
    mutating func noEvidence() {
        comeUp()
        _ = prompt("k1")
        _ = prompt("k2")
        #expect(desk.nextDeadline == 30_000)
        now.monotonic = 30_000
        #expect(said(desk.timerFired(at: now)) == ["k1 unknown: the agent has not shown that it took it"])
        #expect(stands(.idle) == ["give k2"])
    }

    @Test("a prompt that waited for half a day is not given any more")
    mutating func tooOld() {
        comeUp(Self.all, .busy)
        _ = prompt("k1")
        now.monotonic = SteeringLimits().queuedFor.milliseconds
        #expect(said(desk.timerFired(at: now)) == ["k1 refused: it waited too long"])
        #expect(stands(.idle) == [])
    }

    @Test("with the session ends what waits for it")
    mutating func ended() {
        comeUp()
        _ = prompt("k1")
        _ = prompt("k2")
        #expect(
            said(desk.ended(Self.session)) == ["k1 unknown: the session has ended", "k2 refused: the session has ended"])
        #expect(desk.nextDeadline == nil)
        #expect(prompt("k3") == ["k3 refused: clients can do nothing to this session"])
    }

    @Test("to stop a session is to see it end")
    mutating func stopped() {
        comeUp(SteeringOffer(actions: [.stop]))
        #expect(said(desk.asked(request("k1", .stop), at: now)) == ["give k1"])
        #expect(said(desk.ended(Self.session)) == ["k1 taken: the session has ended"])
    }

    @Test("after a restart what the relay still waits for is told: not given, or nobody knows")
    mutating func restarted() {
        desk.restore([name("k1"): .given])
        #expect(
            said(desk.outstanding([name("k1"), name("k2")], of: Self.session, at: now)) == [
                "k1 unknown: its host was restarted while the agent was being given it",
                "k2 refused: its host was restarted before the agent was given it",
            ])
        desk.noted(name("k1"), of: Self.session)
        #expect(said(desk.outstanding([name("k1")], of: Self.session, at: now)) == [], "it is told once")
        comeUp()
        _ = prompt("k3")
        #expect(said(desk.outstanding([name("k3")], of: Self.session, at: now)) == [], "it is under way")
    }

    @Test("what still waits is not told as lost, however many commands came after it")
    mutating func remembered() {
        comeUp(SteeringOffer(actions: [.prompt, .interrupt]), .busy)
        #expect(prompt("k0") == ["k0 queued"])
        for number in 1...SteeringLimits().knownMax {
            let name = "k\(number)"
            _ = desk.asked(request(name, .interrupt), at: now)
            _ = changed(name, .taken)
        }
        #expect(said(desk.outstanding([name("k0")], of: Self.session, at: now)) == [])
        #expect(prompt("k0") == [], "the same once more")
        #expect(stands(.idle) == ["give k0"])
    }

    @Test("so many wait and no more")
    mutating func bound() {
        comeUp(Self.all, .busy)
        for number in 1...SteeringLimits().queuedMax { #expect(prompt("k\(number)") == ["k\(number) queued"]) }
        #expect(prompt("more") == ["more refused: too many prompts wait already"])
    }

    @Test("an end that the relay may not have is not told otherwise after a restart, and once it has it, it is forgotten")
    mutating func toldBefore() {
        desk.restore([name("k1"): .told(Self.session), name("k2"): .given])
        #expect(
            said(desk.outstanding([name("k1"), name("k2")], of: Self.session, at: now)) == [
                "k2 unknown: its host was restarted while the agent was being given it"
            ])
        #expect(desk.acknowledged(Self.session) == [name("k1")] && desk.acknowledged(Self.session) == [])
    }

    @Test("a name that the relay may hand out again is new again")
    mutating func usedAnew() {
        comeUp()
        #expect(prompt("k1") == ["give k1"])
        #expect(changed("k1", .taken) == ["k1 taken"])
        _ = stands(.idle)
        now.monotonic += SteeringLimits().knownFor.milliseconds - 1
        #expect(prompt("k1") == ["k1 taken"], "what became of it is known")
        now.monotonic += 1
        #expect(prompt("k1") == ["give k1"])
    }
}
