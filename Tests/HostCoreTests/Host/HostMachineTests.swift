import HeliographLink
import RelayProtocol
import Testing

@testable import HostCore

@Suite("Host machine")
struct HostMachineTests {
    private typealias Bench = HostBench
    private let token = HookToken(rawValue: 7)
    private let full = SpoolError(.full, "full")

    private func progress(_ session: String, _ through: Int64) -> SessionProgress {
        SessionProgress(session: SessionID(session)!, through: through)
    }

    @Test("what an adapter says is on disk before its caller is answered, and is sent after the relay said how far it is")
    func flow() throws {
        var bench = try Bench()
        #expect(bench.connect() == ["one hears live", "disarm welcome", "log", "arm flush 1"])
        let said: [AgentEffect<ScriptedAdapter.Order>] = [
            .respond(token, Array("yes".utf8)), Bench.works("one-s"), .own(.look("file")),
        ]
        #expect(bench.tell("one", said) == ["respond 7 yes", "one look(\"file\")", "arm agents 500"])
        #expect(bench.disk.calls.last == .append)
        #expect(bench.tell(.fired(.flush)) == ["send hello one-s"])
        #expect(bench.disk.calls.last == .synchronize)
        #expect(bench.welcome([progress("one-s", 0)]) == ["arm flush 1"])
        #expect(bench.tell(.fired(.flush)) == ["send one-s 1: status.changed"])
        #expect(bench.tell(.received(.ack([progress("one-s", 1)]))) == ["arm flush 1"])
        #expect(bench.spool.index.pendingCount == 0)
    }

    @Test("while the link is away events wait, nothing is streamed, and the next connection names them")
    func linkAway() throws {
        var bench = try Bench()
        #expect(bench.tell("one", [Bench.works("one-s")]) == ["arm sync 500", "arm agents 500"])
        let delta = Delta(session: SessionID("one-s")!, message: "m", text: "t", agent: nil)
        #expect(bench.tell("one", [.stream(delta)]) == [])
        #expect(bench.tell(.linkOpened) == ["send hello one-s", "arm welcome 15000"])
        #expect(
            bench.welcome([progress("one-s", 0)]) == [
                "one hears live", "disarm welcome", "log", "arm flush 1",
            ])
        #expect(bench.tell("one", [.stream(delta)]).contains("stream"))
        #expect(bench.tell(.fired(.flush)) == ["send one-s 1: status.changed"])
        let closed = bench.tell(.linkClosed(.failed("x"), dice: 0))
        #expect(closed.first == "one hears away" && closed.contains("disarm welcome"))
        #expect(bench.tell(.fired(.retry)) == ["connect 7"])
    }

    @Test(
        "what the disk does not take decides nothing, but what restricts is said; the disk is tried again, and sessions hear of it"
    )
    func diskFull() throws {
        var bench = try Bench()
        _ = bench.connect()
        bench.disk.failing[.append] = full
        let asked: [AgentEffect<ScriptedAdapter.Order>] = [
            Bench.emit(.approvalDelivered(Bench.approval), in: "one-s", isKept: true),
            .respond(token, Array("allow".utf8)), .restrict(HookToken(rawValue: 8), Array("ask".utf8)),
        ]
        #expect(
            bench.tell("one", asked) == [
                "one hears not recorded a1", "log: not recorded", "respond 7 nothing", "respond 8 ask", "arm disk 5000",
                "arm agents 500",
            ])
        // Armed once, however often it fails.
        #expect(bench.tell("one", [Bench.works("one-s")]) == ["log: not recorded"])
        bench.disk.failing[.replace] = full
        #expect(bench.tell(.fired(.disk)) == ["log: disk fails", "arm disk 5000"])
        bench.disk.failing = [:]
        #expect(bench.tell(.fired(.disk)) == ["one hears lost one-s", "log: disk is back"])
        _ = bench.tell("one", [Bench.works("one-s")])
        #expect(bench.tell(.fired(.flush)) == ["send hello one-s"])
    }

    @Test("the end of a session waits in memory for a disk that is full, and is sent")
    func owed() throws {
        var bench = try Bench()
        _ = bench.connect()
        bench.disk.failing[.append] = full
        _ = bench.tell("one", [Bench.emit(.sessionEnded(reason: nil, failed: false), in: "one-s")])
        bench.disk.failing = [:]
        _ = bench.tell(.fired(.disk))
        #expect(bench.spool.index.sessions[SessionID("one-s")!]?.entries.map(\.seq) == [1])
    }

    @Test("a decision goes to the adapter whose name the session begins with, also of a session that it does not know")
    func decisions() throws {
        var bench = try Bench(["one", "one-two", "two"])
        _ = bench.connect()
        func decide(_ session: String) -> [String] {
            bench.tell(.received(.decision(SessionID(session)!, Bench.approval, Bench.digest, Bench.decision)))
        }
        #expect(decide("two-s").prefix(2) == ["two hears decided two-s a1", "log"])
        #expect(decide("nobody-s").first == "log: foreign nobody-s")
        #expect(decide("twofold").first == "log: foreign twofold")
        #expect(decide("two").first == "log: foreign two")
    }

    @Test("while the relay is away what is said is on disk within a second, however much follows it")
    func syncs() throws {
        var bench = try Bench()
        _ = bench.tell("one", [Bench.works("one-s")])
        #expect(bench.tell("one", [Bench.works("one-s")]) == [], "the first counts")
        #expect(bench.disk.calls.last == .append)
        #expect(bench.tell(.fired(.sync)) == [])
        #expect(bench.disk.calls.last == .synchronize)
        #expect(bench.tell("one", [Bench.works("one-s")]) == ["arm sync 500"])
        bench.disk.failing = [.synchronize: full, .replace: full]
        #expect(bench.tell(.fired(.sync)) == ["log: not recorded", "arm disk 5000"])
        bench.disk.failing = [:]
        #expect(bench.tell(.fired(.disk)) == ["log: disk is back"])
        bench.disk.cutPower()
        #expect(try Bench(on: bench.disk).spool.index.pendingCount == 3)
    }

    @Test("who asks for it is answered when it is on disk, and not at all if the disk does not take it")
    func durable() throws {
        var bench = try Bench()
        let said: [AgentEffect<ScriptedAdapter.Order>] = [Bench.works("one-s"), .respond(token, Array("yes".utf8))]
        #expect(bench.tell(.told(agent: "one", said, isDurable: true)).contains("respond 7 yes"))
        bench.disk.cutPower()
        #expect(try Bench(on: bench.disk.copy()).spool.index.pendingCount == 1)
        bench.disk.failing = [.synchronize: full, .replace: full]
        #expect(bench.tell(.told(agent: "one", said, isDurable: true)).contains("respond 7 nothing"))
        #expect(bench.tell("one", said).contains("respond 7 nothing"), "and the disk is still away")
    }

    /// Contents of the session's spool after the machine went down, or only the daemon.
    private func kinds(after end: (inout Bench) -> Void, boot: String) throws -> [String] {
        let disk = MemoryDisk()
        var bench = try Bench(on: disk, boot: "one")
        #expect(bench.tell("one", [Bench.works("one-s"), .remember("one-s", [1])]) == ["arm sync 1", "arm agents 500"])
        #expect(bench.tell(.fired(.sync)) == ["arm sync 500"])
        _ = bench.tell("one", [Bench.works("one-s")])
        end(&bench)
        bench = try Bench(on: disk, boot: boot)
        return try bench.spool.index.sessions[SessionID("one-s")!]?.entries.map {
            try Event(stored: #require(bench.spool.read($0, of: SessionID("one-s")!))).head.kind
        } ?? []
    }

    @Test(
        "where the machine went down before all was on disk, sessions that went on say that something may be missing")
    func powerCut() throws {
        #expect(try kinds(after: { $0.disk.cutPower() }, boot: "two") == ["status.changed", "truncated"])
        #expect(try kinds(after: { _ in }, boot: "one") == ["status.changed", "status.changed"], "only the daemon was killed")
        let all = ["status.changed", "status.changed"]
        let rests: (inout Bench) -> Void = {
            #expect($0.tell(.fired(.sync)) == ["arm sync 500"], "something was written since")
            #expect($0.tell(.fired(.sync)) == [])
            $0.disk.cutPower()
        }
        #expect(try kinds(after: rests, boot: "two") == all, "all of it was known to be on disk")
        #expect(try kinds(after: { _ = $0.tell(.stopping) }, boot: "two") == all, "it was stopped")
        #expect(try kinds(after: { $0.disk.cutPower() }, boot: "") == ["status.changed"], "nobody knows")
    }

    @Test("after a power cut it is said in the first life only")
    func powerCutOnce() throws {
        let disk = MemoryDisk()
        var bench = try Bench(on: disk, boot: "one")
        _ = bench.tell("one", [.remember("one-s", [1])])
        _ = bench.tell(.fired(.sync))
        bench = try Bench(on: disk, boot: "two")
        #expect(bench.spool.index.pendingCount == 1)
        bench = try Bench(on: disk, boot: "two")
        #expect(bench.spool.index.pendingCount == 1)
    }

    @Test("two adapters share the spool and the link, and each hears what all must")
    func twoAdapters() throws {
        var bench = try Bench(["one", "two"])
        _ = bench.tell("one", [Bench.works("one-s")])
        _ = bench.tell("two", [Bench.works("two-s")])
        #expect(bench.tell(.linkOpened).first == "send hello one-s two-s")
        #expect(bench.welcome([progress("one-s", 0), progress("two-s", 0)]).prefix(2) == ["one hears live", "two hears live"])
        #expect(bench.tell(.fired(.flush)) == ["send one-s 1: status.changed", "send two-s 1: status.changed"])
        #expect(bench.tell(.hookGone(token)) == ["one hears gone 7", "two hears gone 7"])
        #expect(
            bench.tell(.agentGone(AgentProcess(id: 4, startedAt: 1))) == ["one hears agent 4 gone", "two hears agent 4 gone"])
        #expect(bench.tell(.fired(.agents)) == ["one hears timer", "two hears timer"])
        bench.disk.failing[.append] = full
        _ = bench.tell("two", [Bench.works("two-s")])
        bench.disk.failing = [:]
        #expect(bench.tell(.fired(.disk)).first == "two hears lost two-s")
    }

    @Test("what was remembered comes back to the adapter that it is of, a desk's notes by their session; others' notes stay")
    func notes() throws {
        let disk = MemoryDisk()
        var bench = try Bench(["one", "two"], on: disk)
        func note(_ session: String) -> [UInt8] { JSONWriter.object { $0.field("session", session) } }
        _ = bench.tell("one", [.remember("one-s", [1]), .remember("a1", note("one-s"))])
        _ = bench.tell("two", [.remember("two-s", [1]), .remember("a2", note("two-s")), .remember("a3", note("three-s"))])
        bench = try Bench(["one", "two"], on: disk)
        #expect(bench.started == ["one hears start a1 one-s", "two hears start a2 two-s"])
        #expect(bench.spool.index.notes["a3"] != nil)
    }

    private func decide(_ bench: inout Bench) -> [String] {
        bench.tell(.received(.decision(SessionID("one-s")!, Bench.approval, Bench.digest, Bench.decision)))
    }

    private static let asksAndRuns = [
        Bench.emit(.approvalRequested(Bench.asks), in: "one-s", isKept: true),
        Bench.emit(.approvalDelivered(Bench.approval), in: "one-s", isKept: true),
        Bench.emit(.approvalApplied(Bench.approval, outcome: .ran), in: "one-s", isKept: true),
    ]

    @Test("a decision about an approval whose end waits in the spool tells nobody anything, in this life or the next")
    func settled() throws {
        let disk = MemoryDisk()
        var bench = try Bench(on: disk)
        _ = bench.connect()
        _ = bench.tell("one", [Self.asksAndRuns[0]])
        _ = bench.tell(.fired(.flush))
        _ = bench.welcome([progress("one-s", 0)])
        _ = bench.tell(.fired(.flush))
        _ = bench.tell(.received(.ack([progress("one-s", 1)])))
        #expect(decide(&bench).first == "one hears decided one-s a1")
        _ = bench.tell("one", Array(Self.asksAndRuns[1...]))
        #expect(decide(&bench) == ["log"])
        bench = try Bench(on: disk)
        _ = bench.tell(.linkOpened)
        _ = bench.welcome([progress("one-s", 1)])
        #expect(decide(&bench) == ["log"])
        #expect(bench.tell(.fired(.flush)) == ["send one-s 2: approval.delivered approval.applied"])
        _ = bench.tell(.received(.ack([progress("one-s", 2)])))
        #expect(decide(&bench) == ["log"], "the relay has only a part of it")
        _ = bench.tell(.received(.ack([progress("one-s", 3)])))
        #expect(decide(&bench).first == "one hears decided one-s a1", "a relay that has the end and sends it yet is answered")
    }

    @Test("the end of an approval is known under the number that it gets where the relay has more than this host's files")
    func settledAnew() throws {
        var bench = try Bench()
        _ = bench.tell("one", Self.asksAndRuns)
        _ = bench.tell(.linkOpened)
        _ = bench.welcome([progress("one-s", 9)])
        #expect(bench.tell(.fired(.flush)).first?.hasPrefix("send one-s 10: approval.requested") == true)
        _ = bench.tell(.received(.ack([progress("one-s", 10)])))
        #expect(decide(&bench) == ["log"])
    }

    @Test("the end of an approval that waits in memory for a full disk is known")
    func settledAndOwed() throws {
        var bench = try Bench()
        _ = bench.connect()
        bench.disk.failing[.append] = full
        _ = bench.tell("one", [Self.asksAndRuns[2]])
        #expect(decide(&bench) == ["log"])
        bench.disk.failing = [:]
        _ = bench.tell(.fired(.disk))
        #expect(decide(&bench) == ["log"])
        _ = bench.tell(.fired(.flush))
        _ = bench.welcome([progress("one-s", 0)])
        _ = bench.tell(.fired(.flush))
        _ = bench.tell(.received(.ack([progress("one-s", 1)])))
        #expect(decide(&bench).first == "one hears decided one-s a1")
    }

    @Test("where a power cut left the end of an approval and the note that it is open, it is over")
    func settledDespiteNote() throws {
        let disk = MemoryDisk()
        var bench = try Bench(on: disk)
        let note: [UInt8] = JSONWriter.object { $0.field("session", "one-s") }
        _ = bench.tell("one", Self.asksAndRuns + [.remember("a1", note)])
        bench = try Bench(on: disk)
        #expect(bench.started == ["one hears start "])
        #expect(bench.spool.index.notes["a1"] == nil)
    }

    @Test("what is held is known to all, is on disk once, and is tried again where it is not")
    func holds() throws {
        var bench = try Bench(["one", "two"], holds: Holds(everySession: true))
        _ = bench.connect()
        #expect(
            !bench.tell(.received(.hold(Holds(everySession: true)))).contains { $0.contains("held") || $0.contains("save") })
        let held = bench.tell(.received(.hold(Holds())))
        #expect(held == ["one hears held ", "two hears held ", "log", "save 0"])
        #expect(bench.tell(.holdsNotSaved) == ["arm disk 5000"])
        #expect(bench.tell(.fired(.disk)) == ["save 0", "log: disk is back"])
        #expect(bench.tell(.holdsNotSaved) == ["arm disk 5000"])
    }

    @Test("what a person wants to be asked for stands on disk beside what the relay holds, and neither takes the other away")
    func askAll() throws {
        var bench = try Bench(holds: Holds(sessions: [SessionID("one-h")!]))
        #expect(bench.tell("one", [.askAll(SessionID("one-s")!, true)]).first == "save 2", "before the relay is heard")
        #expect(bench.tell("one", [.askAll(SessionID("one-s")!, true)]) == [], "it is known")
        _ = bench.connect()
        #expect(bench.tell(.received(.hold(Holds()))) == ["one hears held ", "log", "save 1"])
        #expect(bench.tell("one", [.askAll(SessionID("one-s")!, false)]) == ["save 0"])
        let many = Set((0..<WireLimits.heldSessionsMax).map { SessionID("one-\($0)")! })
        _ = bench.tell(.received(.hold(Holds(sessions: many))))
        #expect(bench.tell("one", [.askAll(SessionID("one-s")!, true)]) == ["save all"])
    }

    @Test(
        "a question that the relay refuses for good is not waited for, whatever number it has by then, also in the next life",
        arguments: [(0, false), (5, false), (0, true), (5, true)] as [(Int64, Bool)])
    func refused(through: Int64, isRestarted: Bool) throws {
        let disk = MemoryDisk()
        var bench = try Bench(on: disk)
        _ = bench.tell("one", [.remember("one-s", [1])])
        _ = bench.tell("one", [Bench.emit(.approvalRequested(Bench.asks), in: "one-s", isKept: true)])
        if isRestarted { bench = try Bench(on: disk) }
        _ = bench.tell(.linkOpened)
        _ = bench.welcome([progress("one-s", through)])
        let notice = Notice(code: "badValue", message: "no")
        #expect(bench.tell(.fired(.flush)) == ["send one-s \(through + 1): approval.requested"])
        _ = bench.tell(.received(.notice(notice)))
        #expect(bench.tell(.fired(.flush)) == ["send one-s \(through + 1): approval.requested"])
        #expect(bench.tell(.received(.notice(notice))).first == "one hears not recorded a1")
    }

    @Test("adapters hear, once, that the relay has a session as ours, or another host's, and that the disk took nothing")
    func names() throws {
        var bench = try Bench()
        bench.diary.hasNames = true
        _ = bench.connect()
        func send(_ effect: AgentEffect<ScriptedAdapter.Order>, _ session: String) {
            _ = bench.tell("one", [effect])
            _ = bench.tell(.fired(.flush))
            _ = bench.welcome([progress(session, 0)])
            _ = bench.tell(.fired(.flush))
        }
        send(Bench.works("one-s"), "one-s")
        #expect(bench.tell(.received(.ack([progress("one-s", 1)]))).first == "one hears one-s is named")
        send(Bench.works("one-s"), "one-s")
        #expect(!bench.tell(.received(.ack([progress("one-s", 2)]))).contains { $0.contains("hears") })
        send(Bench.emit(.approvalRequested(Bench.asks), in: "one-t", isKept: true), "one-t")
        let notice = Notice(code: "notFound", message: "no", path: "$.session", session: SessionID("one-t")!)
        #expect(
            bench.tell(.received(.notice(notice))).prefix(3) == [
                "one hears not recorded a1", "one hears one-t is another's", "log",
            ])
        #expect(bench.spool.index.pendingCount == 0)
        bench.disk.failing[.append] = full
        #expect(bench.tell("one", [Bench.works("one-s")]).first == "one hears nothing recorded")
    }

    @Test("at the end what waits is on disk and sent, and without a link it is on disk")
    func stopping() throws {
        var bench = try Bench()
        _ = bench.tell("one", [Bench.works("one-s")])
        #expect(bench.tell(.stopping) == [])
        #expect(bench.disk.calls.last == .synchronize)
        _ = bench.tell(.linkOpened)
        _ = bench.welcome([progress("one-s", 0)])
        #expect(bench.tell(.stopping) == ["send one-s 1: status.changed"])
    }
}
