import HostCore
import RelayProtocol

/// An agent that speaks the Agent Client Protocol: one session, one turn at a time, and commands that it asks about.
final class ACPAgent {
    struct Ask {
        let id: Int
        let call: String
        let words: String
        let at: Int64
    }

    private unowned let world: World
    private let toProxy: (String) -> Void
    private var arrived: [UInt8] = []
    private var isOver = false
    /// The agent's own name of the session; empty before there is one.
    private(set) var session = ""
    /// The request that began the turn.
    private var turn: String?
    private(set) var ask: Ask?
    private var lastAsk = 0
    private var answeredAsks: Set<String> = []
    /// The current step; callbacks of earlier ones are ignored.
    private var step = 0

    var began: (_ session: String) -> Void = { _ in }
    /// Called on a cancel; `isTaken` if it ended a turn.
    var heardCancel: (_ isTaken: Bool) -> Void = { _ in }
    /// Called on an answer; `option` is nil if it said that nothing will be chosen.
    var heardAnswer: (_ ask: Ask, _ isAllowed: Bool, _ option: String?) -> Void = { _, _, _ in }

    init(world: World, toProxy: @escaping (String) -> Void = { _ in }) {
        self.world = world
        self.toProxy = toProxy
    }

    var hasTurn: Bool { turn != nil }

    func end() { isOver = true }

    // MARK: What it hears

    func take(_ bytes: [UInt8]) {
        arrived += bytes
        for message in ACPMessage.lines(of: &arrived) where !isOver {
            switch message {
            case .request(let id, let method, let params): requested(id, method, params)
            case .notification("session/cancel", _): cancelled()
            case .notification: break
            case .response(let id, let result): answered(id, result)
            }
        }
    }

    private func requested(_ id: String, _ method: String, _ params: JSONValue?) {
        switch method {
        case "initialize":
            toProxy(ACPMessage.result(id, #""protocolVersion":1,"agentInfo":{"name":"acp","version":"1"}"#))
        case "session/new":
            // The editor passes the name in `cwd`, so that it is known when the session is loaded again.
            open(params?.text("cwd") ?? "")
            toProxy(ACPMessage.result(id, #""sessionId":"\#(session)""#))
        case "session/load":
            open(params?.text("sessionId") ?? "")
            toProxy(ACPMessage.result(id, ""))
        case "session/prompt": prompted(id, params?.list("prompt").first?.text("text") ?? "")
        default: toProxy(ACPMessage.failure(id, -32_601, "there is no such method"))
        }
    }

    private func open(_ name: String) {
        session = String(name.split(separator: "/").last ?? "")
        began(session)
    }

    private func prompted(_ id: String, _ text: String) {
        if !text.hasPrefix(ACPEditor.ownText) { world.checkTaken(text, in: ACPProgram.session(session)) }
        guard turn == nil else { return toProxy(ACPMessage.failure(id, -32_600, "there is a turn")) }
        world.trace.note(world.now, session, "begins turn", "\(id): \(text)")
        turn = id
        // Some agents echo their input, others show only what they make of it.
        if world.dice.chance(0.5) {
            update(#""sessionUpdate":"user_message_chunk","content":{"type":"text","text":"\#(text)"}"#)
        }
        goOn()
    }

    private func cancelled() {
        heardCancel(turn != nil)
        if turn != nil { finishTurn("cancelled") }
    }

    private func answered(_ id: String, _ result: JSONValue?) {
        if !answeredAsks.insert(id).inserted { world.report(.freedom, "\(session) hears two answers to its request \(id)") }
        // The answer may be for a turn that has ended.
        guard let ask, id == "\(ask.id)" else { return }
        self.ask = nil
        let outcome = result?.optional("outcome")
        let option = outcome?.text("outcome") == "selected" ? outcome?.text("optionId") : nil
        let isAllowed = option.map { $0 != "no" } ?? false
        heardAnswer(ask, isAllowed, option)
        update(
            #""sessionUpdate":"tool_call_update","toolCallId":"\#(ask.call)","status":"\#(isAllowed ? "completed" : "failed")""#
        )
    }

    // MARK: Work

    private func goOn() {
        step += 1
        let (step, pace) = (step, world.shape.pace)
        world.after(world.dice.within(pace / 10...2 * pace)) { [self] _ in
            if step == self.step, !isOver, turn != nil { work() }
        }
    }

    private func work() {
        guard ask == nil else { return goOn() }
        switch world.dice.below(world.isCalm ? 1 : 5) {
        case 0: return finishTurn("end_turn")
        case 1, 2:
            let text = world.name("said ")
            update(#""sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\#(text)"}"#)
        default: begin(asking: world.dice.pick(["ls", "make", "rm x"]))
        }
        goOn()
    }

    private func begin(asking words: String) {
        lastAsk += 1
        let ask = Ask(id: lastAsk, call: world.name("call"), words: words, at: world.now)
        self.ask = ask
        world.trace.note(world.now, session, "asks", "\(words), \(ask.id)")
        let call = #""toolCallId":"\#(ask.call)","title":"Run \#(words)","kind":"execute","rawInput":{"command":"\#(words)"}"#
        // OpenHands asks for all calls at once, does not name them, and reports them at the same time.
        let isForAll = world.dice.chance(0.3)
        let isToldLater = isForAll && world.dice.chance(0.5)
        let start = #""sessionUpdate":"tool_call",\#(call),"status":"pending""#
        if !isToldLater { update(start) }
        let options =
            #"[{"optionId":"yes","kind":"allow_once","name":"Yes"},{"optionId":"always","kind":"allow_always","name":"Always"},"#
            + #"{"optionId":"no","kind":"reject_once","name":"No"}]"#
        toProxy(
            ACPMessage.request(
                "\(ask.id)", "session/request_permission",
                #""sessionId":"\#(session)","toolCall":{\#(isForAll ? Self.unnamed : call)},"options":\#(options)"#))
        if isToldLater { update(start) }
    }

    private static let unnamed = #""toolCallId":"confirmation-all","title":"Confirm Agent Actions""#

    private func finishTurn(_ reason: String) {
        guard let turn else { return }
        world.trace.note(world.now, session, "ends turn", "\(turn): \(reason)")
        self.turn = nil
        ask = nil
        toProxy(ACPMessage.result(turn, #""stopReason":"\#(reason)""#))
    }

    private func update(_ update: String) {
        toProxy(ACPMessage.notification("session/update", #""sessionId":"\#(session)","update":{\#(update)}"#))
    }
}
