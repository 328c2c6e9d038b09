internal import RelayProtocol

/// A rule that would have answered past calls as a person did each time.
package struct RuleSuggestion: Equatable, Sendable {
    package var rule: Rule
    /// Indices of the calls that it would have answered and no earlier suggestion would.
    package var calls: [Int]

    /// Equal answers of a person before a rule is suggested.
    package static let callsMin = 5
    /// Different calls before a star is suggested.
    private static let differentMin = 3
    private static let suggestionsMax = 20
    /// Most candidates; each is compared with every call.
    private static let candidatesMax = 100
    /// Most calls that are read, the newest first.
    private static let lookedAtMax = 5_000

    /// The suggestions, the narrowest first: a call as it was, then one with a star. None would have answered any call differently
    /// than a person.
    package static func list(for calls: [PastCall], look: (String) -> String?) -> [RuleSuggestion] {
        let calls = calls.suffix(lookedAtMax)
        var found: [RuleSuggestion] = []
        var answered: Set<Int> = []
        for hasStar in [false, true] {
            for (candidate, indices) in candidates(in: calls, hasStar: hasStar) {
                let open = indices.filter { !answered.contains($0) }
                guard found.count < suggestionsMax, open.count >= callsMin,
                    !hasStar || Set(open.map { calls[$0].call.input?.bytes ?? [] }).count >= differentMin,
                    let rule = rule(candidate, named: found.map(\.rule.name), in: open.map { calls[$0].call })
                else { continue }
                let book = RuleBook(rules: [rule])
                let judged = calls.indices.filter { index in
                    switch calls[index].verdict(of: book, look: look) {
                    case .allow, .deny: true
                    case .ask, .passkey: false
                    }
                }
                let fresh = judged.filter { calls[$0].answer != nil && !answered.contains($0) }
                guard judged.allSatisfy({ calls[$0].answer == nil || calls[$0].answer == candidate.answer }),
                    fresh.count >= callsMin
                else { continue }
                found.append(RuleSuggestion(rule: rule, calls: fresh))
                answered.formUnion(fresh)
            }
        }
        return found
    }

    private struct Candidate: Hashable {
        var pattern: String
        var answer: PastCall.Answer
        var agent: String
        var folder: String?
    }

    /// Candidates, each with the indices of its calls; the most frequent first, then the earliest.
    private static func candidates(in calls: ArraySlice<PastCall>, hasStar: Bool) -> ArraySlice<(Candidate, [Int])> {
        var indices: [Candidate: [Int]] = [:]
        for (index, past) in zip(calls.indices, calls) {
            guard let answer = past.answer, let pattern = pattern(for: past.call, hasStar: hasStar) else { continue }
            let candidate = Candidate(pattern: pattern, answer: answer, agent: past.call.agent, folder: past.call.folder)
            indices[candidate, default: []].append(index)
        }
        let many = indices.filter { $0.value.count >= callsMin }
        return many.sorted { (-$0.value.count, $0.value[0]) < (-$1.value.count, $1.value[0]) }.map { ($0.key, $0.value) }
            .prefix(candidatesMax)
    }

    /// The pattern for a call; nil if there is none, or only a wider one.
    private static func pattern(for call: RuleCall, hasStar: Bool) -> String? {
        guard let members = try? call.input?.members() else { return nil }
        func text(_ key: String) -> String? { members.first { $0.key == key }.flatMap { try? $0.value.string() } }
        if RuleSubject.isShell(call.tool) {
            guard let line = text("command") else { return nil }
            guard hasStar else { return line.contains("*") ? nil : "Bash(\(line))" }
            // The program and its subcommand, as in `git log`.
            let words = line.split(separator: " ")
            guard words.count > 2, words.prefix(2).allSatisfy({ $0.utf8.allSatisfy(isPlain) }) else { return nil }
            return "Bash(\(words[0]) \(words[1]):*)"
        }
        if let verb = RuleSubject.verb(of: call.tool) {
            guard let path = (text("file_path") ?? text("notebook_path") ?? text("path")),
                let file = RulePath.absolute(path, in: call.folder, home: call.home), let folder = call.folder,
                RulePath.isInside(RulePath.normalized(folder), file)
            else { return nil }
            let name = file.dropFirst(RulePath.normalized(folder).utf8.count + 1)
            // A bare name would match at any depth.
            guard hasStar else { return name.contains("*") ? nil : "\(verb)(./\(name))" }
            return name.lastIndex(of: "/").map { "\(verb)(\(name[..<$0])/*)" }
        }
        guard !hasStar else { return nil }
        if call.tool == "WebFetch" { return text("url").flatMap(RuleAddress.host).map { "WebFetch(domain:\($0))" } }
        return call.tool.hasPrefix("mcp__") ? call.tool : nil
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || byte == 0x2D || byte == 0x5F
    }

    private static func rule(_ candidate: Candidate, named used: [String], in calls: [RuleCall]) -> Rule? {
        let answer: Rule.Answer = candidate.answer == .allowed ? .allow : .deny
        guard let pattern = try? RulePattern(parsing: candidate.pattern, for: answer) else { return nil }
        var rule = Rule(name: name(candidate.pattern, beside: used), answer: answer, patterns: [pattern])
        rule.folder = candidate.folder
        rule.agent = candidate.agent
        return rule
    }

    private static func name(_ pattern: String, beside used: [String]) -> String {
        let words = pattern.utf8.split { !isPlain($0) || $0 == 0x2D }.map { String(decoding: $0, as: UTF8.self).lowercased() }
        let base = String(words.joined(separator: "-").prefix(40))
        return used.contains(base) ? (2...).lazy.map { "\(base)-\($0)" }.first { !used.contains($0) } ?? base : base
    }
}

extension Rule {
    /// The rule's text for `rules.toml`.
    package var toml: String {
        func quoted(_ text: String) -> String {
            "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        }
        var lines = [
            "[[rule]]", "name = \(quoted(name))", "answer = \(quoted(answer.rawValue))",
            "for = [\(patterns.map { quoted($0.text) }.joined(separator: ", "))]",
        ]
        if let folder { lines.append("folder = \(quoted(folder))") }
        if let agent { lines.append("agent = \(quoted(agent))") }
        return lines.joined(separator: "\n")
    }
}
