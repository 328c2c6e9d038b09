import HostCore
import RelayProtocol
import Testing

@testable import AgentLocal

@Suite("Any program: events")
struct LocalEventTests {
    private func refusal(_ text: String) throws -> LocalError {
        try #require(throws: LocalError.self) { try LocalEvent.all(in: Array(text.utf8)) }
    }

    @Test("a first line makes its session known, and the reply counts what was taken")
    func firstLine() throws {
        var bench = LocalBench()
        let said = #""kind":"message","head":{"role":"assistant"},"body":{"text":"Hello\nWorld"}"#
        try bench.send(#"{"session":"s1","agent":"build.sh",\#(said)}"#)
        #expect(bench.take() == ["local-s1: started build.sh", "local-s1: assistant: Hello", #"1: {"taken":1}"#])
        try bench.send(
            """
            {"session":"s1","kind":"status.changed","head":{"status":"running"},"at":1700000000000}

            {"session":"s1","kind":"session.ended"}
            """)
        #expect(bench.take() == ["local-s1: running", "local-s1: ended ", #"2: {"taken":2}"#])
        #expect(bench.events[2].at == 1_700_000_000_000)
        #expect(bench.notes.isEmpty, "what is over is not remembered")
        try bench.send(#"{"session":"s1","kind":"session.started","head":{"agent":{"name":"build.sh"}}}"#)
        #expect(bench.take() == ["local-s1: started build.sh again", #"3: {"taken":1}"#])
    }

    private static func message(_ session: String) -> String {
        #"{"session":"\#(session)","kind":"message","head":{"role":"assistant"}}"#
    }

    @Test("a program that begins a session hears whether another host has that name, and what was taken of the others")
    func nameOfAnother() throws {
        var bench = LocalBench()
        bench.confirmsNames = false
        try bench.send(["a", "b", "b"].map(Self.message).joined(separator: "\n"))
        #expect(!bench.take().contains { $0.hasPrefix("1:") }, "the relay has said nothing")
        bench.tell(.named(SessionID("local-a")!, isOurs: true))
        #expect(bench.take() == [])
        bench.tell(.named(SessionID("local-b")!, isOurs: false))
        #expect(bench.take() == [#"1: {"taken":1,"notTaken":["b"]}"#])
        #expect(bench.notes["local-b"] == nil && bench.notes["local-a"] != nil)
        try bench.send(Self.message("a"))
        #expect(bench.take().last == #"2: {"taken":1}"#, "what is known to be ours is not waited for")
        try bench.send(Self.message("b"))
        #expect(bench.take() == ["local-b: started local", "local-b: assistant: "], "it is begun again, and asked again")
        bench.tell(.named(SessionID("local-b")!, isOurs: true))
        #expect(bench.take() == [#"3: {"taken":1}"#], "by now the name is free")
    }

    @Test("nobody waits long for the relay's word on a name, nor for a relay that is away, nor where the disk took nothing")
    func nameUnanswered() throws {
        var bench = LocalBench()
        bench.confirmsNames = false
        try bench.send(Self.message("a"))
        _ = bench.take()
        bench.pass(.seconds(2))
        #expect(bench.take() == [#"1: {"taken":1}"#])
        try bench.send(Self.message("a"))
        _ = bench.take()
        bench.tell(.linkChanged(isLive: false))
        #expect(bench.take() == [#"2: {"taken":1}"#])
        try bench.send(Self.message("c"))
        #expect(bench.take().last == #"3: {"taken":1}"#)
        bench.tell(.linkChanged(isLive: true))
        try bench.send(Self.message("d"))
        _ = bench.take()
        bench.tell(.nothingRecorded)
        #expect(bench.take() == ["4: 204"])
        try bench.send(Self.message("d"))
        _ = bench.take()
        bench.hangUp(5)
        bench.tell(.named(SessionID("local-d")!, isOurs: true))
        #expect(bench.take() == [])
    }

    @Test(
        "a session in a checkout has its branch, and the repository's name where the program has no better one",
        arguments: [
            (#""cwd":"/src/site-fix""#, "site", "fix"), (#""cwd":"/src/site-fix","project":"site-fix""#, "site", "fix"),
            (#""folder":"/src/site-fix","project":"Docs""#, "Docs", "fix"), (#""cwd":"/src","branch":"own""#, nil, "own"),
            (#""cwd":"~/src""#, nil, nil),
        ])
    func checkouts(_ facts: String, _ project: String?, _ branch: String?) throws {
        var event = try LocalEvent(
            parsing: Array(#"{"session":"s1","kind":"session.started","head":{"agent":{"name":"x"},\#(facts)}}"#.utf8))
        event.began(in: Checkout(root: "/src/site-fix", head: "ref: refs/heads/fix", common: "/src/site/.git"))
        guard case .sessionStarted(let began) = event.head else { throw LocalError(.conflict, at: "$", "another kind") }
        #expect(began.project == project && began.branch == branch)
    }

    @Test("every kind that a program may send goes out as it came")
    func kinds() throws {
        var bench = LocalBench()
        let lines = [
            #""kind":"session.started","head":{"agent":{"name":"x","version":"1"},"title":"t","cwd":"/src"}"#,
            #""kind":"session.renamed","head":{"title":"t"}"#,
            #""kind":"tool.started","head":{"call":"c1","tool":"Run","operation":"Running"},"body":{"input":{"command":"ls"}}"#,
            #""kind":"tool.finished","head":{"call":"c1","tool":"Run","ok":true,"exit":0},"body":{"output":"a"}"#,
            #""kind":"file.changed","head":{"path":"a.c","added":1,"removed":2},"body":{"diff":"-a"}"#,
            #""kind":"todo.changed","head":{"completed":1,"total":2,"current":"b"},"body":{"items":[{"text":"b","status":"active"}]}"#,
            #""kind":"usage","head":{"tokens":{"input":123456,"output":7,"cacheRead":1,"cacheWrite":2},"costMicroUSD":12}"#,
            #""kind":"subagent.started","head":{"agent":"a1","name":"reader"}"#,
            #""kind":"subagent.finished","head":{"agent":"a1"}"#,
            #""kind":"error","head":{"message":"m","recoverable":true}"#,
        ]
        try bench.send(lines.map { #"{"session":"s1",\#($0)}"# }.joined(separator: "\n"))
        #expect(bench.take().last == #"1: {"taken":10}"#)
        #expect(bench.events.count == 10)
        for (event, line) in zip(bench.events.dropFirst(), lines.dropFirst()) {
            let sent = try JSONDocument(parsing: "{\(line)}").root
            let went = try JSONDocument(parsing: event.bytes).root
            for key: StaticString in ["head", "body"] {
                #expect(sent.optional(key).map { Array($0.bytes) } == went.optional(key).map { Array($0.bytes) })
            }
        }
    }

    @Test("what a running tool prints is shown, and is no event")
    func output() throws {
        var bench = LocalBench()
        try bench.send(#"{"session":"s1","kind":"tool.started","head":{"call":"c1","tool":"Run","operation":"Running"}}"#)
        _ = bench.take()
        try bench.send(#"{"session":"s1","kind":"tool.output","head":{"call":"c1"},"body":{"text":"one\ntw"}}"#)
        #expect(bench.take() == [#"2: {"taken":1}"#])
        bench.pass(.milliseconds(300))
        #expect(bench.take() == ["output of c1: one\n"])
        #expect(bench.events.count == 2)
        try bench.send(#"{"session":"s1","kind":"tool.output","head":{"call":"c2"},"body":{"text":"of none that runs\n"}}"#)
        try bench.send(#"{"session":"s1","kind":"tool.finished","head":{"call":"c1","tool":"Run","ok":true}}"#)
        try bench.send(#"{"session":"s1","kind":"tool.output","head":{"call":"c1"},"body":{"text":"late\n"}}"#)
        _ = bench.take()
        bench.pass(.seconds(30))
        #expect(bench.take() == [])
        for (bad, path) in [
            (#""head":{"call":"c1"}"#, "$.body"), (#""head":{"call":""},"body":{"text":""}"#, "$.head.call"),
            (#""head":{},"body":{"text":"a"}"#, "$.head.call"),
        ] {
            #expect(try refusal(#"{"session":"s1","kind":"tool.output",\#(bad)}"#).path == path)
        }
    }

    @Test("secrets stay here, and what is long is cut")
    func cleaned() throws {
        var bench = LocalBench()
        let key = "ghp_" + String(repeating: "a1B2", count: 9)
        let long = String(repeating: "long ", count: 60_000)
        try bench.send(
            """
            {"session":"s1","kind":"tool.started","head":{"call":"c","tool":"Run","operation":"Using \(key)"},"body":{"input":{"t":"\(key)"}}}
            {"session":"s1","kind":"message","head":{"role":"assistant"},"body":{"text":"\(long)"}}
            """)
        let sent = bench.events.map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(!sent.joined().contains(key) && sent[1].contains(Redactor.mark))
        guard case .toolStarted(let start) = bench.events[1].head else { return #expect(Bool(false), "no tool started") }
        #expect(start.isRedacted)
        #expect(bench.events[2].bytes.count < WireLimits.eventBytesMax && sent[2].contains(TextCut.marker))
    }

    @Test(
        "what only the host or the relay may say is refused",
        arguments: [
            "approval.requested", "approval.decided", "approval.delivered", "approval.applied", "approval.expired",
            "approval.cancelled", "approval.stale", "budget.crossed", "rewound", "something.new",
        ])
    func notYours(kind: String) throws {
        let error = try refusal(#"{"session":"s1","kind":"\#(kind)","head":{"approval":"a"}}"#)
        #expect(error.code == .notYours && error.status == 400 && error.path == "$.kind" && error.line == 1)
    }

    @Test("a bad line is named, and nothing of the request is taken")
    func badLines() throws {
        let good = #"{"session":"s1","kind":"session.ended"}"#
        #expect(try refusal(good + "\n\n{").line == 3)
        #expect(try refusal(#"{"kind":"session.ended"}"#).path == "$.session")
        #expect(try refusal(#"{"session":"","kind":"session.ended"}"#).path == "$.session")
        #expect(try refusal(#"{"session":"s1","kind":"message","head":{"role":"poet"}}"#).path == "$.head.role")
        #expect(try refusal(#"{"session":"s1","kind":"message","head":{"role":"user"},"body":"x"}"#).path == "$.body")
        #expect(try refusal(#"{"session":"s1","kind":"status.changed","head":{"status":"stale"}}"#).code == .notYours)
        #expect(try refusal(#"{"session":"s1","kind":"session.ended","at":-1}"#).code.word == "outOfRange")
        #expect(try refusal(Array(repeating: good, count: 257).joined(separator: "\n")).line == 257)
        #expect(try refusal(String(repeating: " ", count: 1 << 20) + good).code.word == "outOfRange")
        let error = try refusal(good + "\n[]")
        let said = try JSONDocument(parsing: error.bytes).root
        #expect(said.text("code") == "wrongType" && said.whole("line") == 2 && said.text("path") == "$")
        #expect(said.text("message") != nil)
    }

    @Test("the reply names the sessions that are held")
    func held() throws {
        var bench = LocalBench()
        bench.tell(.held(Holds(sessions: [SessionID("local-s2")!])))
        try bench.send(
            """
            {"session":"s1","kind":"status.changed","head":{"status":"running"}}
            {"session":"s2","kind":"status.changed","head":{"status":"running"}}
            """)
        #expect(bench.take().last == #"1: {"taken":2,"held":["s2"]}"#)
    }

    @Test("while it is held people are told how far it asks, also after a restart of the daemon")
    func reach() throws {
        var bench = LocalBench()
        bench.tell(.held(Holds(everySession: true)))
        try bench.send(#"{"session":"s1","kind":"status.changed","head":{"status":"running"}}"#)
        #expect(bench.take().filter { $0.hasPrefix("offers") } == ["offers  (hold: unchanged)"])
        try bench.ask(
            "q0", #""kind":"question","questions":[{"id":"c","text":"Which?","choices":[{"label":"A"},{"label":"B"}]}]"#)
        #expect(!bench.take().contains { $0.hasPrefix("offers") }, "a question proves nothing")
        try bench.ask()
        try bench.ask("q2")
        #expect(bench.take().filter { $0.hasPrefix("offers") } == ["offers  (hold: most)"])
        bench.restart()
        bench.tell(.held(Holds(everySession: true)))
        #expect(bench.take().filter { $0.hasPrefix("offers") } == ["offers  (hold: most)"])
    }

    @Test("a held program that has run a call unasked is said to run as before, until it asks again")
    func unasked() throws {
        var bench = LocalBench()
        bench.tell(.held(Holds(everySession: true)))
        func run(_ call: String, _ tool: String = "Run") throws {
            try bench.send(Self.started(call, tool))
            try bench.send(Self.finished(call, tool))
        }
        func offers() -> [String] { bench.take().filter { $0.hasPrefix("offers") } }
        try bench.ask("q1")
        try run("c1")
        #expect(offers() == ["offers  (hold: unchanged)", "offers  (hold: most)"])
        try run("c2", "rm")
        #expect(offers() == ["offers  (hold: unchanged)"])
        try bench.ask("c3")
        try run("c3")
        #expect(offers() == ["offers  (hold: most)"])
        try bench.send(Self.started("c4"))
        try bench.ask("q4")
        try bench.send(Self.finished("c4"))
        #expect(offers() == [], "it asks after it has told of the call")
        try bench.ask("q5")
        try bench.decide(.deny(message: nil))
        try run("c5")
        #expect(offers() == ["offers  (hold: unchanged)"], "a denial allows nothing")
        try bench.ask("q6")
        try bench.settle("cancelled", "q6")
        try run("c6")
        #expect(offers() == ["offers  (hold: most)", "offers  (hold: unchanged)"], "nor does a question that is over")
        try bench.ask("q7")
        bench.tell(.held(Holds()))
        try run("c7")
        try run("c8")
        bench.tell(.held(Holds(everySession: true)))
        #expect(offers() == ["offers  (hold: most)"], "without a hold it may run as it does")
    }

    private static func started(_ call: String, _ tool: String = "Run") -> String {
        #"{"session":"s1","kind":"tool.started","head":{"call":"\#(call)","tool":"\#(tool)","operation":"go"}}"#
    }

    private static func finished(_ call: String, _ tool: String = "Run") -> String {
        #"{"session":"s1","kind":"tool.finished","head":{"call":"\#(call)","tool":"\#(tool)","ok":true}}"#
    }

    @Test("a line break or a hidden character in the name of a folder or file is spelled out")
    func spelled() throws {
        var bench = LocalBench()
        try bench.send(
            #"{"session":"s1","kind":"session.started","head":{"agent":{"name":"bot"},"project":"a\u202eb","cwd":"/w/a\u202eb"}}"#
        )
        try bench.send(
            #"{"session":"s1","kind":"file.changed","head":{"path":"c\u202egpj.exe","added":1,"removed":0,"call":"c1"}}"#)
        guard case .sessionStarted(let facts)? = bench.events.first?.head else {
            Issue.record("no session")
            return
        }
        #expect(facts.project == "a⟨U+202E⟩b" && facts.workingDirectory == "/w/a⟨U+202E⟩b")
        guard case .fileChanged(let path, _, _, _)? = bench.events.last?.head else {
            Issue.record("no change")
            return
        }
        #expect(path == "c⟨U+202E⟩gpj.exe")
    }

    @Test("a name that the wire does not spell is digested, and always to the same")
    func names() throws {
        var bench = LocalBench()
        for _ in 0..<2 { try bench.send(#"{"session":"grüße / 1","kind":"status.changed","head":{"status":"idle"}}"#) }
        let session = try #require(bench.adapter.liveSessions.first?.id.rawValue)
        #expect(bench.adapter.liveSessions.count == 1 && session.hasPrefix("local-x"))
    }

    // MARK: Whose a session is

    @Test("a program that is gone ends its sessions, and no others")
    func gone() throws {
        var bench = LocalBench()
        let running = #""kind":"status.changed","head":{"status":"running"}}"#
        try bench.send(#"{"session":"s1",\#(running)"#)
        try bench.send(#"{"session":"s2",\#(running)"#, by: LocalBench.other)
        _ = bench.take()
        bench.gone = [LocalBench.builder]
        bench.pass(.seconds(16))
        #expect(bench.take() == ["local-s1: ended agentGone failed"])
        #expect(bench.adapter.liveSessions.map(\.id.rawValue) == ["local-s2"])
    }

    @Test("where a command began a session and is gone, the script that went on has it")
    func inherited() throws {
        var bench = LocalBench()
        let line = #"{"session":"s1","kind":"status.changed","head":{"status":"running"}}"#
        try bench.send(line)
        try bench.send(line, by: LocalBench.other)
        _ = bench.take()
        bench.gone = [LocalBench.builder]
        bench.pass(.seconds(16))
        #expect(bench.take() == [])
        #expect(bench.adapter.liveSessions.map(\.process) == [LocalBench.other])
        bench.gone.insert(LocalBench.other)
        bench.pass(.seconds(16))
        #expect(bench.take() == ["local-s1: ended agentGone failed"])
    }

    @Test("a session outlives a restart of the daemon, and ends if its program does meanwhile")
    func restart() throws {
        var bench = LocalBench()
        let line = #"{"session":"s1","kind":"status.changed","head":{"status":"running"}}"#
        try bench.send(line)
        bench.restart()
        _ = bench.take()
        try bench.send(line)
        #expect(bench.take() == ["local-s1: running", #"2: {"taken":1}"#])
        bench.gone = [LocalBench.builder]
        bench.restart()
        #expect(bench.take() == ["local-s1: ended agentGone failed"])
    }

    @Test("what the disk lost is said again")
    func eventsLost() throws {
        var bench = LocalBench()
        try bench.send(#"{"session":"s1","kind":"status.changed","head":{"status":"idle","reason":"waits"}}"#)
        _ = bench.take()
        bench.tell(.eventsLost([SessionID("local-s1")!, SessionID("local-s9")!]))
        #expect(bench.take() == ["local-s1: idle: waits"])
    }

    @Test("no more live sessions than a limit")
    func manySessions() throws {
        var bench = LocalBench()
        for number in 0..<1_000 {
            try bench.send(#"{"session":"s\#(number)","kind":"status.changed","head":{"status":"idle"}}"#)
        }
        _ = bench.take()
        try bench.send(#"{"session":"more","kind":"status.changed","head":{"status":"idle"}}"#)
        #expect(bench.take() == ["1001: 429 tooMany"])
        try bench.send(#"{"session":"s1","kind":"session.ended"}"#)
        try bench.send(#"{"session":"more","kind":"status.changed","head":{"status":"idle"}}"#)
        #expect(bench.take().last == #"1003: {"taken":1}"#)
    }
}
