import AgentClaude
import HostCore
import RelayProtocol

/// The hooks of a simulated Claude Code: late, sometimes delivered twice, some of them concurrent, and lost without a daemon.
final class ClaudeHooks {
    private unowned let world: World
    private unowned let host: HostProcess
    private let number: Int32
    private(set) var name = ""
    private(set) var past: [String] = []
    /// Agents of which a daemon has heard since they began.
    private(set) var heard: Set<String> = []
    /// The current run of the agent.
    var run = 0
    /// True if `heliograph run` started it.
    var isRun = false
    private var prompts = 0
    /// Time at which the previous hook reaches the daemon.
    private var lastAt: Int64 = 0

    init(world: World, host: HostProcess, number: Int32) {
        self.world = world
        self.host = host
        self.number = number
    }

    var process: AgentProcess { AgentProcess(id: number, startedAt: UInt64(run)) }

    static func session(_ name: String) -> SessionID {
        guard let id = SessionID("claude-\(name)") else { preconditionFailure("simulated names are identifiers") }
        return id
    }

    func begin(_ name: String) {
        self.name = name
        heard.remove(name)
        if !past.contains(name) { past.append(name) }
    }

    // MARK: Calls

    /// Calls a hook. An `isLoose` one runs concurrently with the others, and may be early or late.
    func call(
        _ event: String, _ members: String, isLoose: Bool = false, _ answered: (([UInt8]?) -> Void)? = nil
    ) {
        send(event, members, isLoose: isLoose, answered: answered) { _ in }
    }

    func prompted(_ text: String) {
        prompts += 1
        call("UserPromptSubmit", #""prompt":"\#(text)""#)
    }

    func ask(
        _ call: ClaudeCall, attempt: Int, answered: @escaping ([UInt8]?) -> Void, taken: @escaping (HookToken) -> Void
    ) {
        send("PermissionRequest", tool(call.words), isLoose: false, answered: answered) { [world] hook in
            hook.run = world.plant == .olderCall ? call.words : "hook \(call.hook)"
            hook.attempt = world.plant == .olderCall ? 2 : attempt
            if let token = hook.token { taken(token) }
        }
    }

    private func send(
        _ event: String, _ members: String, isLoose: Bool, answered: (([UInt8]?) -> Void)?,
        completed: @escaping (inout ClaudeHook) -> Void
    ) {
        let (name, process, run, prompts) = (name, process, run, prompts)
        let at = isLoose ? world.now + world.dice.within(0...40) : max(lastAt, world.now + world.dice.within(0...20))
        if !isLoose { lastAt = at }
        world.at(at) { [self] world in
            // Without a daemon a hook has no effect.
            guard let daemon = host.daemon else { return }
            world.trace.note(world.now, name, "calls", event)
            let path = "/srv/dev/.claude/projects/p/\(name).jsonl"
            let text =
                #"{"session_id":"\#(name)","transcript_path":"\#(path)","cwd":"/srv/dev/proj","hook_event_name":"\#(event)","#
                + #""prompt_id":"\#(name)-\#(prompts)"\#(members.isEmpty ? "" : "," + members)}"#
            guard let payload = try? JSONDocument(parsing: text) else { preconditionFailure("hooks are told JSON: \(text)") }
            var hook = ClaudeHook(event: event, payload: payload, process: process)
            hook.isRun = isRun
            if let answered {
                hook.token = daemon.token { output in
                    world.after(world.dice.within(0...20)) { [self] _ in if run == self.run { answered(output) } }
                }
            }
            completed(&hook)
            host.tell(ClaudeFact.hookCalled(hook), of: ClaudeHooks.adapter)
            // The daemon may have crashed on this fact.
            if host.daemon === daemon { heard.insert(name) }
            // Some hooks are delivered twice.
            if answered == nil, world.dice.chance(0.02) {
                host.tell(ClaudeFact.hookCalled(hook), of: ClaudeHooks.adapter)
            }
        }
    }

    static let adapter = "claude"

    /// Cancels or kills the hook.
    func end(_ token: HookToken?, within wait: ClosedRange<Int64>) {
        guard let token else { return }
        let daemon = host.daemon
        world.after(world.dice.within(wait)) { [self] _ in
            if let daemon, host.daemon === daemon { daemon.tell(.hookGone(token)) }
        }
    }

    // MARK: Payloads

    func tool(_ words: String, _ call: String? = nil) -> String {
        let name = call.map { #","tool_use_id":"\#($0)""# } ?? ""
        return #""permission_mode":"default","tool_name":"Bash","tool_input":{"command":"\#(words)"}\#(name)"#
    }

    func result(of call: ClaudeCall, _ text: String) -> String {
        let input = #""tool_input":{"command":"\#(call.words)"},"tool_use_id":"\#(call.id)""#
        return #"{"tool_name":"Bash",\#(input),"tool_response":"\#(text)"}"#
    }
}
