import Consent
import ConsentKeys
import RelayProtocol
import Testing

@testable import HostCore

@Suite("A host that seals its content")
struct HostSealingTests {
    private typealias Bench = ConsentBench

    private func tool(_ operation: String = "Running secret.sh") -> EventHead {
        var start = ToolStart(call: "c1", tool: "Bash", operation: operation)
        start.file = "secret.swift"
        return .toolStarted(start)
    }

    // MARK: Outward

    @Test("what leaves tells the relay nothing of the content, and a device everything that is in the spool")
    func sealed() throws {
        var bench = try Bench.sealed()
        bench.start()
        bench.emit(tool(), body: "a secret text")
        bench.emit(.error(message: "a secret failed", recoverable: true))
        let plain = bench.events
        bench.flush()
        #expect(!bench.leftBytes.contains("ecret"))
        let reader = try SealedReader(bench)
        let left = bench.left()
        #expect(left.map(\.number) == [1, 2, 3] && left.map(\.event.head.kind) == plain.map(\.head.kind))
        for (sent, event) in zip(left, plain) {
            let opened = try reader.open(sent.event)
            #expect(opened.event.bytes == event.bytes && opened.number == sent.number && sent.event.at == event.at)
        }
        guard case .toolStarted(let head) = left[1].event.head else { return #expect(Bool(false), "another head") }
        #expect(head.call == "c1" && head.file == nil)
    }

    @Test("a request says in the open what a signature on it is over, and nothing else of what is asked")
    func request() throws {
        var bench = try Bench.sealed()
        let shown = try #require(ShownText.text(inEvent: bench.ask("a1", #"{"command":"cat secret.txt"}"#).bytes))
        bench.flush()
        guard case .approvalRequested(let request)? = bench.left().last?.event.head else {
            return #expect(Bool(false), "no request")
        }
        #expect(request.consent?.host.rawValue == bench.host.identity.id.text)
        #expect(
            request.consent?.shown == InputDigest(ShownText.hash(of: shown, .openSSL)) && !bench.leftBytes.contains("ecret"))
    }

    @Test("each request has its session's line, as rules are tried on it where its session worked")
    func lineOfRequest() throws {
        var bench = try Bench.sealed()
        bench.start()
        _ = try bench.ask("a1")
        _ = try bench.ask("a2")
        bench.flush()
        let reader = try SealedReader(bench)
        let requests = bench.left().filter { $0.event.head.kind == "approval.requested" }
        #expect(try requests.map { try reader.line($0.event)?.workingDirectory } == ["~/secret-folder", "~/secret-folder"])
    }

    @Test("an open host's events leave byte for byte as they are in the spool")
    func open() throws {
        var bench = try Bench(.signed)
        bench.start()
        bench.emit(tool(), body: "a text")
        let plain = bench.events
        bench.flush()
        #expect(bench.left().map(\.event.bytes) == plain.map(\.bytes))
        #expect(bench.pins.calls.isEmpty && bench.notes == ["one-s"])
    }

    @Test("live text and output are sealed, each for its message or call, and output is cut to its last lines to fit")
    func live() throws {
        var bench = try Bench.sealed()
        let reader = try SealedReader(bench)
        let long = (1...400).map { "secret line \($0)" }.joined(separator: "\n")
        bench.tell([
            .stream(Delta(session: Bench.session, message: "m1", text: "a secret – grün")),
            .show(ToolOutput(session: Bench.session, call: "c1", text: long)),
        ])
        guard case .deltas(let delta) = bench.messages[bench.messages.count - 2], case .output(let output) = bench.messages.last
        else {
            return #expect(Bool(false), "nothing was streamed")
        }
        #expect(try reader.live(delta.text, of: "m1") == LivePiece(at: 0, "a secret – grün"))
        #expect(throws: ConsentError.self) { try reader.live(delta.text, of: "m2") }
        let shown = try reader.live(output.text, of: "c1").text
        #expect(output.text.utf8.count <= WireLimits.outputBytesMax && long.hasSuffix(shown) && shown.hasPrefix("secret line "))
        bench.tell([.stream(Delta(session: Bench.session, message: "m1", text: "!"))])
        guard case .deltas(let next)? = bench.messages.last else { return #expect(Bool(false), "nothing was streamed") }
        #expect(try reader.live(next.text, of: "m1") == LivePiece(at: 18, "!"), "in bytes")
    }

    @Test("offers name what clients can do by aliases, have the keys in the host's own session, and no more than can be sealed")
    func offers() throws {
        var bench = try Bench.sealed()
        var offer = SteeringOffer(actions: [.prompt, .interrupt], takesPictures: true, modes: ["plan"], commands: ["/secret"])
        offer.hasScreen = true
        offer.reason = "a secret reason"
        bench.start()
        bench.tell([.offer(Bench.session, offer)])
        bench.flush()
        let reader = try SealedReader(bench)
        let sent = try #require(bench.left().last)
        guard case .steeringOffered(let outer) = sent.event.head,
            case .steeringOffered(let inner) = try reader.open(sent.event).event.head
        else { return #expect(Bool(false), "no offer") }
        #expect(outer.seals && outer.consent == inner.consent && outer.sealed != nil && outer.wraps == nil)
        #expect(outer.modes == ["plan"] && outer.commands.count == 1 && outer.commands[0].hasPrefix("~"))
        #expect(inner.commands == ["/secret"] && inner.seals && inner.reason == "a secret reason")
        for offer in [outer, inner] { #expect(offer.takesPictures && offer.hasScreen) }

        let own = try #require(bench.left(of: SealedReader.desk).last)
        guard case .steeringOffered(let desk) = own.event.head,
            case .steeringOffered(let plain) = try reader.open(own.event, of: SealedReader.desk).event.head
        else { return #expect(Bool(false), "no offer") }
        #expect(desk.wraps?.count == 1 && desk.projects?.count == 1 && desk.projects?[0].name.hasPrefix("~") == true)
        #expect(plain.wraps == nil && plain.projects == [ProjectOffer(name: "secret-site", folder: "~/secret-site")])
        #expect(plain.agents.allSatisfy(\.takesPictures) && plain.actions == desk.actions)
        #expect(!bench.leftBytes.contains("ecret"))
        _ = bench.look("k0", shows: Array(#"{"of":"t1.1"}"#.utf8))
        #expect(bench.type([1], "k1", signature: nil) == ConsentRefusal.unsigned.sentence)
    }

    @Test("an offer of any length can be sealed, and has the keys")
    func longOffer() throws {
        var bench = try Bench.sealed()
        let names = (0..<64).map { "\($0)" + String(repeating: "x", count: 250) }
        let agents = (0..<16).map { StartableAgent(name: "a\($0)", title: "A", modes: Array(names.prefix(16)), models: names) }
        let projects = names.map { ProjectOffer(name: $0, folder: String(repeating: "f", count: 4_000)) }
        _ = bench.tell(.told(agent: LaunchAdapter.name, LaunchFact.read(projects, agents)))
        bench.flush()
        let own = try #require(bench.left(of: SealedReader.desk).last)
        guard case .steeringOffered(let outer) = own.event.head else { return #expect(Bool(false), "no offer") }
        #expect(outer.agents.count == 16 && outer.wraps?.count == 1)
        #expect(try SealedReader(bench).open(own.event, of: SealedReader.desk).number == own.number)
    }

    @Test("more than one message holds goes in several, in their order")
    func long() throws {
        var bench = try Bench.sealed()
        for _ in 0..<12 { bench.emit(.message(.assistant, summary: nil), body: String(repeating: "x", count: 100_000)) }
        for _ in 0..<12 { bench.flush() }
        #expect(bench.left().map(\.number) == Array(1...12))
        #expect(bench.messages.allSatisfy { $0.bytes.count <= WireLimits.messageBytesMax })
        let reader = try SealedReader(bench)
        for sent in bench.left() { #expect(try reader.open(sent.event).number == sent.number) }
    }

    // MARK: Numbers

    @Test("what is sent again has its number again, and what the disk did not take is a hole")
    func again() throws {
        var bench = try Bench.sealed()
        bench.start()
        bench.emit(tool())
        bench.flush(loses: true)
        bench.reconnect()
        bench.flush()
        #expect(bench.left().map(\.number) == [1, 2, 1, 2])
        let reader = try SealedReader(bench)
        #expect(try bench.left().map { try reader.open($0.event).number } == [1, 2, 1, 2])
        #expect(try reader.line(bench.left()[2].event)?.operation == "Running secret.sh", "the relay may not have the first")
        bench.disk.failing = [.append: SpoolError(.full, "full")]
        bench.emit(.error(message: "lost", recoverable: true))
        bench.disk.failing = [:]
        bench.emit(.error(message: "kept", recoverable: true))
        bench.flush()
        #expect(try reader.open(try #require(bench.left().last).event).number == 4)
    }

    // MARK: Lines

    @Test("a line goes with each event that changes it")
    func lines() throws {
        var bench = try Bench.sealed()
        bench.start()
        bench.flush()
        let reader = try SealedReader(bench)
        var said: [String] = []
        func say(_ head: EventHead) throws {
            bench.emit(head)
            bench.flush()
            let line = try reader.line(try #require(bench.left().last).event)
            said.append(
                line.map {
                    [$0.title, $0.operation, $0.asks, $0.file, $0.current, $0.reason, $0.error].map { $0 ?? "-" }.joined(
                        separator: " | ")
                } ?? "nothing")
        }
        try say(tool("Running a.sh"))
        try say(.message(.assistant, summary: "words"))
        try say(tool("Running b.sh"))
        try say(.todoChanged(TodoProgress(completed: 1, total: 2, current: "two")))
        try say(.error(message: "it broke", recoverable: true))
        try say(.sessionRenamed(title: "New"))
        try say(.statusChanged(.idle, reason: "for now"))
        try say(.statusChanged(.running, reason: nil))
        let request = ApprovalRequest(
            approval: ApprovalID("a1")!, kind: .tool, tool: "Run", title: "Run: ls", digest: Bench.digest)
        try say(.approvalRequested(request))
        try say(.approvalCancelled(ApprovalID("a1")!, reason: "expired"))
        #expect(
            said == [
                "The secret plan | Running a.sh | - | secret.swift | - | - | -", "nothing",
                "The secret plan | Running b.sh | - | secret.swift | - | - | -",
                "The secret plan | Running b.sh | - | secret.swift | two | - | -",
                "The secret plan | Running b.sh | - | secret.swift | two | - | it broke",
                "New | Running b.sh | - | secret.swift | two | - | it broke",
                "New | - | - | secret.swift | two | for now | it broke", "New | - | - | secret.swift | two | - | -",
                "New | - | Run: ls | secret.swift | two | - | -", "New | - | - | secret.swift | two | - | -",
            ])
    }

    @Test("the title of a request that the disk did not take stays in no line")
    func unrecorded() throws {
        var bench = try Bench.sealed()
        bench.start()
        bench.flush()
        bench.disk.failing = [.append: SpoolError(.full, "full")]
        let request = ApprovalRequest(
            approval: ApprovalID("a1")!, kind: .tool, tool: "Run", title: "Run: ls", digest: Bench.digest)
        bench.tell([
            .remember("a1", Array("{}".utf8)),
            .emit(Bench.session, Event(.approvalRequested(request), at: 1).bytes, isKept: true),
        ])
        #expect(bench.lost == ["one hears not recorded a1"])
        // The adapter then forgets it.
        bench.tell([.remember("a1", nil)])
        bench.disk.failing = [:]
        _ = bench.tell(.fired(.disk))
        bench.emit(tool())
        bench.flush()
        let line = try SealedReader(bench).line(try #require(bench.left().last).event)
        #expect(line?.operation == "Running secret.sh")
    }

    @Test("after a restart a session still has its title and folder, also if it was over and is resumed")
    func restarted() throws {
        var bench = try Bench.sealed()
        bench.start()
        bench.emit(.sessionRenamed(title: "Renamed"))
        bench.flush()
        try bench.restart()
        bench.open()
        bench.emit(.statusChanged(.idle, reason: nil))
        bench.flush()
        let reader = try SealedReader(bench)
        let sent = try #require(bench.left().last).event
        let line = try #require(try reader.line(sent))
        #expect(line.title == "Renamed" && line.project == "secret-project" && line.workingDirectory == "~/secret-folder")
        #expect(bench.notes.contains("consent.line/one-s"))
        bench.emit(.sessionEnded(reason: "done", failed: false))
        bench.flush()
        try bench.restart()
        bench.open()
        bench.emit(.sessionStarted(SessionFacts(agentName: "test")))
        bench.flush()
        #expect(try reader.line(try #require(bench.left().last).event)?.title == "Renamed")
    }

    @Test("the lines of sessions that are over are kept for the latest alone")
    func manyOver() throws {
        var lines = SessionLines()
        let sessions = (0..<66).map { SessionID("one-\($0)")! }
        for session in sessions {
            _ = lines.learn(.sessionRenamed(title: "x"), of: session)
            _ = lines.learn(.sessionEnded(reason: nil, failed: false), of: session)
        }
        #expect(sessions.prefix(64).allSatisfy { lines.acknowledged($0).isEmpty } && lines.acknowledged(sessions[0]).isEmpty)
        _ = lines.learn(.sessionStarted(SessionFacts(agentName: "test")), of: sessions[0])
        #expect(lines.acknowledged(sessions[64]).isEmpty && lines.acknowledged(sessions[65]) == [sessions[1]])
        #expect(lines.sessions.count == 65)
    }

    @Test("a session that was in the open before says since when it is sealed, and one that never was says nothing of it")
    func sealedFrom() throws {
        var bench = try Bench(.signed)
        bench.start()
        bench.emit(tool())
        bench.flush()
        bench.emit(tool("Running the unsent.sh"))
        try bench.restart(isSealed: true)
        bench.open()
        bench.flush()
        let reader = try SealedReader(bench)
        let first = try #require(bench.left().first { $0.number == 3 })
        #expect(try reader.line(first.event)?.from == 3)
        try bench.restart()
        bench.open()
        bench.emit(.sessionRenamed(title: "Renamed"))
        bench.flush()
        #expect(try reader.line(try #require(bench.left().last).event)?.from == 3)

        var new = try Bench.sealed()
        new.start()
        new.flush()
        let other = try SealedReader(new)
        try new.restart()
        new.open()
        new.emit(.sessionRenamed(title: "Renamed"))
        new.flush()
        #expect(try new.left().compactMap { try other.line($0.event) }.allSatisfy { $0.from == nil })
        #expect(new.left().count == 2)
    }

    @Test("a request that is too long to be sealed is known to be missing, and its agent does not wait for it")
    func unsealable() throws {
        var bench = try Bench(.open)
        bench.start()
        let request = ApprovalRequest(
            approval: ApprovalID("a1")!, kind: .tool, tool: "Run", title: "Run: ls", digest: Bench.digest)
        let long = String(repeating: "x", count: WireLimits.shownEventBytesMax - 1_000)
        let event = Event(.approvalRequested(request), at: 1) { $0.field("shown", long) }
        let note = JSONWriter.object { $0.field("session", Bench.session) }
        bench.tell([.remember("a1", note), .emit(Bench.session, event.bytes, isKept: true)])
        try bench.restart(isSealed: true)
        bench.open()
        bench.flush()
        let reader = try SealedReader(bench)
        let left = bench.left()
        let opened = try left.map { try reader.open($0.event).event.head }
        #expect(opened.contains { if case .truncated(count: 1) = $0 { true } else { false } })
        #expect(bench.lost == ["one hears not recorded a1"])
    }

    @Test("a line has room for anything")
    func longLine() throws {
        var bench = try Bench.sealed()
        let long = String(repeating: "grün \"\u{1F600}\" ", count: 300)
        var facts = SessionFacts(agentName: "one")
        (facts.title, facts.project, facts.workingDirectory, facts.folder, facts.branch) = (long, long, long, long, long)
        bench.emit(.sessionStarted(facts))
        bench.emit(tool(long))
        bench.emit(.todoChanged(TodoProgress(completed: 1, total: 2, current: long)))
        bench.emit(.error(message: long, recoverable: true))
        bench.emit(.statusChanged(.idle, reason: long))
        bench.flush()
        let reader = try SealedReader(bench)
        let line = try #require(try bench.left().compactMap { try reader.line($0.event) }.last)
        #expect(line.title?.hasPrefix("grün") == true && line.reason?.hasSuffix(TextCut.marker) == true)
        #expect(bench.left().allSatisfy { $0.event.line?.utf8.count ?? 0 <= WireLimits.sealedLineBytesMax })
    }

    // MARK: Keys

    @Test("a key is on disk before anything is sealed with it, and nothing leaves as long as the disk does not take it")
    func keyFirst() throws {
        var bench = try Bench(.signed, isSealed: true)
        #expect(bench.pins.calls == ["keys"])
        bench.pins.isFailingKeys = true
        _ = bench.tell(.consentAsked(.distrust(bench.device.id.text), HookToken(rawValue: 1)))
        bench.open()
        bench.start()
        bench.flush()
        bench.tell([.stream(Delta(session: Bench.session, message: "m1", text: "secret"))])
        #expect(bench.left().isEmpty && bench.left(of: SealedReader.desk).isEmpty && !bench.leftBytes.contains("ecret"))
        bench.pins.isFailingKeys = false
        _ = bench.tell(.fired(.disk))
        bench.flush()
        #expect(bench.left().count == 1 && bench.pins.epochs.current?.number == 2)
    }

    @Test("the same keys are used after a restart")
    func sameKeys() throws {
        var bench = try Bench.sealed()
        bench.start()
        bench.flush()
        let epochs = bench.pins.epochs
        try bench.restart()
        bench.open()
        bench.emit(tool())
        bench.flush()
        #expect(bench.pins.epochs == epochs)
        let reader = try SealedReader(bench)
        #expect(try bench.left().map { try reader.open($0.event).epoch } == [1, 1])
    }

    @Test("a device that is distrusted has no key of what follows, and the others have")
    func distrusted() throws {
        var bench = try Bench.sealed()
        let second = try bench.joined(.all)
        bench.start()
        bench.flush()
        let old = try SealedReader(bench)
        _ = bench.tell(.consentAsked(.distrust(bench.device.id.text), HookToken(rawValue: 1)))
        bench.flush()
        bench.emit(tool())
        bench.flush()
        let sent = try #require(bench.left().last).event
        #expect(throws: (any Error).self) { try old.open(sent) }
        #expect(try SealedReader(bench).epochs == [])
        let reader = try SealedReader(bench, second)
        #expect(try reader.epochs == [1, 2] && reader.open(sent).epoch == 2)
        #expect(bench.pins.calls.suffix(2) == ["save", "keys"], "the trust ends first")
    }

    @Test("a host that was killed before it made the new key makes it before anything leaves")
    func killed() throws {
        var bench = try Bench.sealed()
        let second = try bench.joined(.all)
        bench.start()
        bench.flush()
        let epochs = bench.pins.epochs
        _ = bench.tell(.consentAsked(.distrust(bench.device.id.text), HookToken(rawValue: 1)))
        // The pins were written, the keys were not.
        bench.pins.restore(epochs)
        try bench.restart()
        bench.open()
        bench.emit(tool())
        bench.flush()
        #expect(
            try SealedReader(bench).epochs == []
                && SealedReader(bench, second).open(#require(bench.left().last).event).epoch > 1)
    }

    @Test("a device that joins reads all, or what follows alone, as the person at the terminal says")
    func joined() throws {
        var bench = try Bench.sealed()
        bench.start()
        bench.flush()
        let first = try #require(bench.left().last).event
        let all = try bench.joined(.all)
        #expect(try SealedReader(bench, all).open(first).number == 1)
        let late = try bench.joined(.fromNow)
        let reader = try SealedReader(bench, late)
        #expect(reader.epochs == [2])
        #expect(throws: (any Error).self) { try reader.open(first) }
        bench.emit(tool())
        bench.flush()
        let sent = try #require(bench.left().last).event
        #expect(try reader.open(sent).number == 2 && SealedReader(bench, all).open(sent).number == 2)
        #expect(bench.pins.calls.suffix(2) == ["keys", "save"], "what it may read is noted before it is trusted")
        try bench.restart()
        bench.open()
        #expect(try SealedReader(bench, late).epochs == [2] && SealedReader(bench, all).epochs == [1, 2])
    }

    @Test("a device that joins again after a failed try reads from its new joining on")
    func joinedAgain() throws {
        var bench = try Bench.sealed()
        bench.start()
        let device = Bench.Device(name: "another")
        bench.pins.isFailingPins = true
        try bench.joins(device, .fromNow)
        #expect(bench.pins.book[device.id] == nil && bench.pins.calls.last == "keys")
        bench.flush()
        let between = try #require(bench.left().last).event
        bench.pins.isFailingPins = false
        try bench.joins(device, .fromNow)
        bench.emit(tool())
        bench.flush()
        let reader = try SealedReader(bench, device)
        #expect(throws: (any Error).self) { try reader.open(between) }
        #expect(try reader.open(try #require(bench.left().last).event).number == 2)
    }

    @Test("a device that another brings reads what that one reads, and no more")
    func brought() throws {
        var bench = try Bench.sealed()
        let late = try bench.joined(.fromNow)
        let brought = Bench.Device(name: "brought")
        let keys = brought.keys.identity
        let vouch = Vouch(
            host: bench.host.identity.id, sign: keys.sign, box: keys.box, name: "brought", count: 1, device: late.id)
        bench.letter(SignedLetter(.vouch(vouch), by: late.keys.identity, .openSSL).bytes)
        bench.flush()
        #expect(try SealedReader(bench, brought).epochs == [2])
    }

    @Test("numbers of keys that were lost are used for no others")
    func lost() throws {
        var bench = try Bench.sealed()
        _ = try bench.joined(.fromNow)
        bench.flush()
        bench.pins.restore(EpochBook())
        try bench.restart()
        bench.open()
        #expect(try SealedReader(bench).epochs == [3])
    }

    @Test("numbers of keys begin with the time, so that those of a host that has lost all its notes are others")
    func lostWithNotes() throws {
        var bench = try Bench.sealed()
        bench.pass(.seconds(86_400 * 365 * 4))
        bench.pins.restore(EpochBook())
        try bench.restart()
        let first = try #require(bench.pins.epochs.current?.number)
        #expect(first > 40_000_000)
        bench.pass(.seconds(1))
        bench.pins.restore(EpochBook())
        try bench.restart()
        #expect(try #require(bench.pins.epochs.current?.number) > first)
    }

    @Test("at an open host no device is invited to less than everything")
    func openHistory() throws {
        var bench = try Bench(.signed)
        _ = bench.tell(.consentAsked(.invite(.random(), .fromNow), HookToken(rawValue: 1)))
        #expect(bench.answers[1]?.contains("error") == true)
    }
}
