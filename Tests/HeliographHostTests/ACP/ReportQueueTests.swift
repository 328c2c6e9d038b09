import AgentACP
import RelayProtocol
import Testing

@testable import HeliographHost

@Suite("ACP: what waits for the daemon")
struct ReportQueueTests {
    private let session = SessionID("s1")!

    private func limits(count: Int = 100, bytes: Int = 1 << 20, batch: Int = 10) -> ACPDriverLimits {
        var limits = ACPDriverLimits()
        limits.queueCount = count
        limits.queueBytes = bytes
        limits.batchCount = batch
        return limits
    }

    private func event(_ title: String) -> ReportQueue.Item {
        .event(session, Event(.sessionRenamed(title: title), at: 1))
    }

    private func question(_ approval: String) -> ACPQuestion {
        ACPQuestion(
            session: session, approval: ApprovalID(approval)!, request: [48], tool: "bash", title: "t", input: Array("{}".utf8),
            options: [])
    }

    /// The queue's output, each a word or the titles of a batch.
    private func drain(_ queue: inout ReportQueue) throws -> [String] {
        var out: [String] = []
        while let batch = queue.next(now: 9) {
            switch batch {
            case .events(let lines, _):
                let words = try lines.map { line -> String in
                    let root = try JSONDocument(parsing: line).root
                    #expect(try root.string("session") == "s1")
                    let head = try root.object("head")
                    return try head.optionalString("title") ?? "\(root.string("kind")) \(head.integer("count"))"
                }
                out.append(words.joined(separator: " "))
            case .settled: out.append("settled")
            case .ask: out.append("ask")
            case .withdraw: out.append("withdraw")
            case .stands(let session): out.append("stands \(session.rawValue)")
            case .steered(_, let change): out.append(change.name.command.rawValue)
            case .closed(let session, let listener): out.append("closed \(session.rawValue) \(listener)")
            }
        }
        #expect(queue.isEmpty)
        return out
    }

    @Test("order is kept, and events that stand together go together")
    func order() throws {
        var queue = ReportQueue(limits: limits(batch: 2))
        for item in [event("a"), event("b"), event("c"), .ask(question("q")), event("d"), .withdraw(ApprovalID("q")!)] {
            let hasDropped = queue.put(item)
            #expect(!hasDropped)
        }
        _ = queue.put(.settled(session, ApprovalID("q")!, .ran))
        #expect(try drain(&queue) == ["a b", "c", "ask", "d", "withdraw", "settled"])
    }

    @Test("the oldest events go first, the log says how many, and questions stay")
    func bounds() throws {
        var queue = ReportQueue(limits: limits(count: 3))
        _ = queue.put(.ask(question("q")))
        let dropped = ["a", "b", "c", "d"].map { queue.put(event($0)) }
        #expect(dropped == [false, false, true, false])
        #expect(try drain(&queue) == ["truncated 2", "ask", "c d"])
        _ = queue.put(event("e"))
        #expect(try drain(&queue) == ["e"])
    }

    @Test("bytes are bounded as well as the count")
    func bytes() throws {
        var queue = ReportQueue(limits: limits(bytes: 4_000))
        for number in 0..<50 { _ = queue.put(event("\(number)" + String(repeating: "x", count: 1_000))) }
        let out = try drain(&queue).joined(separator: " ")
        #expect(out.hasPrefix("truncated 47 47x") && out.contains("49x"))
    }

    @Test("while nobody can be asked, questions go, and their number is known")
    func questions() throws {
        var queue = ReportQueue(limits: limits())
        for item in [event("a"), .ask(question("q1")), .ask(question("q2"))] { _ = queue.put(item) }
        let removed = queue.removeQuestions().map(\.rawValue)
        #expect(removed == ["q1", "q2"])
        #expect(try drain(&queue) == ["a"])
    }

    @Test("of what running calls print only the newest of each waits, apart from all else, and so many of them")
    func outputs() throws {
        var bounded = limits()
        bounded.outputsMax = 2
        var queue = ReportQueue(limits: bounded)
        for (call, text) in [("c1", "one"), ("c2", "x"), ("c1", "two"), ("c3", "y")] {
            queue.show(session, call: call, text: text)
        }
        #expect(queue.isEmpty && queue.hasOutputs)
        #expect(
            queue.takeOutputs().map { String(decoding: $0, as: UTF8.self) } == [
                #"{"session":"s1","kind":"tool.output","head":{"call":"c1"},"body":{"text":"two"}}"#,
                #"{"session":"s1","kind":"tool.output","head":{"call":"c3"},"body":{"text":"y"}}"#,
            ])
        #expect(!queue.hasOutputs)
        queue.show(session, call: "c1", text: "three")
        queue.clear()
        #expect(!queue.hasOutputs)
    }

    private func change(_ command: String) -> ReportQueue.Item {
        .steered(session, SteeringChange(SteeringName(client: ClientID("c")!, command: CommandID(command)!), .taken))
    }

    @Test("how a session stands is told once, where it was to be told first; outcomes keep their order and are bounded")
    func steering() throws {
        var bounded = limits()
        bounded.daemon.changesMax = 2
        var queue = ReportQueue(limits: bounded)
        for item in [event("a"), .stands(session), change("c1"), .stands(session), change("c2"), event("b"), change("c3")] {
            _ = queue.put(item)
        }
        #expect(try drain(&queue) == ["a", "stands s1", "c2", "b", "c3"])
        _ = queue.put(.stands(session))
        #expect(try drain(&queue) == ["stands s1"])
    }
}
