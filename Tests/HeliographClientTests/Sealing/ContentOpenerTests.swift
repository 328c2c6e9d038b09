import Consent
import ConsentKeys
import HeliographTestSupport
import RelayProtocol
import Testing

@testable import DeviceConsent
@testable import HeliographClient

@Suite("Sealed content at the terminal")
struct ContentOpenerTests {
    private static let host = SealingHost()

    private static func tool(_ operation: String) -> EventHead {
        .toolStarted(ToolStart(call: "1", tool: "Bash", operation: operation))
    }

    private static func line(_ bytes: [UInt8]?) -> String? { bytes.map { EventText($0).line } }

    @Test("events read as those of a host that does not seal")
    func events() throws {
        var opener = ContentOpener.trusted(Self.host)
        let sent = Self.host.event(Self.tool("Running: ls secret"), 7) { $0.field("input", "ls secret") }
        #expect(!String(decoding: sent, as: UTF8.self).contains("secret"))
        let opened = opener.events(Self.host.events([sent], first: 1))
        #expect(opened == [Event(Self.tool("Running: ls secret"), at: 5) { $0.field("input", "ls secret") }.bytes])
    }

    @Test("a session that was listed before its host's first offer is sealed from that offer on")
    func listedBefore() {
        var opener = ContentOpener.trusted(Self.host, isListedFirst: true)
        let plain = Event(Self.tool("Running: ls"), at: 5).bytes
        let opened = opener.events(Self.host.events([Self.host.event(Self.tool("Running: ls"), 2), plain], first: 2))
        #expect(opened.count == 2 && opened[0] == plain && opened[1] != plain)
    }

    @Test("a summary has what its line says; an older line is none")
    func lines() throws {
        var opener = ContentOpener.trusted(Self.host)
        var summary = Self.host.summary(line: Self.host.line("New", 9))
        summary.operation = "Works on something sealed"
        var opened = opener.summary(summary)
        #expect(opened?.title == "New" && opened?.project == "site" && opened?.operation == "Running: ls")
        #expect(opened?.line == nil)
        // The relay says whether a request still waits: it may have expired there.
        summary.line = Self.host.line("New", 10, asks: "Run: rm")
        #expect(opener.summary(summary)?.operation == "Running: ls")
        summary.operation = "A sealed request"
        #expect(opener.summary(summary)?.operation == "Run: rm")
        summary.line = Self.host.line("Old", 8)
        summary.operation = "decided, waits for the host"
        opened = opener.summary(summary)
        #expect(opened?.title == "New" && opened?.operation == "decided, waits for the host")
    }

    @Test("keys may come in a later page of the snapshot than what they open")
    func pages() throws {
        let (pin, identity) = (Self.host.pin, PrivateKeys().identity)
        var opener = ContentOpener { (identity, [pin]) }
        let session = Self.host.summary(line: Self.host.line("Fix it", 1))
        #expect(opener.open(.workspaceSnapshot(sessions: [session], approvals: [], more: true)).isEmpty)
        let own = Self.host.ownSummary(Self.host.wraps(for: identity))
        #expect(opener.open(.summary(own)).isEmpty)
        let messages = opener.open(.snapshotEnd)
        guard case .workspaceSnapshot(let sessions, _, more: true, _)? = messages.first else {
            Issue.record("the first page comes first")
            return
        }
        #expect(messages.count == 3 && sessions.map(\.title) == ["Fix it"])
    }

    @Test("live text opens for its message alone")
    func live() throws {
        var opener = ContentOpener.trusted(Self.host)
        let text = Self.live("secret", at: 0)
        #expect(Self.shown(text, of: "m1", &opener) == ["secret"] && Self.shown(text, of: "m2", &opener) == [])
    }

    private static func live(_ text: String, at place: Int64) -> String {
        host.seal().seal(LivePiece(at: place, text).bytes, as: .live(of: "m1"), nonce: .random()).text
    }

    private static func shown(_ text: String, of message: String, _ opener: inout ContentOpener) -> [String] {
        opener.open(.deltas(Delta(session: SealingHost.session, message: message, text: text))).compactMap {
            if case .deltas(let delta) = $0 { delta.text } else { nil }
        }
    }

    @Test("live text that the relay leaves out is marked, and what it repeats or moves is not shown")
    func liveHoles() {
        var opener = ContentOpener.trusted(Self.host)
        let pieces = [Self.live("will ", at: 0), Self.live("not ", at: 5), Self.live("delete", at: 9)]
        let shown = [0, 0, 2, 1, 2].flatMap { Self.shown(pieces[$0], of: "m1", &opener) }
        #expect(shown == ["will ", "…delete"])
    }

    @Test("the history of a session opens, by the command that asked for it")
    func history() throws {
        var opener = ContentOpener.trusted(Self.host)
        let id = CommandID("k1")!
        opener.sent(.history(SealingHost.session, before: 9, limit: 5), as: id)
        let page = Reply.history(first: 1, events: [Self.host.event(Self.tool("Running: ls"), 7)])
        guard case .reply(_, .history(_, let events))? = opener.open(.reply(id, page)).first else {
            Issue.record("it is a history")
            return
        }
        #expect(Self.line(events.first) == "▸ Bash: Running: ls")
    }

    @Test("a hole is counted before the event that follows it; what the relay says that it skipped is none")
    func holes() throws {
        var opener = ContentOpener.trusted(Self.host)
        let skipped = Event(.truncated(count: 2), at: 5).bytes
        let events = [Self.host.event(Self.tool("a"), 1), Self.host.event(Self.tool("b"), 4)]
        _ = opener.events(Self.host.events(events, first: 1))
        #expect(opener.remark(on: 2, of: SealingHost.session) == .missing(2))
        #expect(opener.remark(on: 2, of: SealingHost.session) == nil)
        _ = opener.events(Self.host.events([skipped, Self.host.event(Self.tool("c"), 7)], first: 3))
        #expect(opener.remark(on: 4, of: SealingHost.session) == nil)
    }

    @Test("a history shows its holes, also between its pages and when it is read again")
    func holesOfHistory() throws {
        var opener = ContentOpener.trusted(Self.host)
        func page(_ first: Int64, _ numbers: [Int64], as name: String) -> [[UInt8]] {
            let id = CommandID(name)!
            opener.sent(.history(SealingHost.session, before: first + Int64(numbers.count), limit: 5), as: id)
            let events = numbers.map { Self.host.event(Self.tool("\($0)"), $0) }
            guard
                case .reply(_, .history(_, let opened))? = opener.open(.reply(id, .history(first: first, events: events))).first
            else { return [] }
            return opened
        }
        for turn in 0...1 {
            #expect(page(4, [7, 8], as: "k\(turn)").count == 2)
            #expect(opener.remark(on: 4, of: SealingHost.session) == (turn == 0 ? nil : .missing(2)))
            // The second of the page was left out, with the two before the next.
            #expect(page(1, [1, 3, 4], as: "l\(turn)").count == 3)
            #expect(opener.remark(on: 2, of: SealingHost.session) == .missing(1))
            #expect(opener.missingCount(of: SealingHost.session) == 3)
        }
    }

    @Test("without its host's word nothing is from before it sealed, and no more than it says")
    func sealedFrom() throws {
        func shown(from: Int64?) -> [String?] {
            var opener = ContentOpener.trusted(Self.host)
            _ = opener.summary(Self.host.summary(line: Self.host.line("Fix it", 3, from: from)))
            let plain = (1...2).map { Event(Self.tool("\($0)"), at: 5).bytes }
            let tail = SessionEvents(
                session: SealingHost.session, epoch: Epoch("e1")!, first: 1,
                events: plain + [Self.host.event(Self.tool("x"), 3)])
            let summary = Self.host.summary(line: Self.host.line("Fix it", 3, from: from))
            guard
                case .sessionSnapshot(let opened, _, _, _)? = opener.open(
                    .sessionSnapshot(tail, seq: 3, summary: summary, approvals: [])
                ).first
            else { return [] }
            return opened.events.map { Self.line($0) }
        }
        let doubt = "an event is not sealed, although its host seals: it is not shown"
        #expect(shown(from: 3) == ["▸ Bash: 1", "▸ Bash: 2", "▸ Bash: x"])
        #expect(shown(from: 2) == [doubt, "▸ Bash: 2", "▸ Bash: x"])
        #expect(shown(from: nil) == [doubt, doubt, "▸ Bash: x"])
    }

    @Test("what is repeated, reordered, of another place or not sealed is not shown")
    func notShown() throws {
        var opener = ContentOpener.trusted(Self.host)
        let other = Self.host.event(Self.tool("other"), 3, in: SessionID("s2")!)
        let first = Self.host.event(Self.tool("first"), 2)
        var damaged = String(decoding: Self.host.event(Self.tool("x"), 4), as: UTF8.self)
        damaged.replace("tool.started", with: "tool.renamed")
        let plain = Event(Self.tool("plain"), at: 5).bytes
        let opened = opener.events(Self.host.events([first, first, other, Array(damaged.utf8), plain], first: 1))
        #expect(opened.count == 5 && Self.line(opened[0]) == "▸ Bash: first")
        #expect(Self.line(opened[1]) == "the relay repeated or reordered events: this one is not shown")
        for event in opened[2...3] { #expect(Self.line(event)?.hasPrefix("an event cannot be opened: ") == true) }
        #expect(Self.line(opened[4]) == "an event is not sealed, although its host seals: it is not shown")
        // A snapshot that shows them again is not taken for a repetition.
        #expect(Self.line(opener.events(Self.host.events([first], first: 1)).first) == "▸ Bash: first")
    }

    @Test("what the host said before it sealed is shown, and what the relay states itself")
    func notSealedOnes() throws {
        var opener = ContentOpener.trusted(Self.host)
        let before = Event(Self.tool("before"), at: 5).bytes
        let tail = SessionEvents(
            session: SealingHost.session, epoch: Epoch("e1")!, first: 1, events: [before, Self.host.event(Self.tool("x"), 2)])
        let summary = Self.host.summary(line: Self.host.line("Fix it", 2, from: 2))
        guard
            case .sessionSnapshot(let opened, _, _, _)? = opener.open(
                .sessionSnapshot(tail, seq: 2, summary: summary, approvals: [])
            ).first
        else {
            Issue.record("it is a snapshot")
            return
        }
        #expect(opened.events.map { EventText($0).line } == ["▸ Bash: before", "▸ Bash: x"])
        #expect(opener.remark(on: 1, of: SealingHost.session) == .unsealed)
        #expect(opener.remark(on: 2, of: SealingHost.session) == nil)
        let crossed = Event(.budgetCrossed(BudgetCrossing(level: 80)), at: 5).bytes
        #expect(opener.events(Self.host.events([crossed], first: 3)) == [crossed])
    }

    @Test("a key that is no longer used opens nothing that happens now, and a new one that was not given opens nothing")
    func epochs() throws {
        var host = SealingHost()
        let device = PrivateKeys()
        var opener = ContentOpener.trusted(host, device)
        host.beginEpoch()
        #expect(
            Self.line(opener.events(host.events([host.event(Self.tool("x"), 2)], first: 1)).first)
                == "an event cannot be opened: this device was not given its key")
        _ = opener.open(.summary(host.ownSummary(host.wraps(for: device.identity))))
        let events = [host.event(Self.tool("new"), 3), host.event(Self.tool("old"), 4, epoch: 1)]
        let opened = opener.events(host.events(events, first: 2))
        #expect(Self.line(opened[0]) == "▸ Bash: new")
        #expect(Self.line(opened[1]) == "an event was sealed with a key that is no longer used: it is not shown")
    }

    @Test("what happened before the terminal looked may have an older key")
    func olderPast() throws {
        var host = SealingHost()
        let device = PrivateKeys()
        var opener = ContentOpener.trusted(host, device)
        host.beginEpoch()
        var summary = host.summary(line: host.line("Fix it", 1))
        summary.seq = 1
        let own = host.ownSummary(host.wraps(for: device.identity))
        _ = opener.open(.workspaceSnapshot(sessions: [summary, own], approvals: []))
        let events = [host.event(Self.tool("before"), 2, epoch: 1), host.event(Self.tool("now"), 3, epoch: 1)]
        let opened = opener.events(host.events(events, first: 1), at: ContentOpener.settlesAfter)
        #expect(Self.line(opened[0]) == "▸ Bash: before")
        #expect(Self.line(opened[1])?.contains("no longer used") == true)
    }

    @Test("what is under way when a new key comes, or is brought as it was asked for, may have an older key; later nothing may")
    func underWay() throws {
        var host = SealingHost()
        let device = PrivateKeys()
        var opener = ContentOpener.trusted(host, device)
        let old = (1...4).map { host.event(Self.tool("\($0)"), $0) }
        func shown(_ place: Int, at now: Int64) -> Bool {
            let opened = opener.events(host.events([old[place]], first: Int64(place) + 1), at: now)
            return Self.line(opened[0]) == "▸ Bash: \(place + 1)"
        }
        host.beginEpoch()
        _ = opener.open(.summary(host.ownSummary(host.wraps(for: device.identity))))
        let late = ContentOpener.settlesAfter
        #expect(shown(0, at: late - 1))
        #expect(!shown(1, at: late))
        _ = opener.open(Fixtures.welcome(), at: late)
        #expect(shown(1, at: 2 * late - 1))
        #expect(!shown(2, at: 2 * late))
        opener.follows(SealingHost.session)
        #expect(shown(2, at: 3 * late - 1))
        #expect(!shown(3, at: 3 * late))
    }

    @Test("each new key has its own time, however soon the next one comes")
    func keyAfterKey() throws {
        var host = SealingHost()
        let device = PrivateKeys()
        var opener = ContentOpener.trusted(host, device)
        var old: [[UInt8]] = []
        let late = ContentOpener.settlesAfter
        for number in 1...3 {
            old.append(host.event(Self.tool("\(number)"), Int64(number)))
            host.beginEpoch()
            _ = opener.open(.summary(host.ownSummary(host.wraps(for: device.identity))), at: Int64(number - 1) * late / 3)
        }
        // The second key came after a third of the time: what the first has sealed is not shown once that one's is over.
        let opened = opener.events(host.events([old[1]], first: 1), at: late + late / 3)
        #expect(Self.line(opened[0])?.contains("no longer used") == true)
        #expect(Self.line(opener.events(host.events([old[2]], first: 2), at: late + late / 3)[0]) == "▸ Bash: 3")
    }

    @Test("a host's own count of what it has lost hides no more than that")
    func ownCount() throws {
        for (count, said) in [(2 as Int64?, nil), (1, 2), (nil, nil)] as [(Int64?, Int64?)] {
            var opener = ContentOpener.trusted(Self.host)
            let events = [Self.host.event(Self.tool("x"), 1), Self.host.event(.truncated(count: count), 4)]
            _ = opener.events(Self.host.events(events, first: 1))
            #expect(opener.remark(on: 2, of: SealingHost.session) == said.map { .missing($0) })
        }
    }

    @Test("without a key stand-ins are shown, and how to get one; when it comes, the list is right")
    func noKey() throws {
        let device = PrivateKeys()
        var pins: [HostPin] = []
        var opener = ContentOpener { pins.isEmpty ? nil : (device.identity, pins) }
        _ = opener.open(.summary(Self.host.ownSummary([])))
        let summary = Self.host.summary(line: Self.host.line("Fix it", 1))
        #expect(opener.summary(summary)?.title == "Sealed session")
        #expect(opener.advice.count == 1 && opener.advice[0].hasPrefix("laptop seals its content, and does not trust"))
        let sent = Self.host.event(Self.tool("Running: ls"), 1)
        #expect(
            Self.line(opener.events(Self.host.events([sent], first: 1)).first)
                == "an event is sealed, and this device has no key")

        pins = [Self.host.pin]
        #expect(opener.advice[0].contains("has no key for this terminal yet"))
        let messages = opener.open(.summary(Self.host.ownSummary(Self.host.wraps(for: device.identity))))
        let titles = messages.compactMap { if case .summary(let summary) = $0 { summary.title } else { nil } }
        #expect(titles.last == "Fix it" && opener.advice.isEmpty)
    }

    @Test("a host that was seen to seal is never sent anything else, and nothing in its place is taken for its word")
    func downgrade() throws {
        let identity = PrivateKeys().identity
        var pin = Self.host.pin
        var remembered: [String] = []
        var first = ContentOpener {
            (identity, [pin])
        } remembering: {
            remembered.append("\($0) \($1) \($2)")
        }
        _ = first.open(.summary(Self.host.ownSummary(Self.host.wraps(for: identity))))
        #expect(remembered == ["\(Self.host.identity.id) h1 1"])
        pin.sealsAs = "h1"
        var opener = ContentOpener { (identity, [pin]) }
        var summary = Self.host.summary()
        (summary.title, summary.operation, summary.project) = ("rm -rf", "Run: rm -rf", "home")
        summary.steering = SteeringOffer(actions: [.prompt, .ruleAdd], takesPictures: true, commands: ["/x"])
        let shown = opener.summary(summary)
        #expect(shown?.title == "Sealed session" && shown?.operation == nil && shown?.project == nil)
        #expect(shown?.steering?.takesPictures == false && shown?.steering?.commands == [])
        #expect(shown?.steering?.actions == [.prompt])
        let prompt = SteeringAction.prompt(.init(text: "secret", whenBusy: .queue, isCommand: false))
        let id = CommandID("k1")!
        #expect(throws: SealingError.self) { try opener.sealed(prompt, as: id, to: SealingHost.session) }
        #expect(throws: SealingError.self) {
            try opener.sealed(.deny(message: "secret"), on: ApprovalID("a1")!, of: SealingHost.session)
        }
        _ = opener.open(.removed(SealingHost.session))
        #expect(throws: SealingError.self) { try opener.sealed(prompt, as: id, to: SealingHost.session) }
        let request = ApprovalRequest(
            approval: ApprovalID("a1")!, kind: .tool, tool: "Bash", title: "ls",
            digest: InputDigest(String(repeating: "ab", count: 32))!)
        let asked = Approval(
            session: SealingHost.session, request: request, requestBytes: Event(.approvalRequested(request), at: 5).bytes,
            requestedAt: 5, seq: 2)
        guard case .approval(let read)? = opener.open(.approval(asked)).first else { return }
        #expect(read.request.title == "A sealed request")
        guard case .unreadable = ApprovalReading(read, shown).basis else {
            Issue.record("it can be denied at most")
            return
        }
    }

    @Test("a request in the open that names a host which seals can only be denied, in whatever session it comes")
    func inTheOpen() throws {
        let (device, session) = (PrivateKeys(), SessionID("s9")!)
        let request = ApprovalRequest(
            approval: ApprovalID("a1")!, kind: .tool, tool: "Bash", title: "ls", digest: Fixtures.digest)
        var (pin, gate) = (Self.host.pin, ConsentGate(host: Self.host.identity.id, .openSSL))
        let shown = gate.requested(Event(.approvalRequested(request), at: 5), in: session, salt: .random())
        guard let event = shown?.event, case .approvalRequested(let head) = event.head else { return #expect(Bool(false)) }
        let asked = Approval(session: session, request: head, requestBytes: event.bytes, requestedAt: 5, seq: 2)
        let basis = { (pin: HostPin) -> ApprovalReading.Basis? in
            var opener = ContentOpener { (device.identity, [pin]) }
            guard case .approval(let read)? = opener.open(.approval(asked)).first else { return nil }
            return ApprovalReading(read, nil).basis
        }
        guard case .signed = basis(pin) else { return #expect(Bool(false)) }
        pin.sealsAs = "h1"
        guard case .unreadable = basis(pin) else { return #expect(Bool(false), "it can be denied at most") }
    }

    @Test("nothing is sealed with a key that is older than one that was seen")
    func olderKey() throws {
        var host = SealingHost()
        let device = PrivateKeys()
        var opener = ContentOpener.trusted(host, device)
        let old = host.ownSummary(host.wraps(for: device.identity))
        host.beginEpoch()
        _ = opener.events(host.events([host.event(Self.tool("x"), 2)], first: 1))
        _ = opener.open(.summary(old))
        let prompt = SteeringAction.prompt(.init(text: "secret", whenBusy: .queue, isCommand: false))
        #expect(throws: SealingError.self) { try opener.sealed(prompt, as: CommandID("k1")!, to: SealingHost.session) }
    }

    @Test("an older key than the newest that this terminal was ever given is not sealed with after a restart either")
    func olderKeyLater() throws {
        let device = PrivateKeys()
        var pin = Self.host.pin
        (pin.sealsAs, pin.epoch) = ("h1", 2)
        let (identity, known) = (device.identity, pin)
        var opener = ContentOpener { (identity, [known]) }
        _ = opener.open(.summary(Self.host.ownSummary(Self.host.wraps(for: identity))))
        _ = opener.open(.summary(Self.host.summary(line: Self.host.line("Fix it", 1))))
        let prompt = SteeringAction.prompt(.init(text: "secret", whenBusy: .queue, isCommand: false))
        let fault = #expect(throws: SealingError.self) {
            try opener.sealed(prompt, as: CommandID("k1")!, to: SealingHost.session)
        }
        #expect(fault?.message.contains("newer key") == true)
        let events = opener.events(Self.host.events([Self.host.event(Self.tool("old"), 1)], first: 1))
        #expect(Self.line(events.first) == "an event was sealed with a key that is no longer used: it is not shown")
    }

    @Test("words for a sealed request of nobody knows which host are not sent; counts have a bound")
    func unknownHost() throws {
        var opener = ContentOpener { nil }
        let request = ApprovalRequest(
            approval: ApprovalID("a1")!, kind: .tool, tool: "Bash", title: "ls",
            digest: InputDigest(String(repeating: "ab", count: 32))!)
        let bytes = Self.host.event(.approvalRequested(request), 2)
        let asked = Approval(session: SealingHost.session, request: request, requestBytes: bytes, requestedAt: 5, seq: 2)
        _ = opener.open(.approval(asked))
        #expect(throws: SealingError.self) {
            try opener.sealed(.deny(message: "secret"), on: request.approval, of: SealingHost.session)
        }
        #expect(try opener.sealed(.deny(message: nil), on: request.approval, of: SealingHost.session) == .deny(message: nil))
        var ledger = EventLedger()
        let skips = (1...2_000).map { (seq: Int64($0), found: EventLedger.Found.skipped(JSONValue.integerMax)) }
        #expect(ledger.take(1...2_001, skips + [(seq: 2_001, found: .numbered(1, 1))]).missing.isEmpty)
    }

    @Test("an event that comes too early hides no hole, no repeat and no old key before it")
    func early() throws {
        var host = SealingHost()
        let device = PrivateKeys()
        var opener = ContentOpener.trusted(host, device)
        let sent = (1...6).map { host.event(Self.tool("Running: \($0)"), $0) }
        var now: Int64 = 0
        func shown(_ event: [UInt8], at seq: Int64) -> String? {
            opener.events(host.events([event], first: seq), at: now).first.flatMap { Self.line($0) }
        }
        func plain(_ number: Int64) -> String? { Self.line(Event(Self.tool("Running: \(number)"), at: 5).bytes) }
        #expect(shown(sent[0], at: 1) == plain(1))
        _ = shown(sent[5], at: 9)
        #expect(shown(sent[2], at: 2) == plain(3))
        #expect(opener.remark(on: 2, of: SealingHost.session) == .missing(1))
        #expect(shown(sent[0], at: 3)?.contains("repeated or reordered") == true)
        host.beginEpoch()
        _ = opener.open(.summary(host.ownSummary(host.wraps(for: device.identity))))
        now = ContentOpener.settlesAfter
        #expect(shown(sent[3], at: 4)?.contains("a key that is no longer used") == true)
        #expect(shown(sent[2], at: 2) == plain(3), "as it was read before")
    }

    @Test("an event that came too early, and has one of the relay's own in its place, is missing")
    func replaced() {
        var ledger = EventLedger()
        _ = ledger.take(1...1, [(seq: 1, found: .numbered(1, 1))])
        _ = ledger.take(2...3, [(seq: 2, found: .numbered(2, 1)), (seq: 3, found: .numbered(3, 1))])
        let reading = ledger.take(2...4, [(seq: 2, found: .numbered(2, 1)), (seq: 4, found: .numbered(4, 1))])
        #expect(reading.missing == [4: 1] && reading.doubts.isEmpty)
    }

    @Test("no name goes out that the sealed offer does not have")
    func unknownNames() throws {
        var opener = ContentOpener.trusted(Self.host)
        let command = SteeringAction.prompt(.init(text: "/secret", whenBusy: .queue, isCommand: true))
        let launch = SteeringAction.launch(Launch(.start, project: "secret", agent: "claude"))
        for action in [command, launch] {
            #expect(throws: SealingError.self) { try opener.sealed(action, as: CommandID("k1")!, to: SealingHost.itsOwn) }
        }
    }

    @Test("what a person says is sealed with the command's id, and a command by its alias")
    func prompts() throws {
        var opener = ContentOpener.trusted(Self.host)
        var offer = SteeringOffer(actions: [.prompt], commands: ["/deploy"])
        offer.consent = Self.host.id
        guard case .steeringOffered(let sent)? = try? Event(stored: Self.host.event(.steeringOffered(offer), 3)).head else {
            Issue.record("it is an offer")
            return
        }
        let summary = opener.summary(Self.host.summary(line: Self.host.line("Fix it", 3), sent))
        #expect(summary?.steering?.commands == ["/deploy"])
        let id = CommandID("k1")!
        func out(_ text: String, isCommand: Bool = false) throws -> String {
            let action = SteeringAction.prompt(.init(text: text, whenBusy: .queue, isCommand: isCommand))
            guard case .prompt(let prompt) = try opener.sealed(action, as: id, to: SealingHost.session) else { return "" }
            return prompt.text
        }
        func read(_ text: String) throws -> String {
            try Self.host.seal().openText(Sealed(text: text, as: .words), as: .words(with: "k1"))
        }
        #expect(try read(out("go on")) == "go on")
        #expect(try out("/deploy", isCommand: true) == Self.host.alias("/deploy"))
        let command = try out("/deploy  to production", isCommand: true)
        #expect(command.hasPrefix(Self.host.alias("/deploy") + " sealed."))
        #expect(try read(String(command.dropFirst(Self.host.alias("/deploy").count + 1))) == "to production")
        #expect(throws: SealingError.self) { try out(String(repeating: "x", count: WireLimits.textBytesMax)) }

        // The command as it comes back in the log.
        let request = SteeringRequest(
            command: id, session: SealingHost.session, by: Named(id: ClientID("c1")!, name: "desk"),
            action: .prompt(.init(text: command, whenBusy: .queue, isCommand: true)), signature: "s")
        let event = Event(.steeringRequested(SteeringCall(request, consent: Self.host.id)), at: 5) { $0.field("text", command) }
        let opened = opener.events(Self.host.events([event.bytes], first: 1))
        #expect(Self.line(opened.first) == "» desk: prompt: /deploy to production")
    }

    @Test("rules are shown, and go out with names and texts sealed; so they come back")
    func rules() throws {
        var opener = ContentOpener.trusted(Self.host)
        var offer = SteeringOffer(actions: [.ruleOff, .ruleAdd, .ruleChange, .ruleTry])
        offer.consent = Self.host.id
        offer.rules = RulesOffer([RuleOffer(name: "tests", answer: "allow", patterns: ["Bash(make)"])], isAccepted: true)
        let own = SealingHost.itsOwn
        guard
            case .steeringOffered(let sent)? = try? Event(stored: Self.host.event(.steeringOffered(offer), 3, in: own)).head
        else { return }
        #expect(sent.rules == nil && sent.actions == offer.actions)
        #expect(opener.summary(Self.host.summary(own, sent))?.steering?.rules == offer.rules)
        let id = CommandID("k1")!
        func read(_ text: String) throws -> String {
            try Self.host.seal(of: own).openText(Sealed(text: text, as: .words), as: .words(with: "k1"))
        }
        guard case .ruleChange(let rule, let text) = try opener.sealed(.ruleChange("tests", to: "[[rule]]"), as: id, to: own)
        else { return }
        #expect(try read(rule) == "tests" && read(text) == "[[rule]]")
        #expect(try opener.sealed(.ruleTry(""), as: id, to: own) == .ruleTry(""))
        #expect(throws: SealingError.self) {
            try opener.sealed(.ruleAdd(String(repeating: "x", count: 3_000)), as: id, to: own)
        }
        let request = SteeringRequest(
            command: id, session: own, by: Named(id: ClientID("c1")!, name: "desk"), action: .ruleChange(rule, to: text),
            signature: "s")
        let event = Event(.steeringRequested(SteeringCall(request, consent: Self.host.id)), at: 5)
        let batch = SessionEvents(session: own, epoch: Epoch("e1")!, first: 1, events: [event.bytes])
        guard case .events(let opened)? = opener.open(.events(batch)).first, let bytes = opened.events.first,
            case .steeringRequested(let call)? = try? Event(stored: bytes).head
        else { return }
        #expect(call.rule == "tests" && call.choice == "[[rule]]")
    }

    @Test("a picture goes sealed to a host that seals, and as it is to another")
    func pictures() throws {
        var opener = ContentOpener.trusted(Self.host)
        let sealed = try #require(try opener.sealed(picture: [1, 2, 3], for: SealingHost.session))
        #expect(try Self.host.seal().open(Sealed(parsing: sealed, as: .picture), as: .picture) == [1, 2, 3])
        #expect(try opener.sealed(picture: [1, 2, 3], for: SessionID("s9")!) == nil)
        func prompt(_ type: PictureType) -> SteeringAction {
            let picture = Picture(digest: PictureDigest(String(repeating: "ab", count: 32))!, type: type, bytes: 3)
            return .prompt(.init(text: "look", pictures: [picture]))
        }
        let id = CommandID("k1")!
        #expect(try opener.sealed(prompt(.sealed), as: id, to: SealingHost.session).pictures.map(\.type) == [.sealed])
        #expect(throws: SealingError.self) { try opener.sealed(prompt(.png), as: id, to: SealingHost.session) }
    }

    @Test("a start names its project by the alias that the host offers")
    func launches() throws {
        var opener = ContentOpener.trusted(Self.host)
        let launch = Launch(.start, project: "site", agent: "claude", text: "go on")
        guard
            case .launch(let sent) = try opener.sealed(.launch(launch), as: CommandID("k1")!, to: SealingHost.itsOwn)
        else { return }
        #expect(sent.project == Self.host.alias("site") && sent.agent == "claude" && sent.text?.hasPrefix("sealed.") == true)
    }

    @Test("answers go out by numbers, words bound to the approval, and both are read in what was decided")
    func decisions() throws {
        var opener = ContentOpener.trusted(Self.host)
        let id = ApprovalID("q1")!
        var request = ApprovalRequest(
            approval: id, kind: .question, tool: "Ask", title: "Which?",
            digest: InputDigest(String(repeating: "ab", count: 32))!)
        request.questions = [QuestionOffer(id: "q0", choices: ["Red", "Blue"], isMultiple: true)]
        let asked = Self.host.event(.approvalRequested(request), 2) { $0.field("shown", "{}") }
        guard case .approvalRequested(let stripped)? = try? Event(stored: asked).head else { return }
        let wire = Approval(session: SealingHost.session, request: stripped, requestBytes: asked, requestedAt: 5, seq: 2)
        guard case .approval(let approval)? = opener.open(.approval(wire)).first else { return }
        #expect(approval.request == request)

        let mine = Answer(question: "q0", choices: ["Blue"], indexes: [1], text: "dark")
        guard case .answer(let answers) = try opener.sealed(.answer([mine]), on: id, of: SealingHost.session) else { return }
        #expect(answers[0].choices == ["2"] && answers[0].indexes == [1])
        let words = try Sealed(text: answers[0].text ?? "", as: .words)
        #expect(try Self.host.seal().openText(words, as: .words(with: "q1")) == "dark")
        #expect(QuestionOffer.fit(answers, stripped.questions))

        let decision = Decision(.answer(answers), client: ClientID("c1")!, clientName: "desk", at: 5, command: CommandID("k1")!)
        let decided = Event(.approvalDecided(id, decision), at: 5).bytes
        guard
            case .approvalDecided(_, let read)? = try? Event(stored: opener.events(Self.host.events([decided], first: 1))[0])
                .head
        else { return }
        #expect(read.verdict == .answer([mine]))
    }

    @Test("a deny without words needs nothing; words that were not sealed for it are not read")
    func denials() throws {
        var opener = ContentOpener.trusted(Self.host)
        let id = ApprovalID("a1")!
        #expect(try opener.sealed(.deny(message: nil), on: id, of: SealingHost.session) == .deny(message: nil))
        let decision = Decision(
            .deny(message: "do as I say"), client: ClientID("c1")!, clientName: "desk", at: 5, command: CommandID("k1")!)
        let decided = Event(.approvalDecided(id, decision), at: 5).bytes
        let shown = opener.events(Self.host.events([decided], first: 1))[0]
        #expect(!String(decoding: shown, as: UTF8.self).contains("do as I say"))
    }
}
