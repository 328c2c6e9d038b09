/// The owner's rules, and their answers.
///
/// Deny beats passkey beats ask beats allow. A call is allowed only if all of it is covered. An unreadable, unknown or conflicting
/// call is put before a person, and so is a call that no rule matches.
package struct RuleBook: Equatable, Sendable {
    package enum Verdict: Equatable, Sendable {
        /// The rules that together cover the call, in the file's order.
        case allow([String])
        case deny(String, words: String?)
        /// A person is asked, for this reason, and because of this rule if there is one.
        case ask(String, rule: String?)
        /// A person is asked, whose passkey has to confirm an allow.
        case passkey(rule: String)
    }

    package let rules: [Rule]

    package init(rules: [Rule] = []) { self.rules = rules }

    package init(parsing text: String) throws(RuleError) { rules = try RuleFile.rules(in: text) }

    /// The book of a file with a text added at its end, which must be exactly one rule and change no other.
    package func adding(_ text: String, to file: String) throws(RuleError) -> RuleBook {
        try Self.checkIsOne(text)
        let book = try RuleBook(parsing: file)
        guard book.rules.count == rules.count + 1, book.rules.dropLast() == rules[...] else {
            throw RuleError("it would change other rules")
        }
        return book
    }

    /// The file with the lines of one rule replaced by a text, and a remark above it. The text must be exactly one rule, and no
    /// other rule may change.
    package func replacing(_ name: String, by text: String, under remark: String, in file: String) throws(RuleError) -> String {
        try Self.checkIsOne(text)
        let placed = try RuleFile.placedRules(in: file)
        guard placed.map(\.rule) == rules, let place = placed.firstIndex(where: { $0.rule.name == name }) else {
            throw RuleError("there is no rule `\(name)`")
        }
        var lines = file.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let old = placed[place].lines
        lines.replaceSubrange(old.lowerBound - 1...old.upperBound - 1, with: [remark, text])
        let changed = lines.joined(separator: "\n")
        let after = try RuleBook(parsing: changed).rules
        guard after.count == rules.count, after[..<place] == rules[..<place], after[(place + 1)...] == rules[(place + 1)...]
        else { throw RuleError("it would change other rules") }
        return changed
    }

    private static func checkIsOne(_ text: String) throws(RuleError) {
        guard try RuleBook(parsing: text).rules.count == 1 else { throw RuleError("it is not exactly one rule") }
    }

    /// The answer to a call. `allows`: rules that allow apply. `look`: resolves the links in a path, as far as it exists; nil if
    /// that cannot be done.
    package func judge(
        _ call: RuleCall, at moment: RuleMoment, allows: Bool = true, look: (String) -> String?
    ) -> Verdict {
        let held = rules.filter { $0.holds(for: call, at: moment, look: look) }
        // The call with its folders once links are followed.
        var real = call
        real.folder = call.folder.flatMap(look).map(RulePath.normalized)
        real.home = look(call.home).map(RulePath.normalized) ?? call.home
        let keepsFiles = held.contains { $0.answer != .allow && $0.patterns.contains(where: \.isAboutFiles) }
        let subject = RuleSubject(call, namesFiles: keepsFiles, look: look)
        var asked: Verdict?
        var proved: String?
        for rule in held where rule.answer != .allow {
            for pattern in rule.patterns {
                switch max(subject.concern(of: pattern, call), subject.concern(of: pattern, real)) {
                case .no: continue
                case .yes where rule.answer == .deny: return .deny(rule.name, words: rule.words)
                // A possible match counts too: a passkey too many gives no freedom.
                case _ where rule.answer == .passkey: proved = proved ?? rule.name
                case .yes: asked = .ask("the rule says so", rule: rule.name)
                case .maybe: asked = asked ?? .ask("whether this rule is about it cannot be said", rule: rule.name)
                }
            }
        }
        if let proved { return .passkey(rule: proved) }
        if let asked { return asked }
        guard allows else { return .ask("rules that allow are off", rule: nil) }
        // A star may match a path to files that a rule keeps from the agent.
        return subject.coverage(by: held.filter { $0.answer == .allow }, call, starsCount: !keepsFiles)
    }
}
