/// The owner's rules, and what they answer.
///
/// Deny beats passkey beats ask beats allow. A call is allowed only if all of it is covered; what is unreadable, unknown or in conflict is put before a
/// person, which is also what happens to a call that no rule is about.
package struct RuleBook: Equatable, Sendable {
    package enum Verdict: Equatable, Sendable {
        /// The rules that together cover it, in the file's order.
        case allow([String])
        case deny(String, words: String?)
        /// The reason, and the rule that says so, if one does.
        case ask(String, rule: String?)
        /// A person is asked, whose passkey has to confirm an allow.
        case passkey(rule: String)
    }

    package let rules: [Rule]

    package init(rules: [Rule] = []) { self.rules = rules }

    package init(parsing text: String) throws(RuleError) { rules = try RuleFile.rules(in: text) }

    /// The book of a file to whose end a text was added, which has to be exactly one rule and to change no other.
    package func adding(_ text: String, to file: String) throws(RuleError) -> RuleBook {
        try Self.checkIsOne(text)
        let book = try RuleBook(parsing: file)
        guard book.rules.count == rules.count + 1, book.rules.dropLast() == rules[...] else {
            throw RuleError("it would change other rules")
        }
        return book
    }

    /// The file in which a text stands in the place of the lines of one rule, with a remark above it. The text has to be exactly one rule, and
    /// no other changes.
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

    /// `allows`: whether rules that allow hold at all. `look`: where a path leads once links are followed, as far as it exists; nil if that
    /// cannot be said.
    package func judge(
        _ call: RuleCall, at moment: RuleMoment, allows: Bool = true, look: (String) -> String?
    ) -> Verdict {
        let held = rules.filter { $0.holds(for: call, at: moment, look: look) }
        // As folders are once links are followed.
        var real = call
        real.folder = call.folder.flatMap(look).map(RulePath.normalized)
        real.home = look(call.home).map(RulePath.normalized) ?? call.home
        let subject = RuleSubject(call, look: look)
        var asked: Verdict?
        var proved: String?
        for rule in held where rule.answer != .allow {
            for pattern in rule.patterns {
                switch max(subject.concern(of: pattern, call), subject.concern(of: pattern, real)) {
                case .no: continue
                case .yes where rule.answer == .deny: return .deny(rule.name, words: rule.words)
                // A doubt counts as well: a passkey too many gives no freedom.
                case _ where rule.answer == .passkey: proved = proved ?? rule.name
                case .yes: asked = .ask("the rule says so", rule: rule.name)
                case .maybe: asked = asked ?? .ask("whether this rule is about it cannot be said", rule: rule.name)
                }
            }
        }
        if let proved { return .passkey(rule: proved) }
        if let asked { return asked }
        guard allows else { return .ask("rules that allow are off", rule: nil) }
        // A star may take a way to files that a rule keeps from the agent.
        let keepsFiles = held.contains { $0.answer != .allow && $0.patterns.contains(where: \.isAboutFiles) }
        return subject.coverage(by: held.filter { $0.answer == .allow }, call, starsCount: !keepsFiles)
    }
}
