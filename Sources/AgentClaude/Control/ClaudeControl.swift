package import HostCore
internal import RelayProtocol

/// The terminal of a Claude Code without a screen: the agent is run over lines of JSON, and this replaces its screen and keyboard.
///
/// Pure: facts in, orders out. The session's events and questions come from its hooks, as in a terminal; the same question can also
/// be answered here, and the session is steered here. A prompt counts as taken when the agent repeats it under our name of it, or
/// works on it, never because it was written.
///
/// ```
/// starting ─initialized─▶ running ─stop─▶ stopping ─turn over─▶ closing ─▶ (its process ends)
/// ```
package struct ClaudeControl: Sendable {
    package typealias Fact = ControlFact
    package typealias Order = ControlOrder

    enum Phase: Equatable {
        /// The agent has not reported what it offers yet.
        case starting
        case running
        /// The turn is being interrupted. When it has, or at this time, the agent's input is closed.
        case stopping(until: Int64)
        /// The agent's input is closed.
        case closing(until: Int64)
        case terminating(until: Int64)
        case over
    }

    /// A line that was sent as the user's.
    struct Sent {
        let uuid: String
        /// Name of the client's command; nil if the line was typed here.
        let name: SteeringName?
        let isCommand: Bool
        /// True if the agent has begun with it. Hooks may still reject it.
        var isBegun = false
        /// Time from which it counts as taken, because a turn runs for it.
        var takenAt: Int64?
        var isTaken = false
    }

    /// A request of ours that the agent answers.
    enum Asked {
        case initialize
        case interrupt(SteeringName?)
        case mode(String, SteeringName)
        case model(String, SteeringName)

        var isInterrupt: Bool {
            if case .interrupt = self { true } else { false }
        }
    }

    package static let modes = ClaudeMode.fromAfar
    /// The agent's own commands that clients may use: those that affect the conversation and not the machine. A folder's own
    /// commands can include permissions.
    static let commands = ["compact", "context", "usage", "cost", "recap", "code-review", "security-review", "review"]

    let session: String
    let seed: String
    package let hasTerminal: Bool
    let limits: ControlLimits
    let digests: Digests

    var phase = Phase.starting
    var sent: [Sent] = []
    var asked: [String: Asked] = [:]
    /// Interrupts that the agent has received; they are carried out when its turn ends.
    var interrupts: [SteeringName] = []
    var stops: [SteeringName] = []
    var permissions: [ControlPermission] = []
    /// The requests about which we ask clients ourselves.
    var askedAfar: Set<String> = []
    var isInTurn = false
    /// True if the agent reports when it is done with its input.
    var tellsLifecycle = false
    var mode: String?
    var models: [String] = []
    var offeredCommands: [String] = []
    /// Number of the last choice at the terminal. No number is used twice: a typed one may be for a question that a client has
    /// answered meanwhile.
    var lastNumber = 0
    var number: Int64 = 0
    var now: Int64 = 0
    var orders: [Order] = []
    private var line: [UInt8] = []
    private var isInLongLine = false
    private var stood: (SteeringOffer, SteeringStanding)?

    /// `session`: Claude Code's own name of it. `seed`: different in every run, so that no line is taken for one of an earlier run.
    package init(session: String, seed: String, hasTerminal: Bool, digests: Digests, limits: ControlLimits = ControlLimits()) {
        self.session = session
        self.seed = seed
        self.hasTerminal = hasTerminal
        self.digests = digests
        self.limits = limits
    }

    package mutating func handle(_ fact: Fact, at now: Int64) -> [Order] {
        self.now = now
        orders = []
        switch fact {
        case .started: ask(.initialize) { ControlLine.initialize($0) }
        case .received(let bytes): take(bytes)
        case .ended: ended()
        case .typed(let text): typed(text)
        case .inputClosed, .terminated: stop()
        case .openedElsewhere(let process): openedElsewhere(process)
        case .interrupted: interruptedHere()
        case .answeredAfar(let request, let output): answeredAfar(request, output)
        case .steered(let request): steered(request)
        case .timerFired: timerFired()
        }
        for request in askedAfar.subtracting(permissions.map(\.request)).sorted() {
            askedAfar.remove(request)
            orders.append(.askNoMore(request: request))
        }
        stand()
        return orders
    }

    /// Time at which `timerFired` is due.
    package var nextDeadline: Int64? {
        let ending: Int64? =
            switch phase {
            case .stopping(let due), .closing(let due), .terminating(let due): due
            case .starting, .running, .over: nil
            }
        return (permissions.compactMap(\.due) + sent.compactMap(\.takenAt) + [ending].compactMap { $0 }).min()
    }

    var standing: SteeringStanding { !permissions.isEmpty ? .waiting : isInTurn || !sent.isEmpty ? .busy : .idle }

    // MARK: Lines

    private mutating func take(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let feed = rest.firstIndex(of: UInt8(ascii: "\n"))
            if !isInLongLine { line += rest[..<(feed ?? rest.endIndex)] }
            if line.count > limits.lineBytesMax {
                line = []
                isInLongLine = true
                say("(a line of the agent was too long and is left out)")
            }
            guard let feed else { return }
            if !isInLongLine, !line.isEmpty { received(line) }
            line = []
            isInLongLine = false
            rest = rest[(feed + 1)...]
        }
    }

    // MARK: What clients send

    private mutating func steered(_ request: SteeringRequest) {
        let name = request.name
        guard phase == .running, asked.count < limits.pendingMax, sent.count < limits.pendingMax else {
            return tell(name, .refused, phase == .starting ? "the agent is still starting" : "the session is ending")
        }
        guard stood?.0.actions.contains(request.action.kind) == true else {
            return tell(name, .refused, "this session does not take \(request.action.kind.rawValue)")
        }
        switch request.action {
        case .prompt(let prompt): self.prompt(prompt, name, by: request.by.name)
        case .interrupt:
            guard standing != .idle else { return tell(name, .refused, "nothing runs that could be interrupted") }
            ask(.interrupt(name)) { ControlLine.interrupt($0) }
        case .stop:
            stops.append(name)
            tell(name, .given)
            stop()
        case .mode(let mode):
            guard Self.modes.contains(mode) else { return tell(name, .refused, "that mode is not offered") }
            ask(.mode(mode, name)) { ControlLine.mode(mode, $0) }
        case .model(let model):
            guard models.contains(model) else { return tell(name, .refused, "that model is not offered") }
            ask(.model(model, name)) { ControlLine.model(model, $0) }
        case .askAll: tell(name, .refused, "that is for its hooks to do")
        case .launch, .ruleOff, .ruleAdd, .ruleChange, .ruleTry: tell(name, .refused, "that is for a host")
        }
    }

    private mutating func prompt(_ prompt: SteeringAction.Prompt, _ name: SteeringName, by person: String) {
        if prompt.isCommand, !offeredCommands.contains(prompt.command) {
            return tell(name, .refused, "the agent offers no such command")
        }
        // The desk gives prompts only to an idle agent, so something was typed here meanwhile.
        guard standing == .idle else { return tell(name, .refused, "the agent has begun something else just now") }
        guard prompt.pictures.allSatisfy({ $0.content != nil }) else {
            return tell(name, .refused, "its pictures did not come")
        }
        let pictures = prompt.pictures.isEmpty ? "" : " (pictures: \(prompt.pictures.count))"
        say("\(VisibleText.line(person))\(pictures): \(VisibleText.prose(prompt.text))")
        let uuid = Self.uuid(digests.name("heliograph.prompt.v1\u{0}\(name.client.rawValue)\u{0}\(name.command.rawValue)"))
        let text = prompt.isCommand ? prompt.text : Self.literal(prompt.text)
        send(text, prompt.pictures, uuid: uuid, name, isCommand: prompt.isCommand)
        tell(name, .given)
    }

    /// The text with a space before a leading slash, also one with a combining mark, which would make it a command.
    static func literal(_ text: String) -> String { text.utf8.first == UInt8(ascii: "/") ? " " + text : text }

    /// A UUID from 32 hexadecimal digits, of the version that the agent itself uses.
    package static func uuid(_ digest: String) -> String {
        var digits = Array(digest.prefix(32))
        digits[12] = "4"
        digits[16] = "8"
        for place in [20, 16, 12, 8] { digits.insert("-", at: place) }
        return String(digits)
    }

    mutating func send(_ text: String, _ pictures: [Picture] = [], uuid: String, _ name: SteeringName?, isCommand: Bool) {
        sent.append(Sent(uuid: uuid, name: name, isCommand: isCommand))
        orders.append(.send(ControlLine.prompt(text, pictures, uuid: uuid, session: session)))
    }

    mutating func ask(_ what: Asked, _ line: (String) -> [UInt8]) {
        number += 1
        let id = "heliograph-\(number)"
        asked[id] = what
        orders.append(.send(line(id)))
    }

    func nextUUID() -> String { Self.uuid(digests.name("heliograph.typed.v1\u{0}\(seed)\u{0}\(number)")) }

    // MARK: The end

    /// Stops the session. A running turn is interrupted first: an agent whose input ends would finish it with nobody there.
    mutating func stop() {
        switch phase {
        case .starting: close()
        case .running where standing == .idle: close()
        case .running:
            phase = .stopping(until: now + limits.turnGrace.milliseconds)
            ask(.interrupt(nil)) { ControlLine.interrupt($0) }
        case .stopping, .closing, .terminating, .over: break
        }
    }

    /// Handles another process that has opened the session: its person is in front of it, so the session continues there.
    private mutating func openedElsewhere(_ process: Int32) {
        guard phase == .starting || phase == .running else { return }
        say("(process \(process) has opened this session: it goes on there, and ends here)")
        stop()
    }

    mutating func close() {
        phase = .closing(until: now + limits.endGrace.milliseconds)
        orders.append(.closeInput)
    }

    private mutating func ended() {
        phase = .over
        for name in stops { tell(name, .taken, "the agent has ended") }
        for name in interrupts { tell(name, .taken, "the agent has ended") }
        for sent in sent where !sent.isTaken {
            if let name = sent.name { tell(name, .unknown, "the agent has ended") }
        }
        for case .mode(_, let name) in asked.values { tell(name, .unknown, "the agent has ended") }
        for case .model(_, let name) in asked.values { tell(name, .unknown, "the agent has ended") }
        for case .interrupt(let name?) in asked.values { tell(name, .taken, "the agent has ended") }
        (sent, asked, interrupts, stops, permissions, isInTurn) = ([], [:], [], [], [], false)
    }

    private mutating func timerFired() {
        for permission in permissions where permission.due.map({ $0 <= now }) == true {
            say("Denied: nobody decided in time.")
            let line =
                permission.form == nil
                ? ControlLine.deny(permission.request, ControlPermission.undecided)
                : ControlLine.elicited(permission.request, "cancel")
            answer(permission.request, line)
        }
        for sent in sent where sent.takenAt.map({ $0 <= now }) == true { taken(sent.uuid) }
        switch phase {
        case .stopping(let due) where due <= now: close()
        case .closing(let due) where due <= now:
            orders.append(.terminate)
            phase = .terminating(until: now + limits.terminateGrace.milliseconds)
        case .terminating(let due) where due <= now:
            orders.append(.kill)
            phase = .over
        default: break
        }
    }

    // MARK: Reports

    mutating func tell(_ name: SteeringName, _ stage: SteeringStage, _ reason: String? = nil) {
        orders.append(.tell(SteeringChange(name, stage, reason: reason)))
    }

    private mutating func stand() {
        let standing = standing
        let offer = offer
        guard stood.map({ $0.0 != offer || $0.1 != standing }) ?? (phase != .starting) else { return }
        stood = (offer, standing)
        orders.append(.stand(offer, standing))
    }

    private var offer: SteeringOffer {
        guard phase == .running else { return SteeringOffer(reason: "the session is ending") }
        guard let mode else {
            return SteeringOffer(
                actions: [.interrupt, .stop],
                reason: "The agent has not said yet whether it asks before it does something; it says so in its first turn.")
        }
        guard mode != ClaudeMode.lawless else { return ClaudeMode.offerOfLawless }
        var actions: Set<SteeringAction.Kind> = [.prompt, .interrupt, .stop, .mode]
        if !models.isEmpty { actions.insert(.model) }
        return SteeringOffer(
            actions: actions, takesPictures: true, mode: mode, modes: Self.modes, models: models, commands: offeredCommands)
    }
}
