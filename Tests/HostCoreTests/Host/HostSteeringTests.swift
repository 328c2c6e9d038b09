import RelayProtocol
import Testing

@testable import HostCore

@Suite("Host machine, steered")
struct HostSteeringTests {
    private typealias Bench = HostBench
    private let session = SessionID("one-s")!
    private let offer = SteeringOffer(actions: [.prompt])

    private let looks = SteeringOffer(actions: [.prompt], takesPictures: true)
    private static let picture = Picture(digest: PictureDigest(String(repeating: "ab", count: 32))!, type: .png, bytes: 70)

    private func look(_ id: String) -> HostFact {
        .received(
            .steer(
                SteeringRequest(
                    command: CommandID(id)!, session: session, by: Named(id: ClientID("phone")!, name: "phone"),
                    action: .prompt(.init(text: "look", pictures: [Self.picture])))))
    }

    @Test("a session hears of what the disk did not take also where the disk takes the next write at once")
    func fullOnce() throws {
        var bench = try steered()
        bench.disk.room = bench.disk.size + 1_000
        let long = EventHead.statusChanged(.idle, reason: String(repeating: "x", count: 2_000))
        let told = bench.tell(
            "one", [Bench.emit(long, in: session.rawValue), .offer(session, looks)])
        #expect(told.contains("log: not recorded") && told.contains("arm disk 5000"))
        #expect(!bench.spool.isFailing, "it took the offer")
        #expect(bench.tell(.fired(.disk)).first == "one hears lost \(session)")
    }

    @Test("pictures are fetched before a prompt is noted as given, and go to its adapter with it")
    func pictures() throws {
        var bench = try steered()
        _ = bench.tell("one", [.offer(session, looks)])
        #expect(bench.tell(look("k1")).first == "fetch 1 of k1")
        #expect(!bench.spool.index.notes.keys.contains("steering.phone.k1"), "after a crash it was not given")
        #expect(bench.tell(.picturesFetched(name("k1"), .all(["aGk="]))).first == "one hears steer k1")
        #expect(bench.spool.index.notes.keys.contains("steering.phone.k1"))
        #expect(!bench.tell(.picturesFetched(name("k1"), .all(["aGk="]))).contains("one hears steer k1"), "once")
    }

    @Test(
        "without its pictures a prompt is refused",
        arguments: [FetchedPictures.refused("the picture is not there any more"), .all([])])
    func picturesLacking(_ fetched: FetchedPictures) throws {
        var bench = try steered()
        _ = bench.tell("one", [.offer(session, looks)])
        _ = bench.tell(look("k1"))
        #expect(!bench.tell(.picturesFetched(name("k1"), fetched)).contains("one hears steer k1"))
        #expect(try told(&bench).last == "k1 refused")
    }

    @Test("pictures for a session that takes none are refused, and those that come too late are not given")
    func picturesNotGiven() throws {
        var bench = try steered()
        #expect(!bench.tell(look("k1")).contains("fetch 1 of k1"))
        #expect(try told(&bench).last == "k1 refused")
        _ = bench.tell("one", [.offer(session, looks)])
        #expect(bench.tell(look("k2")).first == "fetch 1 of k2")
        bench.pass(SteeringLimits().evidenceWithin)
        _ = bench.tell(.fired(.agents))
        #expect(!bench.tell(.picturesFetched(name("k2"), .all(["aGk="]))).contains("one hears steer k2"))
    }

    @Test("while a budget is spent a prompt is refused to a session that would not ask, and given to one that would")
    func held() throws {
        for (hold, isGiven) in [(HoldReach.unchanged, false), (.most, true), (nil, true)] as [(HoldReach?, Bool)] {
            var bench = try steered()
            _ = bench.tell("one", [.offer(session, SteeringOffer(actions: [.prompt], hold: hold))])
            _ = bench.tell(.received(.hold(Holds(everySession: true))))
            #expect(bench.tell(prompt("k1")).contains("one hears steer k1") == isGiven)
            if !isGiven { #expect(try told(&bench).last == "k1 refused") }
            _ = bench.tell(.received(.hold(Holds())))
            #expect(bench.tell(prompt("k2")).contains("one hears steer k2") == !isGiven, "one at a time")
        }
    }

    @Test("a host that nobody may steer says how far its sessions can be held, and nothing else")
    func heldUnsteered() throws {
        var bench = try steered(rights: .nobody)
        #expect(try told(&bench) == [])
        _ = bench.tell("one", [.offer(session, SteeringOffer(actions: [.prompt], hold: .unchanged))])
        _ = bench.tell("one", [.offer(session, SteeringOffer(actions: [.stop], hold: .unchanged))])
        #expect(try told(&bench) == ["steering.offered"])
    }

    private func prompt(_ id: String, to session: String = "one-s") -> HostFact {
        .received(
            .steer(
                SteeringRequest(
                    command: CommandID(id)!, session: SessionID(session)!, by: Named(id: ClientID("phone")!, name: "phone"),
                    action: .prompt(.init(text: "go on")))))
    }

    private func name(_ id: String) -> SteeringName {
        SteeringName(client: ClientID("phone")!, command: CommandID(id)!)
    }

    private func steered(on disk: MemoryDisk = MemoryDisk(), rights: SteeringRights = .everyone) throws -> HostBench {
        var bench = try Bench(on: disk, steering: rights)
        _ = bench.connect()
        _ = bench.tell("one", [.offer(session, offer), .stands(session, .idle)])
        // The relay has nothing of it.
        acknowledge(&bench, through: 0)
        return bench
    }

    /// The kinds of the events that wait to be sent, with the reported command.
    private func told(_ bench: inout HostBench) throws -> [String] {
        try bench.spool.index.sessions[session].map { kept in
            let entries = Array(kept.entries)
            guard let batch = bench.spool.index.batch(session, after: 0, countMax: 99, bytesMax: 1 << 20) else { return [] }
            #expect(entries.count == batch.entries.count)
            return try bench.spool.read(batch).map { bytes in
                switch try Event(stored: bytes).head {
                case .steeringChanged(let change): "\(change.name.command) \(change.stage.rawValue)"
                case let head: head.kind
                }
            }
        } ?? []
    }

    @Test("it is noted on disk, synced, before its adapter is given it, and until the relay has its end")
    func noted() throws {
        var bench = try steered()
        #expect(bench.tell(prompt("k1")).prefix(2) == ["one hears steer k1", "log"])
        #expect(bench.disk.calls.suffix(2) == [.append, .synchronize])
        #expect(bench.spool.index.notes.keys.contains("steering.phone.k1"))
        _ = bench.tell("one", [.steered(session, SteeringChange(name("k1"), .taken))])
        #expect(try told(&bench) == ["steering.offered", "k1 taken"])
        _ = bench.tell(.fired(.flush))
        acknowledge(&bench, through: 1)
        #expect(!bench.spool.index.notes.isEmpty, "its end is under way")
        acknowledge(&bench, through: 2)
        #expect(bench.spool.index.notes.isEmpty)
    }

    @Test("what the disk does not take is not given")
    func diskFull() throws {
        var bench = try steered()
        bench.disk.failing[.append] = SpoolError(.full, "full")
        #expect(!bench.tell(prompt("k1")).contains("one hears steer k1"))
        bench.disk.failing = [:]
        _ = bench.tell(.fired(.disk))
        #expect(try told(&bench).suffix(2) == ["k1 refused", "steering.offered"])
    }

    @Test("after a crash what was given is unknown, what only came is refused, and what is over is over")
    func restart() throws {
        let disk = MemoryDisk()
        var bench = try steered(on: disk)
        _ = bench.tell(prompt("k1"))
        _ = bench.tell(prompt("k2"))
        #expect(try told(&bench) == ["steering.offered", "k2 queued"])
        bench = try Bench(on: disk, steering: .everyone)
        #expect(bench.started == ["one hears start "], "the notes of steering are no adapter's")
        _ = bench.connect()
        acknowledge(&bench, through: 0)
        _ = bench.tell(.received(.outstanding(session, [name("k1"), name("k2")])))
        #expect(try told(&bench).suffix(2) == ["k1 unknown", "k2 refused"])
        _ = bench.tell(.fired(.flush))
        acknowledge(&bench, through: 4)
        #expect(bench.spool.index.notes.isEmpty)
        #expect(!bench.tell(prompt("k1")).contains("one hears steer k1"), "it came before")
    }

    private func acknowledge(_ bench: inout HostBench, through: Int64) {
        _ = bench.tell(.received(.ack([SessionProgress(session: session, through: through)])))
    }

    @Test("an end that was told while the relay was away is the only one, also after a restart")
    func toldOnce() throws {
        let disk = MemoryDisk()
        var bench = try steered(on: disk)
        _ = bench.tell(prompt("k1"))
        _ = bench.tell("one", [.steered(session, SteeringChange(name("k1"), .taken)), .stands(session, .busy)])
        _ = bench.tell(prompt("k2"))
        _ = bench.tell(.received(.withdraw(session, name("k2"))))
        let ends = ["steering.offered", "k1 taken", "k2 queued", "k2 withdrawn"]
        #expect(try told(&bench) == ends)
        bench = try Bench(on: disk, steering: .everyone)
        _ = bench.connect()
        acknowledge(&bench, through: 0)
        _ = bench.tell(.received(.outstanding(session, [name("k1"), name("k2")])))
        #expect(try told(&bench) == ends)
        bench = try Bench(on: disk, steering: .everyone)
        _ = bench.tell(.linkOpened)
        _ = bench.welcome([SessionProgress(session: session, through: 4)])
        #expect(bench.spool.index.notes.isEmpty, "the relay has them")
    }

    @Test("one that is not steered any more ends what it was sent before, and takes back what it offered")
    func closedLater() throws {
        let disk = MemoryDisk()
        var bench = try steered(on: disk)
        _ = bench.tell("one", [.stands(session, .busy)])
        _ = bench.tell(prompt("k1"))
        #expect(try told(&bench) == ["steering.offered", "k1 queued"])
        bench = try Bench(on: disk, steering: .nobody)
        _ = bench.connect()
        _ = bench.tell(.received(.outstanding(session, [name("k1")])))
        #expect(try told(&bench).suffix(2) == ["k1 refused", "steering.offered"])
    }

    @Test("a host that is not steered offers nothing and gives nothing")
    func closed() throws {
        var bench = try steered(rights: .nobody)
        #expect(try told(&bench) == [])
        #expect(!bench.tell(prompt("k1")).contains("one hears steer k1"))
        #expect(try told(&bench) == ["k1 refused"])
    }

    @Test("an offer is told again only where it changes, and anew after the session's end")
    func offers() throws {
        var bench = try steered()
        _ = bench.tell("one", [.offer(session, offer)])
        #expect(try told(&bench) == ["steering.offered"])
        _ = bench.tell("one", [.offer(session, nil)])
        _ = bench.tell("one", [Bench.emit(.sessionEnded(reason: nil, failed: false), in: "one-s", isKept: true)])
        _ = bench.tell("one", [.offer(session, offer)])
        #expect(
            try told(&bench) == ["steering.offered", "steering.offered", "session.ended", "steering.offered"])
    }

    @Test("what waits is given when the agent is idle, and without evidence is unknown in time")
    func waits() throws {
        var bench = try steered()
        _ = bench.tell("one", [.stands(session, .busy)])
        _ = bench.tell(prompt("k1"))
        #expect(bench.tell("one", [.stands(session, .idle)]).contains("one hears steer k1"))
        bench.pass(.seconds(30))
        _ = bench.tell(.fired(.agents))
        #expect(try told(&bench).suffix(2) == ["k1 queued", "k1 unknown"])
    }
}
