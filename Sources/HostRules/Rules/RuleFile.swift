internal import RelayProtocol

/// Reads `rules.toml`, in a small part of TOML: tables `[[rule]]`, keys with a string or an array of strings, comments.
struct RuleFile {
    static let bytesMax = 256 << 10
    static let rulesMax = 256
    static let patternsMax = 64
    static let nameBytesMax = 64
    static let wordsBytesMax = 500
    static let timesMax = Int(WireLimits.ruleTimesMax)
    /// Adapters that a rule may name: those of the registered agents.
    static let agents = ["claude", "codex", "local"]

    private struct Table {
        var line: Int
        /// The line of its last setting.
        var lastLine: Int
        var strings: [String: (line: Int, values: [String], isArray: Bool)] = [:]
    }

    private let text: [Character]
    private var index = 0
    private var line = 1
    private var tables: [Table] = []

    static func rules(in text: String) throws(RuleError) -> [Rule] { try placedRules(in: text).map(\.rule) }

    /// The rules, each with its lines from 1: its header and its settings, without the lines above and below.
    static func placedRules(in text: String) throws(RuleError) -> [(rule: Rule, lines: ClosedRange<Int>)] {
        guard text.utf8.count <= bytesMax else { throw RuleError("the file is longer than \(bytesMax >> 10) KiB") }
        var file = RuleFile(text)
        try file.read()
        var rules: [(rule: Rule, lines: ClosedRange<Int>)] = []
        for table in file.tables {
            let rule = try Self.rule(table)
            if rules.contains(where: { $0.rule.name == rule.name }) {
                throw RuleError("a second rule is called `\(rule.name)`", line: table.line)
            }
            rules.append((rule, table.line...table.lastLine))
        }
        return rules
    }

    private init(_ text: String) {
        // To Swift, a carriage return and a newline are one character.
        self.text = text.unicodeScalars.filter { $0 != "\r" }.map { Character($0) }
    }

    // MARK: TOML

    private func problem(_ sentence: String) -> RuleError { RuleError(sentence, line: line) }
    private var next: Character? { index < text.count ? text[index] : nil }

    private mutating func read() throws(RuleError) {
        while true {
            skip(newlines: true)
            guard let next else { return }
            if next == "[" {
                guard text[index...].starts(with: Array("[[rule]]")) else { throw problem("the only table is `[[rule]]`") }
                index += "[[rule]]".count
                guard tables.count < Self.rulesMax else { throw problem("there are more than \(Self.rulesMax) rules") }
                tables.append(Table(line: line, lastLine: line))
            } else {
                try setting()
            }
            skip(newlines: false)
            guard self.next == nil || self.next == "\n" else { throw problem("something follows that does not belong there") }
        }
    }

    private mutating func skip(newlines: Bool) {
        while let next {
            switch next {
            case " ", "\t": index += 1
            case "\n" where newlines:
                index += 1
                line += 1
            case "#": while self.next != nil, self.next != "\n" { index += 1 }
            default: return
            }
        }
    }

    private static let keys: Set<String> = ["name", "answer", "for", "words", "folder", "agent", "hours", "until", "times"]

    private mutating func setting() throws(RuleError) {
        let start = index
        while let next, next.isLetter { index += 1 }
        let key = String(text[start..<index])
        guard !key.isEmpty else { throw problem("a key was expected") }
        guard Self.keys.contains(key) else { throw problem("`\(key)` is no key of a rule") }
        guard !tables.isEmpty else { throw problem("`\(key)` stands before the first `[[rule]]`") }
        skip(newlines: false)
        guard next == "=" else { throw problem("`\(key)` has no `=`") }
        index += 1
        skip(newlines: false)
        let at = line
        var values: [String] = []
        let isArray = next == "["
        if isArray {
            index += 1
            skip(newlines: true)
            while next != "]" {
                values.append(try string())
                skip(newlines: true)
                if next == "," {
                    index += 1
                    skip(newlines: true)
                } else if next != "]" {
                    throw problem("an array does not end")
                }
            }
            index += 1
        } else {
            values = [key == "times" ? try number() : try string()]
        }
        guard tables[tables.count - 1].strings.updateValue((at, values, isArray), forKey: key) == nil else {
            throw RuleError("`\(key)` is set twice", line: at)
        }
        tables[tables.count - 1].lastLine = line
    }

    private mutating func number() throws(RuleError) -> String {
        let start = index
        while let next, next.isASCII, next.isNumber { index += 1 }
        guard index > start else { throw problem("a number was expected") }
        return String(text[start..<index])
    }

    private mutating func string() throws(RuleError) -> String {
        guard let quote = next, quote == "\"" || quote == "'" else { throw problem("a string in quotes was expected") }
        index += 1
        if text[index...].starts(with: [quote, quote]) { throw problem("strings of several lines are not read") }
        var value = ""
        while let character = next, character != quote {
            index += 1
            let isControl = character.unicodeScalars.contains { $0.value < 0x20 && $0 != "\t" }
            if isControl { throw problem("a string does not end on its line") }
            guard character == "\\", quote == "\"" else {
                value.append(character)
                continue
            }
            switch next {
            case "\"", "\\": value.append(text[index])
            case "n": value.append("\n")
            case "t": value.append("\t")
            default: throw problem("only \\\" \\\\ \\n \\t are escapes here; in 'single quotes' there are none")
            }
            index += 1
        }
        guard next == quote else { throw problem("a string does not end") }
        index += 1
        return value
    }

    // MARK: Rules

    private static func rule(_ table: Table) throws(RuleError) -> Rule {
        func one(_ key: String) throws(RuleError) -> String? {
            guard let (line, values, isArray) = table.strings[key] else { return nil }
            guard !isArray, let value = values.first, !value.isEmpty else {
                throw RuleError("`\(key)` is one string", line: line)
            }
            return value
        }
        func required(_ key: String) throws(RuleError) -> String {
            guard let value = try one(key) else { throw RuleError("the rule has no `\(key)`", line: table.line) }
            return value
        }
        func at(_ key: String) -> Int { table.strings[key]?.line ?? table.line }
        let name = try required("name")
        let isName =
            name.utf8.count <= nameBytesMax
            && name.utf8.allSatisfy {
                $0.isLetterOrDigit || "_-.".utf8.contains($0)
            }
        guard isName else {
            throw RuleError("a name has letters, digits, `-`, `_` and `.`, at most \(nameBytesMax)", line: at("name"))
        }
        guard let answer = Rule.Answer(rawValue: try required("answer")) else {
            throw RuleError("`answer` is allow, deny, ask or passkey", line: at("answer"))
        }
        guard let (line, texts, _) = table.strings["for"], !texts.isEmpty else {
            throw RuleError("the rule has no `for`", line: table.line)
        }
        guard texts.count <= patternsMax else { throw RuleError("a rule has at most \(patternsMax) patterns", line: line) }
        var patterns: [RulePattern] = []
        for text in texts {
            do throws(RuleError) {
                patterns.append(try RulePattern(parsing: text, for: answer))
            } catch { throw RuleError("in `\(text)`: \(error.sentence)", line: line) }
        }
        var rule = Rule(name: name, answer: answer, patterns: patterns)
        rule.words = try one("words")
        if let words = rule.words, answer != .deny || words.utf8.count > wordsBytesMax {
            throw RuleError("`words` are for a rule that denies, at most \(wordsBytesMax) bytes", line: at("words"))
        }
        rule.folder = try one("folder")
        if let folder = rule.folder, !folder.hasPrefix("/"), !folder.hasPrefix("~/") {
            throw RuleError("`folder` is absolute or begins with `~/`", line: at("folder"))
        }
        rule.agent = try one("agent")
        if let agent = rule.agent, !agents.contains(agent) {
            let names = agents.dropLast().joined(separator: ", ") + " or " + agents[agents.count - 1]
            throw RuleError("`agent` is \(names)", line: at("agent"))
        }
        if let hours = try one("hours") {
            guard let read = self.hours(hours) else { throw RuleError("`hours` are like \"09:00-18:00\"", line: at("hours")) }
            rule.hours = read
        }
        rule.until = try one("until")
        if let until = rule.until, !isDay(until) {
            throw RuleError("`until` is a day, like \"2026-12-24\"", line: at("until"))
        }
        if let times = try one("times") {
            guard answer == .allow, let number = Int(times), (1...timesMax).contains(number) else {
                throw RuleError("`times` is for a rule that allows, from 1 to \(timesMax)", line: at("times"))
            }
            rule.times = number
        }
        return rule
    }

    private static func hours(_ text: String) -> RuleHours? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).compactMap { minute($0) }
        guard ends.count == 2, ends[0] != ends[1], text.utf8.count == 11 else { return nil }
        return RuleHours(begin: ends[0], end: ends[1])
    }

    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60, hour * 60 + minute <= 24 * 60
        else { return nil }
        return hour * 60 + minute
    }

    private static func isDay(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2], parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else {
            return false
        }
        return (1...12).contains(Int(parts[1]) ?? 0) && (1...31).contains(Int(parts[2]) ?? 0)
    }
}
