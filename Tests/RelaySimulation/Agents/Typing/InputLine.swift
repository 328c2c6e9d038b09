import AgentClaude

/// The input line of a simulated Claude Code: keys arrive late and in order, its output is seen later still, and while a dialog is
/// open no typed text arrives.
final class InputLine {
    enum Key {
        case text(String)
        case enter, stash, escape, nextMode
        case deleteRow
    }

    private static let modes = ["default", "acceptEdits", "plan", "auto"]
    /// Milliseconds for which a new dialog ignores keys.
    private static let guardTime: Int64 = 500

    private unowned let world: World
    private(set) var draft = ""
    private(set) var stash: String?
    private(set) var mode = "default"
    /// Texts typed by the person, which must not be lost.
    private var persons: Set<String> = []
    private var lastKeyAt: Int64 = 0
    private var lastDrawAt: Int64 = 0
    private var isOpen = true

    /// Time since which a dialog is open.
    var dialogSince: () -> Int64? = { nil }
    var mayEnter: (_ isOurs: Bool) -> Bool = { _ in true }
    var submitted: (_ text: String, _ isOurs: Bool) -> Void = { _, _ in }
    var escaped: () -> Void = {}
    var drew: (PromptBox?) -> Void = { _ in }

    init(world: World) { self.world = world }

    func close() { isOpen = false }

    // MARK: Keys

    func press(_ key: Key, isOurs: Bool) {
        let delay = world.dice.chance(0.025) ? world.dice.within(0...300) : world.dice.within(0...40)
        lastKeyAt = max(lastKeyAt, world.now + delay)
        world.at(lastKeyAt) { [self] _ in
            guard isOpen else { return }
            take(key, isOurs: isOurs)
            draw()
        }
    }

    private func take(_ key: Key, isOurs: Bool) {
        if let since = dialogSince() {
            guard isOurs else { return }
            if world.now - since > Self.guardTime {
                if case .enter = key { return world.report(.freedom, "Enter that nobody pressed answers a dialog") }
                return world.report(.steering, "something is typed into a dialog")
            }
            if case .escape = key { escaped() }
            return
        }
        switch key {
        case .text(let text):
            draft += text
            if !isOurs { persons.insert(text) }
        case .deleteRow: draft = ""
        case .stash: (draft, stash) = draft.isEmpty ? (stash ?? "", nil) : ("", draft)
        case .escape: escaped()
        case .nextMode:
            let place = Self.modes.firstIndex(of: mode) ?? 0
            mode = Self.modes[(place + 1) % Self.modes.count]
        case .enter:
            guard !draft.isEmpty, mayEnter(isOurs) else { return }
            let text = draft
            (draft, stash) = (stash ?? "", nil)
            persons = persons.filter { !text.contains($0) }
            submitted(text, isOurs)
        }
        let kept = draft + (stash ?? "")
        if let lost = persons.sorted().first(where: { !kept.contains($0) }) {
            world.report(.steering, "what the person typed is lost: \(lost)")
        }
    }

    /// The text was rejected and returns to the line.
    func giveBack(_ text: String) {
        draft = text + draft
        draw()
    }

    // MARK: The screen

    func draw() {
        var box: PromptBox?
        if dialogSince() == nil || world.plant == .unseenDialog {
            box = PromptBox(rows: [draft])
            box?.isStashUsed = stash != nil
            box?.mode = mode
        }
        lastDrawAt = max(lastDrawAt, world.now + world.dice.within(0...60))
        world.at(lastDrawAt) { [self] _ in if isOpen { drew(box) } }
    }
}
