import HostRules

/// A rule of a simulated host, and the commands that it is about by a table that knows no patterns.
struct SimulatedRule {
    private static let commands = [
        "Bash(ls)": "ls", "Bash(make)": "make", "Bash(rm)": "rm", "Bash(make:*)": "make", "Bash(rm:*)": "rm",
    ]

    /// What a thief would have a host take.
    static let stolen = SimulatedRule("stolen", .allow, ["Bash(rm)"])

    let name: String
    let answer: Rule.Answer
    private let patterns: [String]

    init(_ name: String, _ answer: Rule.Answer, _ patterns: [String]) {
        (self.name, self.answer, self.patterns) = (name, answer, patterns)
    }

    /// As `text` writes it.
    init?(text: String) {
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
        let quoted = parts.filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
        guard quoted.count > 2, let answer = Rule.Answer(rawValue: quoted[1]) else { return nil }
        self.init(quoted[0], answer, Array(quoted[2...]))
    }

    static func drawn(named name: String, by dice: inout Dice) -> SimulatedRule {
        let answer = dice.pick([.allow, .allow, .deny, .ask] as [Rule.Answer])
        return SimulatedRule(name, answer, [dice.pick(commands.keys.sorted())])
    }

    var text: String {
        """
        [[rule]]
        name = "\(name)"
        answer = "\(answer.rawValue)"
        for = [\(patterns.map { "\"\($0)\"" }.joined(separator: ", "))]
        """
    }

    func isAbout(_ command: String) -> Bool { patterns.contains { Self.commands[$0] == command } }
}
