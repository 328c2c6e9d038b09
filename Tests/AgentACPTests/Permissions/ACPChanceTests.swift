import HeliographTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentACP

/// Answers from both sides in any order, cut at any byte. A failure names its seed.
@Suite("ACP: chance")
struct ACPChanceTests {
    @Test("the agent gets one answer to each question, and every other byte arrives as it was")
    func oneAnswer() throws {
        for seed in UInt64(0)..<400 {
            var chance = SeededDice(seed: seed)
            var bench = ACPBench()
            bench.begin()
            bench.toAgent = []
            var toSend: [UInt8] = []
            // The editor's messages besides its answers.
            var other: [String] = []
            var remote: [ApprovalID] = []
            let count = Int.random(in: 1...6, using: &chance)
            for id in 0..<count {
                bench.permission(id: "\(id)")
                remote.append(try #require(bench.asked.last?.approval))
            }
            var answers = (0..<count).shuffled(using: &chance)
            while !answers.isEmpty || !remote.isEmpty || !toSend.isEmpty {
                switch Int.random(in: 0..<5, using: &chance) {
                case 0:
                    guard let id = answers.popLast() else { continue }
                    toSend += Array((ACPBench.selected("reject_once", id: "\(id)") + "\n").utf8)
                case 1:
                    guard let approval = remote.popLast() else { continue }
                    let fact = Int.random(in: 0..<4, using: &chance) == 0
                    bench.take(fact ? .undecided(approval) : .decided(approval, ACPVerdict(allows: true)))
                case 2:
                    let line = #"{"jsonrpc":"2.0","id":"e\#(other.count)","method":"x/y","params":{}}"#
                    other.append(line)
                    toSend += Array((line + "\n").utf8)
                default:
                    let part = toSend.prefix(Int.random(in: 1...60, using: &chance))
                    toSend.removeFirst(part.count)
                    if !part.isEmpty { bench.take(.fromEditor(Array(part))) }
                }
            }
            let lines = bench.takeAgentLines()
            for id in 0..<count {
                let answered = lines.filter {
                    $0 == ACPBench.selected("reject_once", id: "\(id)") || $0 == ACPBench.selected("allow_once", id: "\(id)")
                }
                #expect(answered.count == 1, "seed \(seed), question \(id)")
            }
            #expect(lines.filter { $0.contains("x/y") } == other, "seed \(seed)")
            #expect(lines.count == count + other.count, "seed \(seed)")
            let cancels = bench.takeEditorLines().count { $0.contains("$/cancel_request") }
            #expect(cancels == lines.count { $0.contains("allow_once") }, "seed \(seed)")
        }
    }
}
