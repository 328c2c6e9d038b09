import AgentTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentCodex

/// Both sides answer at any time, and connections break in between: a server in a few lines, and conditions that must always hold.
@Suite("Codex: by chance")
struct CodexChanceTests {
    /// Codex's side of one question.
    private struct Server {
        var isOpen = true
        var isAllowed = false
        var byUs = 0
        /// Counts up; a resumed thread repeats the open question under the same id.
        let id: Int
    }

    private struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 33)
        }
    }

    @Test("one end for each question, and it is the true one", arguments: 0..<400)
    func both(seed: Int) throws {
        var dice = Dice(state: UInt64(seed) &* 77 &+ 1)
        var bench = CodexBench.attached()
        bench.turns[CodexBench.thread] = #"{"id":"t1","status":"inProgress","items":[]}"#
        bench.turnStarts()
        var server = Server(id: seed % 3)
        var isConnected = true
        var itemTold = false
        let phoneAllows = Bool.random(using: &dice)
        var hasDecided = false
        /// Messages of ours that the server has not read yet.
        var inFlight: [String] = []
        bench.askCommand(id: "\(server.id)")
        #expect(bench.requests.count == 1)

        func waiting() -> String { server.isOpen ? #"["waitingOnApproval"]"# : "[]" }
        func settle(_ allowed: Bool) {
            server.isOpen = false
            server.isAllowed = allowed
            if isConnected { bench.resolved("\(server.id)") }
        }
        for _ in 0..<14 {
            switch Int.random(in: 0..<7, using: &dice) {
            case 0 where !hasDecided:
                hasDecided = true
                try bench.decide(phoneAllows ? .allow : .deny(message: nil))
            case 1 where server.isOpen: settle(Bool.random(using: &dice))
            case 2 where isConnected:
                isConnected = false
                // Messages in flight may be lost, or still be read.
                if Bool.random(using: &dice) { inFlight = [] }
                bench.tell(.own(.disconnected))
            case 3 where !isConnected:
                isConnected = true
                inFlight = []
                bench.resumable[CodexBench.thread] = CodexBench.resumed(
                    CodexBench.thread, status: #"{"type":"active","activeFlags":\#(waiting())}"#)
                let items = itemTold ? Self.item(server.isAllowed) : ""
                bench.turns[CodexBench.thread] = #"{"id":"t1","status":"inProgress","items":[\#(items)]}"#
                bench.tell(.own(.connected))
                if server.isOpen { bench.askCommand(id: "\(server.id)") }
            case 4: bench.pass(.milliseconds(Int.random(in: 0..<3_000, using: &dice)))
            case 5 where server.isOpen && !inFlight.isEmpty:
                let read = inFlight.removeFirst()
                server.byUs += 1
                settle(read.contains("accept"))
            case 6 where !server.isOpen && isConnected && !itemTold:
                itemTold = true
                bench.notify(
                    "item/completed",
                    CodexBench.command(server.isAllowed ? "completed" : "declined", exit: server.isAllowed ? "0" : "null"))
            default: break
            }
            let sent = bench.answers.count
            if sent > inFlight.count + server.byUs, isConnected, let last = bench.answers.last, inFlight.isEmpty {
                inFlight.append(last)
            }
        }
        // The end of the run.
        if !isConnected {
            isConnected = true
            let items = itemTold ? Self.item(server.isAllowed) : ""
            bench.resumable[CodexBench.thread] = CodexBench.resumed(
                CodexBench.thread, status: #"{"type":"active","activeFlags":\#(waiting())}"#)
            bench.turns[CodexBench.thread] = #"{"id":"t1","status":"inProgress","items":[\#(items)]}"#
            bench.tell(.own(.connected))
            if server.isOpen { bench.askCommand(id: "\(server.id)") }
        }
        if server.isOpen { settle(false) }
        if !itemTold { bench.notify("item/completed", CodexBench.command(server.isAllowed ? "completed" : "declined")) }
        bench.turnEnds()

        #expect(bench.requests.count == 1, "asked once")
        #expect(bench.adapter.questions.isEmpty)
        // There is no answer without a decision, none that differs from it, and none to another question.
        let answer = #"{"id":\#(server.id),"result":{"decision":"\#(phoneAllows ? "accept" : "decline")"}}"#
        #expect(bench.answers.allSatisfy { $0 == answer } && (hasDecided || bench.answers.isEmpty))
        let ends = bench.events.map(\.event.head).filter {
            ["approval.applied", "approval.cancelled", "approval.stale"].contains($0.kind)
        }
        // A decision that comes after the end is reported as too late.
        #expect((1...2).contains(ends.count))
        for case .approvalApplied(_, let outcome) in ends { #expect(outcome == (server.isAllowed ? .ran : .denied)) }
        if server.byUs > 0 { #expect(ends.contains { $0.kind == "approval.applied" }, "ours was the one that counted") }
    }

    private static func item(_ isAllowed: Bool) -> String {
        #"{"type":"commandExecution","id":"call_1","command":"x","cwd":"/","status":"\#(isAllowed ? "completed" : "declined")"}"#
    }
}
