/// A pattern of simple commands, word by word: `npm run *`, `git status`, `NODE_ENV=test npm test:*`.
///
/// A final star matches any number of arguments; one elsewhere matches one word, or a part of one. To allow, a pattern must name
/// the program and all assignments before it, and a star matches plain words only (`StarLimits`). To deny or ask, stars match any
/// number of words, the program is compared by the last part of its path, and case is ignored.
package struct CommandPattern: Equatable, Sendable {
    let assignments: [String]
    let words: [Glob]
    /// The last part of the program's path.
    private let base: Glob
    /// True if any arguments may follow.
    let isOpen: Bool

    init(parsing text: String) throws(RuleError) {
        var text = text
        var isOpen = false
        if text.hasSuffix(":*") {
            text.removeLast(2)
            isOpen = true
        }
        var words = try Self.split(text)
        if !isOpen, words.count > 1, words.last?.isStar == true {
            words.removeLast()
            isOpen = true
        }
        let count = words.prefix { Self.isAssignment($0) }.count
        assignments = words.prefix(count).map { $0.parts[0] }
        self.words = Array(words.dropFirst(count))
        self.isOpen = isOpen
        guard let program = self.words.first else { throw RuleError("the pattern names no program") }
        base = program.isLiteral ? Glob(literal: ExactPrograms.baseName(program.parts[0])) : program
    }

    var namesProgram: Bool { words[0].isLiteral }
    private var hasStar: Bool { isOpen || words.contains { !$0.isLiteral } }

    /// Splits a pattern into words at blanks. Quotes keep blanks together, and a star in quotes is literal.
    private static func split(_ text: String) throws(RuleError) -> [Glob] {
        var words: [Glob] = []
        // The parts of the current word; empty between words.
        var parts: [String] = []
        var quote: Character?
        for character in text {
            if let open = quote {
                if character == open { quote = nil } else { parts[parts.count - 1].append(character) }
                continue
            }
            switch character {
            case " ", "\t":
                if !parts.isEmpty { words.append(Glob(parts: parts)) }
                parts = []
                continue
            case "'", "\"":
                quote = character
                if parts.isEmpty { parts = [""] }
            case "*": parts = (parts.isEmpty ? [""] : parts) + [""]
            case ";", "&", "|", "<", ">", "(", ")", "`", "\n", "\r":
                throw RuleError("`\(character)` belongs to no simple command")
            case "$", "\\": throw RuleError("`\(character)` stands for something that no pattern can know")
            default:
                if parts.isEmpty { parts = [""] }
                parts[parts.count - 1].append(character)
            }
        }
        guard quote == nil else { throw RuleError("a quote is not closed") }
        if !parts.isEmpty { words.append(Glob(parts: parts)) }
        return words
    }

    private static func isAssignment(_ word: Glob) -> Bool {
        guard word.isLiteral, let sign = word.parts[0].firstIndex(of: "="), sign != word.parts[0].startIndex else {
            return false
        }
        return word.parts[0][..<sign].utf8.allSatisfy {
            $0.isLetterOrDigit || $0 == UInt8(ascii: "_")
        }
    }

    // MARK: To allow

    func covers(_ run: ProgramRun, starsCount: Bool) -> Bool {
        guard let program = run.program, run.cover != .none, !hasStar || (starsCount && run.cover == .any) else { return false }
        guard !run.mayRunInput else { return false }
        guard run.assignments.allSatisfy(\.isKnown), run.assignments.map(\.text) == assignments else { return false }
        guard run.words.count >= words.count, isOpen || run.words.count == words.count else { return false }
        for (word, pattern) in zip(run.words, words) {
            guard word.isKnown, pattern.matches(word.text) else { return false }
            if !pattern.isLiteral, !StarLimits.take([word], of: program) { return false }
        }
        let rest = run.words[words.count...]
        if !rest.isEmpty, StarLimits.launches(run.words[..<words.count].dropFirst(), of: program) { return false }
        return StarLimits.take(rest, of: program)
    }

    // MARK: To deny or ask

    private static let piecesMax = 1024

    func concerns(_ runs: ProgramRuns) -> Match {
        let found = runs.runs.map { concerns($0) }.max() ?? .no
        guard found == .no else { return found }
        return runs.isUnclear || runs.possible.contains { concerns($0) != .no } ? .maybe : .no
    }

    private func concerns(_ run: ProgramRun) -> Match {
        guard run.words.count <= ProgramRun.wordsMax else { return .maybe }
        let found = concerns(run.words[...])
        if found != .no { return found }
        // Options may be between the words that matter.
        if run.runsUnseen || run.hasCode || mayBe(run.words[...]) { return .maybe }
        // `git-push` is `git push`.
        if let parts = run.baseName?.split(separator: "-", maxSplits: 1), parts.count == 2 {
            let command = parts.map { ShellWord(String($0)) } + run.words.dropFirst()
            if concerns(command[...]) != .no || mayBe(command[...]) { return .maybe }
        }
        // Any word may be the first of a command that it runs, and one word may contain all of that command.
        let searched = run.searched
        let pieces = (searched + run.assignments).flatMap(\.pieces)
        guard pieces.count <= Self.piecesMax else { return .maybe }
        let isFound =
            mayBegin(anywhereIn: searched, orUnknown: run.mayRunOthers) || mayBegin(anywhereIn: pieces[...])
            || mayBe(run.words.prefix(1) + pieces)
        return isFound ? .maybe : .no
    }

    private func mayBegin(anywhereIn words: ArraySlice<ShellWord>, orUnknown: Bool = false) -> Bool {
        words.indices.contains { start in
            // Most words are not the name of such a program.
            let isOne =
                words[start].isKnown
                ? base.matches(ExactPrograms.baseName(words[start].text), ignoringCase: true) : orUnknown
            return isOne && (concerns(words[start...]) != .no || mayBe(words[start...]))
        }
    }

    /// True if the command has the program and, in order and with any others between, all literal words; options in any order and
    /// in other spellings. An unknown word may be all that is missing, unless a plain word before it is not the pattern's.
    private func mayBe(_ command: ArraySlice<ShellWord>) -> Bool {
        guard let first = command.first, first.isKnown, base.matches(ExactPrograms.baseName(first.text), ignoringCase: true)
        else {
            return false
        }
        let arguments = command.dropFirst()
        let literals = words.dropFirst().filter(\.isLiteral)
        let names = literals.filter { !$0.parts[0].hasPrefix("-") }
        if let wanted = names.first, let given = arguments.first, given.isKnown, !given.text.hasPrefix("-"),
            !wanted.matches(given.text, ignoringCase: true)
        {
            // Another subcommand, whose unknown words are its own.
        } else if arguments.contains(where: { !$0.isKnown }) {
            return true
        }
        var rest = arguments
        for name in names {
            guard let place = rest.firstIndex(where: { $0.isKnown && name.matches($0.text, ignoringCase: true) }) else {
                return false
            }
            rest = rest[(place + 1)...]
        }
        return literals.allSatisfy { !$0.parts[0].hasPrefix("-") || OptionSpelling.mayGive($0.parts[0], arguments) }
    }

    private func concerns(_ command: ArraySlice<ShellWord>) -> Match {
        guard let first = command.first else { return .no }
        guard first.isKnown else { return .maybe }
        guard base.matches(ExactPrograms.baseName(first.text), ignoringCase: true) else { return .no }
        let command = [ShellWord(ExactPrograms.baseName(first.text))] + command.dropFirst()
        let patterns = [base] + words.dropFirst() + (isOpen ? [Glob("*")] : [])
        var states: Set<Int> = [0]
        func spread(_ states: Set<Int>) -> Set<Int> {
            var all = states
            for state in states.sorted() {
                var next = state
                while next < patterns.count, next > 0, patterns[next].isStar {
                    next += 1
                    all.insert(next)
                }
            }
            return all
        }
        for word in command {
            guard word.isKnown else {
                return isOpen && states.contains(patterns.count) ? .yes : states.isEmpty ? .no : .maybe
            }
            var next: Set<Int> = []
            for state in states where state < patterns.count {
                let pattern = patterns[state]
                if pattern.isStar { next.insert(state) }
                if pattern.matches(word.text, ignoringCase: true) { next.insert(state + 1) }
            }
            states = spread(next)
            if states.isEmpty { return .no }
        }
        return states.contains(patterns.count) ? .yes : .no
    }
}
