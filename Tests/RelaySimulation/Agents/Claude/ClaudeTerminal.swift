import AgentClaude
import HostCore
import RelayProtocol

/// Claude Code in a terminal, whose person may answer before a client does.
final class ClaudeTerminal: AgentBody, ClaudeFront {
    let adapter = ClaudeHooks.adapter
    let entrypoint = "cli"
    let callsAtOnceMax = 1
    private unowned let world: World
    private var agent: ClaudeAgent!

    init(world: World, host: HostProcess, index: Int) {
        self.world = world
        agent = ClaudeAgent(world: world, host: host, process: Int32(200 + index), front: self)
    }

    var asks: [AgentAsk] { agent.asksAfar }
    var sessions: [(id: SessionID, status: SessionStatus?)] { agent.sessions }
    func isAlive(_ process: AgentProcess) -> Bool { agent.isUp && !agent.isFinished && process == agent.hooks.process }

    // MARK: Life

    func start() { agent.start() }

    /// Killed, so that none of its hooks reports anything.
    func restart() {
        guard agent.isUp, !agent.isFinished else { return }
        agent.die()
        world.after(world.dice.within(50...2_000)) { [self] _ in start() }
    }

    func losePower() { agent.die() }
    func daemonGone() { agent.daemonGone() }
    func finish() { agent.finish() }
    func carryOut(_ order: any Sendable) { agent.files.carryOut(order, of: agent.hooks) }

    // MARK: Its person

    func idles() {
        if world.dice.chance(world.shape.endings) {
            agent.clear()
        } else if world.dice.chance(0.5) {
            agent.submit(world.name("local "))
        }
    }

    /// Interrupted by Esc, which no hook reports.
    func interrupts(whileToolRuns: Bool) -> Bool { !whileToolRuns || world.dice.chance(0.1) }

    func asked(_ call: ClaudeCall) { if world.dice.chance(0.5) { agent.answerAtDialog(call.hook, within: 300...20_000) } }
    func isLeft(_ call: ClaudeCall) { agent.answerAtDialog(call.hook, within: 100...5_000) }
    func isSettled(_ call: ClaudeCall) {}
    func said(_ text: String) {}
    func turnEnded(isInterrupted: Bool) {}
}
