import HostCore
import RelayProtocol

@testable import AgentClaude

/// A Claude Code with its own screen, a person who types at it, and remote people, all driven by one seed: keys take a while, the
/// screen is late, dialogs open and turns begin at any time. Every character that the person types is unique, so that a lost one is
/// noticed.
struct SimulatedTerminal {
    /// Faults planted on purpose, to show that the checks find them.
    enum Plant: CaseIterable { case keysAreNotHeld, enterTwice, stashIsNotShown, dialogIsNotSeen }

    private enum Key { case person(Character), personEnter, paste(String), enter, stash, delete(Int), other }

    private(set) var violations: [String] = []
    private(set) var outcomes: [String: SteeringStage] = [:]
    private(set) var submitted: [String] = []
    /// Texts sent by our Enter, not the person's.
    private var ours: [String] = []
    private let plant: Plant?
    private var machine = TypingMachine(mode: "default")
    private var state: UInt64
    private var now: Int64 = 1_000

    // The program.
    private var draft = ""
    private var stash: String?
    private var dialog: Int64?
    private var turnUntil: Int64?
    private var keys: [(key: Key, at: Int64, isOurs: Bool)] = []
    private var hooks: [(text: String, at: Int64, isPersons: Bool)] = []
    private var screens: [(box: PromptBox?, at: Int64)] = []

    // The program that holds the terminal.
    private var held: [Key]?
    private var heldSince: Int64 = 0

    // The people.
    private var typed: [Character] = []
    private var swallowed: Set<Character> = []
    private var sent: [String: String] = [:]
    private var isTyping = false

    init(seed: UInt64, plant: Plant? = nil) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        self.plant = plant
        tell(.opened)
    }

    mutating func run(steps: Int = 3_000) {
        for _ in 0..<steps {
            now += 10
            people()
            program()
            look()
            if let due = machine.nextDeadline, due <= now { tell(.timerFired) }
        }
        // Everything comes to rest.
        isTyping = false
        for _ in 0..<4_000 {
            now += 10
            if dialog.map({ now - $0 > 1_000 }) == true { dialog = nil }
            program()
            look()
            if let due = machine.nextDeadline, due <= now { tell(.timerFired) }
        }
        check()
    }

    // MARK: Chance

    private mutating func chance(_ one: UInt64, in many: UInt64) -> Bool { number(many) < one }

    private mutating func number(_ below: UInt64) -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state % below
    }

    // MARK: People

    private mutating func people() {
        if chance(1, in: 150) { isTyping.toggle() }
        if isTyping, dialog == nil, chance(1, in: 12) {
            guard let scalar = Unicode.Scalar(0x4E00 + UInt32(typed.count)) else { return }
            typed.append(Character(scalar))
            press(.person(Character(scalar)))
        }
        // The person opens another conversation, for example by /clear.
        if dialog == nil, !isTyping, chance(1, in: 2_000) { tell(.opened) }
        if dialog == nil, !isTyping, chance(1, in: 900) { press(.personEnter) }
        if chance(1, in: 300) { afar() }
    }

    private mutating func press(_ key: Key) {
        if held != nil, plant != .keysAreNotHeld {
            if held?.isEmpty == true { heldSince = now }
            held?.append(key)
            return tell(.keyHeld)
        }
        enqueue(key, isOurs: false)
        tell(.keyTyped)
    }

    private mutating func afar() {
        let id = "p\(sent.count)"
        let lines = (0...number(3)).map { "text \(sent.count) line \($0)" }
        sent[id] = lines.joined(separator: "\n")
        let by = Named<ClientTag>(id: ClientID("phone")!, name: "Ada")
        let action = SteeringAction.prompt(.init(text: sent[id] ?? ""))
        tell(.steered(SteeringRequest(command: CommandID(id)!, session: TypingBench.session, by: by, action: action)))
    }

    // MARK: The program

    private mutating func enqueue(_ key: Key, isOurs: Bool) {
        let delay = chance(1, in: 40) ? Int64(number(400)) : Int64(number(40))
        keys.append((key, max(now + delay, keys.last?.at ?? 0), isOurs))
    }

    private mutating func program() {
        while let next = keys.first, next.at <= now {
            keys.removeFirst()
            take(next.key, isOurs: next.isOurs)
            draw()
        }
        while let next = hooks.first, next.at <= now {
            hooks.removeFirst()
            answered = nil
            tell(.prompted(next.text, in: TypingBench.session, mode: "default", TypingToken(1)))
            if answered == true {
                draft = next.text + draft
            } else {
                begin(next.text)
                if !next.isPersons { ours.append(next.text) }
            }
            draw()
        }
        if let until = turnUntil, until <= now {
            turnUntil = nil
            draw()
        }
        if dialog == nil, chance(1, in: turnUntil == nil ? 1_500 : 200) {
            dialog = now
            draw()
        } else if let since = dialog, now - since > 800, chance(1, in: 150) {
            dialog = nil
            draw()
        }
    }

    private var answered: Bool?

    private mutating func begin(_ text: String) {
        submitted.append(text)
        turnUntil = now + Int64(number(2_000)) + 100
    }

    private mutating func take(_ key: Key, isOurs: Bool) {
        if let since = dialog {
            // Enter means Yes, but not in the dialog's first half second; other keys are lost.
            if case .enter = key, now - since > 500 { violations.append("Enter answered a dialog") }
            if plant != .dialogIsNotSeen {
                if case .person(let character) = key { swallowed.insert(character) }
                return
            }
        }
        switch key {
        case .person(let character): draft.append(character)
        case .paste(let text): draft += text
        case .delete(let count): for _ in 0..<count { deleteRow() }
        case .stash:
            if draft.isEmpty {
                draft = stash ?? ""
                stash = nil
            } else {
                stash = draft
                draft = ""
            }
        case .personEnter, .enter:
            guard !draft.isEmpty else { return }
            hooks.append((draft, max(now + Int64(number(300)) + 20, hooks.last?.at ?? 0), !isOurs))
            draft = stash ?? ""
            stash = nil
        case .other: break
        }
    }

    private mutating func deleteRow() {
        if draft.hasSuffix("\n") {
            draft.removeLast()
        } else {
            draft = draft.lastIndex(of: "\n").map { String(draft[...$0]) } ?? ""
        }
    }

    private mutating func draw() {
        var box: PromptBox?
        if dialog == nil || plant == .dialogIsNotSeen {
            box = PromptBox(rows: draft.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
            box?.isStashUsed = stash != nil && plant != .stashIsNotShown
            box?.mode = "default"
        }
        screens.append((box, max(now + Int64(number(60)), screens.last?.at ?? 0)))
    }

    // MARK: Its owner

    private mutating func look() {
        let isBusy = turnUntil != nil || !hooks.isEmpty
        tell(.does(dialog != nil && plant != .dialogIsNotSeen ? .waiting : isBusy ? .busy : .idle))
        while let next = screens.first, next.at <= now {
            screens.removeFirst()
            tell(.shows(next.box))
        }
    }

    private mutating func tell(_ fact: TypingFact) {
        var facts = [fact]
        while !facts.isEmpty {
            for order in machine.handle(facts.removeFirst(), at: now) {
                switch order {
                case .write(let bytes): write(bytes)
                case .hold: held = held ?? []
                case .release:
                    let heldFor = held?.isEmpty == false ? now - heldSince : 0
                    if heldFor > 2_010 { violations.append("keys were held for \(heldFor) ms") }
                    let all = held ?? []
                    held = nil
                    for key in all { enqueue(key, isOurs: false) }
                    if !all.isEmpty { facts.append(.keyTyped) }
                case .answer(_, let refusal): answered = refusal != nil
                case .tell(let change):
                    if change.stage.isFinal {
                        let id = change.name.command.rawValue
                        if outcomes[id] != nil { violations.append("\(id) has two outcomes") }
                        outcomes[id] = change.stage
                    }
                case .stand, .followTranscript, .hangUp, .kill: break
                }
            }
        }
    }

    private mutating func write(_ bytes: [UInt8]) {
        switch bytes {
        case [0x0D]:
            enqueue(.enter, isOurs: true)
            if plant == .enterTwice { enqueue(.enter, isOurs: true) }
        case [0x13]: enqueue(.stash, isOurs: true)
        case _ where bytes.allSatisfy({ $0 == 0x15 }): enqueue(.delete(bytes.count), isOurs: true)
        default:
            for piece in String(decoding: bytes, as: UTF8.self).split(separator: "\u{1B}[201~") {
                enqueue(.paste(String(piece.dropFirst(6))), isOurs: true)
            }
        }
    }

    // MARK: What must hold

    private mutating func check() {
        for (id, text) in sent {
            let times = submitted.count { $0.contains(text) }
            if times > 1 { violations.append("\(id) was sent \(times) times") }
            switch outcomes[id] {
            case nil: violations.append("\(id) has no outcome")
            case .taken: if times != 1 { violations.append("\(id) counts as taken and was not") }
            // The person may send a text that was returned to the line.
            case .refused:
                if ours.contains(where: { $0.contains(text) }) { violations.append("\(id) counts as not taken and was") }
            default: break
            }
        }
        for text in submitted where text.contains("text ") && text.contains(where: typed.contains) {
            // The person may send a text that is reported as left in the line.
            if sent.contains(where: { text.contains($0.value) && outcomes[$0.key] == .taken }) {
                violations.append("mixed: \(text)")
            }
        }
        if ours.contains(where: { $0.contains(where: typed.contains) }) {
            violations.append("our Enter sent what the person typed")
        }
        let kept = Set((submitted + [draft, stash ?? ""]).joined())
        for character in typed where !kept.contains(character) && !swallowed.contains(character) {
            violations.append("the person's \(character) is lost")
            break
        }
    }
}
