import RelayCore
import RelayModel
import RelayNode
import RelayProtocol
import Testing

/// The life of a core whose store fails, or that has to end: fact, then the orders for it.
@Suite struct CoreMachineTests {
    @Test func `a core that is sure of its store hands input and orders on as they are`() {
        var stage = Stage()
        #expect(stage.connect() == [])
        #expect(stage.report(from: 1) == [])
        #expect(stage.handle(.tickEnded) == ["append"])
        #expect(stage.handle(.commitEnded(.committed([]))) == ["ack 1"])
    }

    @Test func `a batch that was refused is sent again by its host, which is asked to come back`() {
        var stage = Stage.committing
        #expect(stage.handle(.commitEnded(.refused("full"))) == ["notice", "close 1: restarting"])
        #expect(stage.machine.isServing)
    }

    @Test func `peers of a core that does not know its store are sent away, and it begins again with what is stored`() {
        var stage = Stage.committing
        #expect(
            stage.handle(.commitEnded(.unknown("disk")))
                == ["shut out", "forget", "dismiss hosts [1], clients [2]", "load after 1000"])
        #expect(!stage.machine.isServing && stage.machine.backlog() == Relay.Backlog())
        #expect(stage.handle(.loadFellDue) == ["load"])
        #expect(stage.handle(.loadFailed) == ["load after 1000"])
        #expect(stage.handle(.loadFellDue) == ["load"])
        #expect(stage.handle(.loaded(LogState(), boot: "b")) == ["let in", "begin again"])
        #expect(stage.machine.isServing && stage.machine.relay.peers == [])
    }

    @Test func `input for a suspended core has no effect, and a peer that was let in before comes back`() {
        var stage = Stage.suspended
        #expect(stage.report(from: 2) == [])
        #expect(stage.handle(.tickEnded) == [])
        #expect(stage.connect() == ["close 1: restarting"])
        #expect(stage.handle(.disconnected(Stage.host)) == [])
    }

    @Test func `the next core knows who holds a token, and which workspaces were removed`() {
        var stage = Stage.suspended
        _ = stage.handle(.clientsListed([]))
        _ = stage.handle(.workspaceRemoved(Stage.home.id))
        _ = stage.handle(.loadFellDue)
        _ = stage.handle(.loaded(LogState(), boot: "b"))
        let effects = stage.machine.beginAgain(at: stage.now)
        #expect(effects.contains { if case .workspaceLeft(Stage.home.id) = $0 { true } else { false } })
    }

    @Test func `a process that ends sends peers away, and what was taken in is still committed and shown`() {
        var stage = Stage.committing
        #expect(stage.handle(.leaveOrdered) == ["shut out", "dismiss hosts [1], clients [2]"])
        #expect(stage.handle(.commitEnded(.committed([]))) == ["ack 1"])
    }

    @Test func `a process that ends lets nobody in when it has read its store`() {
        var stage = Stage.suspended
        #expect(stage.handle(.leaveOrdered) == ["shut out", "dismiss hosts [], clients []"])
        _ = stage.handle(.loadFellDue)
        #expect(stage.handle(.loaded(LogState(), boot: "b")) == ["shut out", "begin again"])
    }

    @Test func `a core that commits nothing is released at once`() {
        var stage = Stage()
        _ = stage.connect()
        #expect(
            stage.handle(.endOrdered) == ["shut out", "forget", "dismiss hosts [1], clients [2]", "release"])
        #expect(stage.handle(.endOrdered) == [])
    }

    @Test(arguments: [.committed([]), .refused("full"), .unknown("disk")] as [CommitTries.Outcome])
    func `a core that commits is released when that has ended, and shows nothing of it`(_ outcome: CommitTries.Outcome) {
        var stage = Stage.committing
        #expect(stage.handle(.endOrdered) == ["shut out", "forget", "dismiss hosts [1], clients [2]"])
        #expect(stage.handle(.tickEnded) == [])
        #expect(stage.handle(.commitEnded(outcome)) == ["release"])
    }

    @Test func `a core that ends while its store is read does not begin again`() {
        var stage = Stage.suspended
        _ = stage.handle(.loadFellDue)
        #expect(stage.handle(.endOrdered) == ["shut out", "forget", "dismiss hosts [], clients []", "release"])
        #expect(stage.handle(.loaded(LogState(), boot: "b")) == [])
        #expect(stage.handle(.loadFailed) == [])
        #expect(stage.handle(.loadFellDue) == [])
    }
}

/// A machine with a host and a client, and its orders as words.
private struct Stage {
    static let home = Named<WorkspaceTag>(id: WorkspaceID("home")!, name: "home")
    static let host = PeerID(rawValue: 1)
    let now = Instant(wall: 1_795_178_096_000, uptime: 1_000)
    var machine: CoreMachine

    init() {
        let configuration = Relay.Configuration(
            software: "test", heartbeat: Heartbeat(pingSeconds: 15, hangUpSeconds: 30))
        machine = CoreMachine(
            Relay(
                configuration: configuration, epochs: Epochs(ofLog: Epoch("e1")!, first: Self.home.id), state: LogState(),
                boot: "b", at: now))
        _ = machine.begin(at: now, holders: nil)
    }

    /// A batch with an event of the host is under way.
    static var committing: Stage {
        var stage = Stage()
        _ = stage.connect()
        _ = stage.report(from: 1)
        _ = stage.handle(.tickEnded)
        return stage
    }

    static var suspended: Stage {
        var stage = committing
        _ = stage.handle(.commitEnded(.unknown("disk")))
        return stage
    }

    mutating func connect() -> [String] {
        let identity = HostIdentity(
            workspace: Self.home.id, host: Named(id: HostID("laptop")!, name: "laptop"), scope: .report)
        let orders = handle(.hostConnected(Self.host, identity))
        _ = handle(.hostSent(Self.host, .hello(Hello(software: "test"))))
        let phone = ClientIdentity(
            workspace: Self.home, client: Named(id: ClientID("phone")!, name: "Phone"), scope: Scope(of: .client))
        _ = handle(.clientConnected(PeerID(rawValue: 2), phone))
        return orders
    }

    mutating func report(from seq: Int64) -> [String] {
        let event = Event(.sessionStarted(SessionFacts(agentName: "claude")), at: now.wall)
        return handle(.hostSent(Self.host, .events(HostEvents(session: SessionID("s1")!, first: seq, events: [event]))))
    }

    mutating func handle(_ input: Input) -> [String] { words(machine.handle(input, at: now)) }

    mutating func handle(_ fact: CoreMachine.Fact) -> [String] {
        machine.handle(fact, at: now).flatMap { order in
            switch order {
            case .run(let effects): words(effects)
            case .shutOut(let isShut): [isShut ? "shut out" : "let in"]
            case .dismiss(let hosts, let clients):
                ["dismiss hosts \(hosts.map(\.rawValue)), clients \(clients.map(\.rawValue))"]
            case .forget: ["forget"]
            case .loadLater(let wait): ["load after \(wait)"]
            case .load: ["load"]
            case .beginAgain: ["begin again"]
            case .release: ["release"]
            }
        }
    }

    private func words(_ effects: [Effect]) -> [String] {
        effects.compactMap { effect in
            switch effect {
            case .append: "append"
            case .close(let peer, let code): "close \(peer.rawValue): \(code)"
            case .send(let bytes, let peers):
                switch try? MessageToHost(parsing: bytes) {
                case .ack: "ack \(peers.map { "\($0.rawValue)" }.joined())"
                case .notice: "notice"
                default: nil
                }
            default: nil
            }
        }
    }
}
