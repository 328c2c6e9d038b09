import HostCore
import RelayProtocol

/// Claude Code without a screen: the same program as in a terminal, with lines of JSON in place of screen and keyboard
/// (facts/agents.md 2.6, facts/steering.md 2.10).
final class ControlAgent: ClaudeFront {
    private struct Prompt {
        let uuid: String
        let text: String
        /// True if the agent has repeated the prompt, with the start of its answer.
        var isShown = false
        /// True if its hooks have let it pass.
        var isTaken = false
    }

    let entrypoint = "sdk-cli"
    let callsAtOnceMax = 2
    private unowned let world: World
    private(set) var agent: ClaudeAgent!
    private var toProgram: (String) -> Void = { _ in }
    private var arrived: [UInt8] = []
    private var known: Set<String> = []
    private var queue: [Prompt] = []
    private var current: Prompt?
    /// The agent's requests, by the calls that they are about.
    private var requests: [Int: String] = [:]
    private var cost = 0
    private var mode = "default"
    /// True for an older version, which reports neither the end of a prompt nor its mode at the start.
    private var isOld = false
    private var life = 0
    private var isInputClosed = false

    /// Called when the agent has exited by itself.
    var left: () -> Void = {}
    /// True if the agent's own person typed the text.
    var isOwn: (String) -> Bool = { _ in false }
    /// Called when the agent carries out this request.
    var carriedOut: (String) -> Void = { _ in }

    init(world: World, host: HostProcess, index: Int) {
        self.world = world
        agent = ClaudeAgent(world: world, host: host, process: Int32(400 + index), front: self)
        agent.hooks.isRun = true
    }

    // MARK: Life

    func start(as name: String?, toProgram: @escaping (String) -> Void) {
        life += 1
        self.toProgram = toProgram
        (arrived, known, queue, current, requests, isInputClosed) = ([], [], [], nil, [:], false)
        mode = "default"
        isOld = world.dice.chance(0.3)
        agent.start(resuming: name)
    }

    /// End of input: the agent exits when it reads that.
    func closeInput() {
        isInputClosed = true
        leaveWhereDone()
    }

    private func leaveWhereDone() {
        guard isInputClosed, !agent.isStuck, agent.isUp else { return }
        agent.end()
        left()
    }

    /// The agent does nothing for a while, or until it is killed.
    func getStuck() {
        agent.isStuck = true
        let life = life
        world.after(world.dice.within(1_000...25_000)) { [self] _ in
            guard life == self.life else { return }
            agent.isStuck = false
            take([])
            leaveWhereDone()
        }
    }

    // MARK: What it reads

    func take(_ bytes: [UInt8]) {
        arrived += bytes
        while !agent.isStuck, agent.isUp, let feed = arrived.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(arrived[..<feed])
            arrived.removeFirst(feed + 1)
            guard let root = (try? JSONDocument(parsing: line))?.root else {
                preconditionFailure("it is given JSON: \(String(decoding: line, as: UTF8.self))")
            }
            switch root.text("type") {
            case "user": prompted(root)
            case "control_request": requested(root)
            case "control_response": responded(root.optional("response"))
            default: break
            }
        }
    }

    private func prompted(_ line: JSONValue) {
        guard let uuid = line.text("uuid"), let text = line.optional("message")?.text("content") else {
            preconditionFailure("a prompt has a name and a text")
        }
        // A prompt is not run twice under the same id.
        guard known.insert(uuid).inserted else { return }
        queue.append(Prompt(uuid: uuid, text: text))
        next()
    }

    private func requested(_ line: JSONValue) {
        guard let id = line.text("request_id"), let request = line.optional("request") else { return }
        switch request.text("subtype") {
        case "initialize":
            let mode = isOld ? "" : #","current_permission_mode":"\#(mode)""#
            respond(
                id, #""commands":[{"name":"compact","builtin":true}],"models":[{"value":"opus"},{"value":"haiku"}]\#(mode)"#)
        case "interrupt":
            respond(id, "")
            carriedOut(id)
            interrupted()
        case "set_permission_mode":
            guard let wanted = request.text("mode"), ["default", "acceptEdits", "plan"].contains(wanted) else {
                return refuse(id, "Cannot set permission mode")
            }
            mode = wanted
            respond(id, #""mode":"\#(mode)""#)
            carriedOut(id)
        case "set_model":
            respond(id, #""model":"\#(request.text("model") ?? "")""#)
            carriedOut(id)
        default: refuse(id, "it knows no such request")
        }
    }

    /// Takes a response: the first counts.
    private func responded(_ response: JSONValue?) {
        guard let id = response?.text("request_id"), let hook = requests.first(where: { $0.value == id })?.key else { return }
        requests[hook] = nil
        let said = response?.optional("response")
        world.trace.note(world.now, agent.name, "is answered", "on its line, \(id): \(said?.text("behavior") ?? "error")")
        if said?.text("behavior") == "allow" {
            agent.allow(hook)
        } else {
            agent.deny(hook, said?.text("message") ?? response?.text("error") ?? "")
        }
    }

    // MARK: Turns

    private func next() {
        guard current == nil, !agent.isInTurn, !queue.isEmpty, agent.isUp else { return }
        let prompt = queue.removeFirst()
        current = prompt
        advance(prompt, "started")
        let life = life
        // The agent's hooks run.
        world.after(world.dice.within(1...100)) { [self] _ in
            guard life == self.life, agent.isUp, current?.uuid == prompt.uuid else { return }
            write(#"{"type":"system","subtype":"init","permissionMode":"\#(mode)"}"#)
            if world.dice.chance(0.05) { return turnEnded(isInterrupted: false) }
            begin(prompt)
        }
    }

    private func begin(_ prompt: Prompt) {
        world.trace.note(world.now, agent.name, "takes", prompt.text)
        current?.isTaken = true
        if !isOwn(prompt.text) { world.checkTaken(prompt.text, in: agent.session) }
        agent.submit(prompt.text)
        // The agent thinks before its first word.
        let life = life
        world.after(world.dice.within(0...4_000)) { [self] _ in
            if life == self.life, agent.isUp, current?.uuid == prompt.uuid { showPrompt() }
        }
    }

    private func showPrompt() {
        guard let current, current.isTaken, !current.isShown else { return }
        self.current?.isShown = true
        let message = #""message":{"role":"user","content":"\#(current.text)"}"#
        write(#"{"type":"user","isReplay":true,"uuid":"\#(current.uuid)",\#(message)}"#)
    }

    private func interrupted() {
        if agent.isInTurn { return agent.interrupt() }
        // Its hooks have not run yet.
        if current != nil { turnEnded(isInterrupted: true) }
    }

    func turnEnded(isInterrupted: Bool) {
        for (_, id) in requests.sorted(by: { $0.key < $1.key }) { takeBack(id) }
        requests = [:]
        if !isInterrupted { showPrompt() }
        cost += 4_500
        let end =
            isInterrupted
            ? #""subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_streaming""#
            : #""subtype":"success","is_error":false,"terminal_reason":"completed""#
        write(#"{"type":"result",\#(end),"total_cost_usd":0.\#(cost)}"#)
        if let current { advance(current, "completed") }
        current = nil
        let life = life
        world.after(world.dice.within(0...50)) { [self] _ in if life == self.life { next() } }
    }

    // MARK: What is in front of it

    func idles() {}
    func interrupts(whileToolRuns: Bool) -> Bool { false }
    func isLeft(_ call: ClaudeCall) {}

    func said(_ text: String) {
        showPrompt()
        write(#"{"type":"assistant","message":{"content":[{"type":"text","text":"\#(text)"}]}}"#)
    }

    func asked(_ call: ClaudeCall) {
        showPrompt()
        let id = world.name("ask-")
        requests[call.hook] = id
        let request = #""subtype":"can_use_tool","tool_name":"Bash","input":{"command":"\#(call.words)"}"#
        write(#"{"type":"control_request","request_id":"\#(id)","request":{\#(request),"tool_use_id":"\#(call.id)"}}"#)
    }

    func isSettled(_ call: ClaudeCall) { if let id = requests.removeValue(forKey: call.hook) { takeBack(id) } }

    // MARK: What it writes

    private func write(_ line: String) { toProgram(line) }

    private func takeBack(_ id: String) { write(#"{"type":"control_cancel_request","request_id":"\#(id)"}"#) }

    private func advance(_ prompt: Prompt, _ state: String) {
        if !isOld { write(#"{"type":"command_lifecycle","command_uuid":"\#(prompt.uuid)","state":"\#(state)"}"#) }
    }

    private func respond(_ id: String, _ members: String) {
        let response = #""subtype":"success","request_id":"\#(id)","response":{\#(members)}"#
        write(#"{"type":"control_response","response":{\#(response)}}"#)
    }

    private func refuse(_ id: String, _ reason: String) {
        write(#"{"type":"control_response","response":{"subtype":"error","request_id":"\#(id)","error":"\#(reason)"}}"#)
    }
}
