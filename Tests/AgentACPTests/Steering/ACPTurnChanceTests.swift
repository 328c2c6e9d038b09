import HeliographTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentACP

/// Editor and phone send prompts at any time, to an agent that refuses a second one. A failure names its seed.
@Suite("ACP: turns by chance")
struct ACPTurnChanceTests {
    @Test("no prompt meets a turn, each arrives once and as it was, and each command has one end")
    func turns() {
        for seed in UInt64(0)..<300 {
            var chance = SeededDice(seed: seed)
            var bench = ACPBench()
            bench.open()
            var editorsLines: [String] = []
            var agentsLines: [String] = []
            // The id of the prompt that the agent is working on.
            var running: String?
            // Editors send one prompt after another.
            var isEditorWaiting = false
            var commands = 0
            var unsent: [UInt8] = []
            for step in 0..<120 {
                let isOver = step > 80
                switch Int.random(in: 0..<6, using: &chance) {
                case 0 where !isOver && !isEditorWaiting:
                    let line = ACPBench.prompt("\(editorsLines.count + 10)", "editor \(editorsLines.count)")
                    editorsLines.append(line)
                    isEditorWaiting = true
                    unsent += Array((line + "\n").utf8)
                case 1 where !isOver:
                    bench.prompt("p\(commands)", "phone \(commands)")
                    commands += 1
                case 2 where running != nil:
                    bench.ends(running!)
                    if running?.hasPrefix("\"") == false { isEditorWaiting = false }
                    running = nil
                case 3 where running?.hasPrefix("\"") == true: bench.says("word")
                default:
                    let part = unsent.prefix(isOver ? unsent.count : Int.random(in: 1...90, using: &chance))
                    unsent.removeFirst(part.count)
                    if !part.isEmpty { bench.take(.fromEditor(Array(part))) }
                }
                for line in bench.takeAgentLines() {
                    agentsLines.append(line)
                    guard case .request(let id, "session/prompt", _)? = RPCMessage(Array(line.utf8)) else { continue }
                    #expect(running == nil, "seed \(seed): a prompt came in a turn")
                    running = String(decoding: id, as: UTF8.self)
                }
            }
            if let running { bench.ends(running) }
            agentsLines += bench.takeAgentLines()
            #expect(agentsLines.filter { $0.contains("\"editor ") } == editorsLines, "seed \(seed)")
            for number in 0..<commands {
                let stages = bench.stages("p\(number)")
                let given = agentsLines.count { $0.contains("\"phone \(number)\"") }
                #expect(
                    stages == [.given, .taken] && given == 1 || stages == [.refused] && given == 0, "seed \(seed), \(number)")
            }
            #expect(!bench.takeEditorLines().contains { $0.contains("heliograph-run1") }, "seed \(seed)")
        }
    }
}
