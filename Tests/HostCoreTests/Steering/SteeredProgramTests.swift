import RelayProtocol
import Testing

@testable import HostCore

@Suite("A program that fetches what steers its session")
struct SteeredProgramTests {
    private static let session = SessionID("one-s")!
    private var program = SteeredProgram()
    private var now = HostInstant(wall: 1_000, monotonic: 0)

    private func request(_ id: String, _ action: SteeringAction = .interrupt) -> SteeringRequest {
        SteeringRequest(
            command: CommandID(id)!, session: Self.session, by: Named(id: ClientID("phone")!, name: "phone"), action: action)
    }

    private func name(_ id: String) -> SteeringName { SteeringName(client: ClientID("phone")!, command: CommandID(id)!) }

    private func said(_ orders: [SteeredProgram.Order]) -> [String] {
        orders.map { order in
            switch order {
            case .hand(let request, let token): "\(token.rawValue): \(request.command.rawValue)"
            case .nothing(let token): "\(token.rawValue): nothing"
            case .replaced(let token): "\(token.rawValue): replaced"
            case .unoffered(let token): "\(token.rawValue): unoffered"
            case .outdated(let token): "\(token.rawValue): outdated"
            case .told(let change):
                "\(change.name.command.rawValue) \(change.stage.rawValue)" + (change.reason.map { ": \($0)" } ?? "")
            }
        }
    }

    private mutating func waits(_ token: UInt64, by run: ProgramRun? = nil) -> [String] {
        said(program.waits(HookToken(rawValue: token), by: run, at: now))
    }
    private mutating func stands(_ run: ProgramRun?) -> [String]? {
        program.stands(SteeringOffer(actions: [.interrupt]), .idle, by: run).map(said)
    }
    private mutating func asked(_ id: String) -> [String] { said(program.asked(request(id), at: now)) }
    private mutating func told(_ id: String, _ stage: SteeringStage, by run: ProgramRun? = nil) -> [String] {
        said(program.told(SteeringChange(name(id), stage), by: run))
    }
    private mutating func timer() -> [String] { said(program.timerFired(at: now)) }
    private mutating func leaves(_ token: UInt64) -> Bool { program.hasLeft(HookToken(rawValue: token)) }

    @Test("one command a request, each of them once, whichever came first")
    mutating func hand() {
        #expect(waits(1) == [])
        #expect(asked("k1") == ["1: k1"])
        #expect(asked("k2") == [] && asked("k3") == [])
        #expect(waits(2) == ["2: k2"])
        #expect(waits(3) == ["3: k3"])
        #expect(waits(4) == [])
        #expect(told("k1", .given) == ["k1 given"])
        #expect(told("k1", .taken) == ["k1 taken"])
        #expect(told("k1", .refused) == [], "the first end stands")
    }

    @Test("nobody tells the end of what was not handed to it")
    mutating func untold() {
        #expect(asked("k1") == [])
        #expect(told("k1", .taken) == [] && told("k9", .taken) == [])
    }

    @Test("gone: what it was handed is unknown, what it was not is refused")
    mutating func gone() {
        _ = waits(1)
        _ = asked("k1")
        #expect(!leaves(1), "that request was answered")
        _ = asked("k2")
        #expect(
            said(program.gone()) == [
                "k2 refused: the program that runs the session is gone",
                "k1 unknown: the program that runs the session is gone",
            ])
        #expect(program.nextDeadline == nil)
        #expect(told("k1", .taken) == [])
        _ = waits(2)
        #expect(leaves(2) && !leaves(2))
    }

    @Test("a session that is over says itself what became of what was handed")
    mutating func over() {
        _ = waits(1)
        _ = asked("k1")
        _ = asked("k2")
        #expect(said(program.over()) == ["k2 refused: the program that runs the session is gone"])
        _ = waits(2)
        #expect(said(program.over()) == ["2: nothing"])
    }

    @Test("of two requests the newer waits")
    mutating func replaced() {
        _ = waits(1)
        #expect(waits(2) == ["1: replaced"])
        #expect(!leaves(1))
        #expect(asked("k1") == ["2: k1"])
    }

    private static let older = ProgramRun(name: "a", since: 100)
    private static let newer = ProgramRun(name: "b", since: 200)

    @Test("a command is handed only to the run whose offer stands; the older one tells what it was handed before, and no more")
    mutating func runs() {
        #expect(waits(1, by: Self.older) == ["1: unoffered"])
        #expect(stands(Self.older) == [])
        #expect(waits(2, by: Self.older) == [] && asked("k1") == ["2: k1"])
        #expect(waits(3, by: Self.older) == [])
        #expect(stands(Self.newer) == ["3: replaced"])
        #expect(!leaves(3), "that its request is over does not mean that the newer one is gone")
        #expect(asked("k2") == [])
        #expect(waits(4, by: Self.older) == ["4: outdated"])
        #expect(stands(Self.older) == nil && waits(5, by: nil) == ["5: unoffered"])
        #expect(waits(6, by: Self.newer) == ["6: k2"])
        #expect(told("k2", .taken, by: Self.older) == [] && told("k1", .taken, by: Self.newer) == [])
        #expect(told("k1", .taken, by: Self.older) == ["k1 taken"])
        #expect(told("k2", .taken, by: Self.newer) == ["k2 taken"])
    }

    @Test("where the newer run is gone an older one that is there has the session again")
    mutating func newerGone() {
        _ = stands(Self.newer)
        _ = waits(1, by: Self.newer)
        #expect(leaves(1) && program.gone().isEmpty)
        #expect(waits(2, by: Self.older) == ["2: unoffered"])
        #expect(stands(Self.older) == [])
        #expect(waits(3, by: Self.older) == [] && asked("k1") == ["3: k1"])
    }

    @Test("a request is answered in the end, and what is not fetched was not given")
    mutating func deadlines() {
        _ = waits(1)
        #expect(program.nextDeadline == 300_000)
        now.monotonic = 300_000
        #expect(timer() == ["1: nothing"])
        #expect(program.nextDeadline == nil)
        _ = asked("k1")
        now.monotonic += 9_999
        #expect(timer() == [])
        now.monotonic += 1
        #expect(timer() == ["k1 refused: the program did not fetch it"])
        #expect(waits(2) == [])
    }

    @Test("nothing grows without end")
    mutating func bounds() {
        for number in 1...16 { _ = asked("k\(number)") }
        #expect(asked("k17") == ["k17 refused: the program fetches nothing"])
        for number in 1...100 {
            _ = waits(UInt64(number))
            _ = asked("n\(number)")
        }
        _ = waits(200)
        #expect(said(program.gone()).count { $0.contains("unknown") } == 64)
    }
}

@Suite("What programs say about steering")
struct SteeredWordTests {
    private func read(_ path: String, _ body: String) throws -> (session: String, word: SteeredWord, run: ProgramRun?)? {
        try SteeredWord.read(path, Array(body.utf8))
    }

    @Test("what can be done, that it waits, and what became of a command")
    func words() throws {
        let offer = try #require(try read("steering", #"{"session":"s1","offer":{"actions":["prompt"]},"standing":"idle"}"#))
        #expect(offer.session == "s1" && offer.word == .stands(SteeringOffer(actions: [.prompt]), .idle))
        #expect(try #require(try read("steering/next", #"{"session":"s1"}"#)).word == .waits)
        let told = try #require(try read("steered", #"{"session":"s1","client":"c","command":"k","stage":"taken"}"#))
        let name = SteeringName(client: ClientID("c")!, command: CommandID("k")!)
        #expect(told.word == .told(SteeringChange(name, .taken)))
        #expect(try read("events", "{}") == nil)
    }

    @Test("a command is handed with its pictures, and a picture without its content is none")
    func handedPictures() throws {
        let digest = try #require(PictureDigest(String(repeating: "ab", count: 32)))
        let whole = Picture(digest: digest, type: .jpeg, bytes: 2, content: "aGk=")
        func request(_ pictures: [Picture]) -> SteeringRequest {
            SteeringRequest(
                command: CommandID("c1")!, session: SessionID("s1")!, by: Named(id: ClientID("phone")!, name: "Ada"),
                action: .prompt(.init(text: "look", pictures: pictures)))
        }
        for asked in [request([]), request([whole, whole])] {
            #expect(HandedCommand.read(MessageToHost.steer(asked).bytes) == asked)
        }
        var bare = whole
        bare.content = nil
        #expect(HandedCommand.read(MessageToHost.steer(request([whole, bare])).bytes) == nil)
        // A request over the wire has no content, whatever a relay sends.
        #expect(try MessageToHost(parsing: MessageToHost.steer(request([whole])).bytes) == .steer(request([bare])))
    }

    @Test(
        "it is read as it was written",
        arguments: [
            .waits, .stands(SteeringOffer(), .busy),
            .stands(SteeringOffer(actions: [.prompt, .mode], reason: "so", mode: "plan", modes: ["plan"]), .waiting),
            .told(SteeringChange(SteeringName(client: ClientID("phone")!, command: CommandID("c1")!), .refused, reason: "no")),
        ] as [SteeredWord])
    func written(_ word: SteeredWord) throws {
        let bytes = word.bytes(in: "build 1", of: "claude")
        let read = try #require(try SteeredWord.read(word.path, bytes))
        #expect(read.session == "build 1" && read.word == word)
        #expect(SteeredWord.paths.contains(word.path) && SteeredWord.adapter(in: bytes) == "claude")
        #expect(SteeredWord.adapter(in: word.bytes(in: "build 1")) == nil && read.run == nil)
        let run = ProgramRun(name: "r1", since: 12)
        #expect(try SteeredWord.read(word.path, word.bytes(in: "build 1", by: run))?.run == run)
    }

    @Test(
        "what is not as it should be is named",
        arguments: [
            ("steering", #"{"session":"","offer":{"actions":[]},"standing":"idle"}"#, "$.session"),
            ("steering", #"{"session":"s1","standing":"idle"}"#, "$.offer"),
            ("steering", #"{"session":"s1","offer":{"actions":[]},"standing":"asleep"}"#, "$.standing"),
            ("steered", #"{"session":"s1","client":"c","command":"k","stage":"withdrawn"}"#, "$.stage"),
            ("steered", #"{"session":"s1","client":"c","command":"k","stage":"queued"}"#, "$.stage"),
            ("steering/next", #"{}"#, "$.session"),
            ("steering/next", #"{"session":"s1","run":{"name":"r1"}}"#, "$.run.since"),
        ])
    func wrong(_ path: String, _ body: String, _ place: String) {
        do throws(WireError) {
            _ = try SteeredWord.read(path, Array(body.utf8))
            Issue.record("it was read")
        } catch { #expect(error.path == place) }
    }

    @Test("a reason is one line without secrets")
    func reason() throws {
        let secret = "ghp_" + String(repeating: "a1B2", count: 9)
        let body = #"{"session":"s1","client":"c","command":"k","stage":"refused","reason":"no\n\#(secret)"}"#
        let read = try read("steered", body)
        guard case .told(let change) = try #require(read).word else {
            Issue.record("not told")
            return
        }
        #expect(change.reason?.contains(secret) == false && change.reason?.contains("\n") == false)
    }
}
