import RelayProtocol
import Testing

@testable import HostCore

@Suite("Host machine, starting sessions")
struct HostLaunchTests {
    private static let desk = SessionID("heliograph-f00")!
    private static let session = SessionID("one-s")!
    private static let name = SteeringName(client: ClientID("phone")!, command: CommandID("k1")!)

    private func bench(rights: SteeringRights = .everyone, on disk: MemoryDisk = MemoryDisk()) throws -> HostBench {
        var bench = try HostBench(on: disk, steering: rights, starts: true)
        _ = bench.connect()
        let fact = LaunchFact.read(
            [ProjectOffer(name: "site", folder: "~/site")],
            [StartableAgent(name: "one", title: "One", modes: ["ask"], takesPictures: true)])
        _ = bench.tell(.told(agent: LaunchAdapter.name, fact))
        return bench
    }

    private func start(_ text: String? = "begin", pictures: [Picture] = []) -> HostFact {
        .received(
            .steer(
                SteeringRequest(
                    command: CommandID("k1")!, session: Self.desk, by: Named(id: ClientID("phone")!, name: "phone"),
                    action: .launch(Launch(.start, project: "site", agent: "one", text: text, pictures: pictures)))))
    }

    private func resolve(_ bench: inout HostBench) -> [String] {
        bench.tell(.told(agent: LaunchAdapter.name, LaunchFact.resolved(Self.name, folder: "/home/a/site", reason: "")))
    }

    private func events(_ bench: HostBench, of session: SessionID) throws -> [Event] {
        guard let batch = bench.spool.index.batch(session, after: 0, countMax: 99, bytesMax: 1 << 20) else { return [] }
        return try bench.spool.read(batch).map { bytes throws(WireError) in try Event(stored: bytes) }
    }

    private func changes(_ bench: HostBench, of session: SessionID) throws -> [String] {
        try events(bench, of: session).compactMap { event in
            guard case .steeringChanged(let change) = event.head else { return nil }
            return "\(change.name.command) \(change.stage.rawValue) \(change.started?.rawValue ?? "-")"
        }
    }

    private func acknowledge(_ bench: inout HostBench, through: Int) {
        _ = bench.tell(.received(.ack([SessionProgress(session: Self.desk, through: Int64(through))])))
    }

    @Test("a start is noted, goes to its agent, and its first prompt goes the way of every prompt; one outcome tells of both")
    func started() throws {
        var bench = try bench()
        acknowledge(&bench, through: 0)
        _ = bench.tell(start())
        #expect(bench.spool.index.notes.keys.contains("steering.phone.k1"), "on disk before anything is started")
        #expect(resolve(&bench).first == "one hears launch k1 in /home/a/site")
        _ = bench.tell("one", [.launched(Self.name, .began(Self.session, AgentProcess(id: 7, startedAt: 9)))])
        let offer = SteeringOffer(actions: [.prompt])
        let heard = bench.tell(
            "one", [.offer(Self.session, offer), .launched(Self.name, .arrived), .stands(Self.session, .idle)])
        #expect(heard.contains("one hears steer k1"))
        #expect(try changes(bench, of: Self.desk) == [])
        _ = bench.tell("one", [.steered(Self.session, SteeringChange(Self.name, .taken))])
        #expect(try changes(bench, of: Self.desk) == ["k1 taken one-s"])
        #expect(try changes(bench, of: Self.session) == [], "it is no command of that session's own")
        #expect(bench.spool.index.notes.keys.contains("steering.phone.k1"), "until the relay has that end")
        _ = bench.tell(.fired(.flush))
        acknowledge(&bench, through: try events(bench, of: Self.desk).count)
        #expect(!bench.spool.index.notes.keys.contains("steering.phone.k1"))
        #expect(!bench.tell(start()).contains { $0.contains("hears") }, "it came before")
    }

    @Test("pictures of a start are fetched for its first prompt, when its session is there, and given with it or not at all")
    func pictures() throws {
        let picture = Picture(digest: PictureDigest(String(repeating: "ab", count: 32))!, type: .png, bytes: 70)
        for fetched in [FetchedPictures.all(["aGk="]), .refused("the picture is not there any more")] {
            var bench = try bench()
            _ = bench.tell(start(pictures: [picture]))
            #expect(resolve(&bench).first == "one hears launch k1 in /home/a/site", "nothing is fetched for what may not begin")
            _ = bench.tell("one", [.launched(Self.name, .began(Self.session, nil))])
            let offer = SteeringOffer(actions: [.prompt], takesPictures: true)
            let ready = bench.tell(
                "one", [.offer(Self.session, offer), .launched(Self.name, .arrived), .stands(Self.session, .idle)])
            #expect(ready.contains("fetch 1 of k1") && !ready.contains("one hears steer k1"))
            let heard = bench.tell(.picturesFetched(Self.name, fetched))
            guard case .all = fetched else {
                #expect(!heard.contains("one hears steer k1"))
                #expect(try changes(bench, of: Self.desk) == ["k1 refused one-s"])
                continue
            }
            #expect(heard.first == "one hears steer k1")
            // In the new session's timeline they appear with the person's first prompt only.
            for text in ["begin", "go on"] {
                let said = Event(.message(.user, summary: nil), at: 1) { $0.field("text", text) }
                _ = bench.tell("one", [.emit(Self.session, said.bytes, isKept: false)])
            }
            let words = try events(bench, of: Self.session).filter { $0.head.kind == "message" }.map {
                String(decoding: $0.bytes, as: UTF8.self)
            }
            #expect(words.map { $0.contains(picture.digest.rawValue) } == [true, false])
            #expect(words.first?.contains(#""body":{"text":"begin","pictures":[{"digest":"abab"#) == true)
        }
    }

    @Test("who may not steer this host starts nothing there, whatever the relay says")
    func rights() throws {
        var bench = try bench(rights: .only([ClientID("another")!]))
        #expect(!bench.tell(start()).contains { $0.hasPrefix("heliograph ") })
        #expect(try changes(bench, of: Self.desk) == ["k1 refused -"])
    }

    @Test("after a crash a start that may have been carried out is unknown, and is not carried out again")
    func restarted() throws {
        let disk = MemoryDisk()
        var bench = try bench(on: disk)
        _ = bench.tell(start())
        bench = try self.bench(on: disk)
        _ = bench.tell(.received(.outstanding(Self.desk, [Self.name])))
        #expect(try changes(bench, of: Self.desk) == ["k1 unknown -"])
        #expect(!bench.tell(start()).contains { $0.contains("hears") })
    }

    @Test("a list of past sessions is in the body of its outcome")
    func past() throws {
        var bench = try bench()
        let request = SteeringRequest(
            command: CommandID("k1")!, session: Self.desk, by: Named(id: ClientID("phone")!, name: "phone"),
            action: .launch(Launch(.past, project: "site", agent: "one")))
        _ = bench.tell(.received(.steer(request)))
        _ = resolve(&bench)
        let listed = [PastSession(id: "p1", title: "Fix it", at: 5, isOpen: true), PastSession(id: "p2", title: "", at: 4)]
        _ = bench.tell("one", [.launched(Self.name, .listed(listed))])
        let last = try #require(try events(bench, of: Self.desk).last)
        #expect(PastSession.list(inEvent: last.bytes) == listed)
    }
}
