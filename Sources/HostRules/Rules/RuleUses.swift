/// Numbers of calls that rules with `times` have allowed, by the rules' names.
///
/// A number stays when its rule is changed or leaves the file. Otherwise whoever can write the file could take a rule out and put
/// it back as its owner accepted it, to have it allow as often again.
package struct RuleUses: Sendable {
    /// Names that are counted; beyond it, further rules with `times` allow nothing.
    package static let namesMax = 1_024

    private var counts: [String: Int]

    package init(_ counts: [String: Int] = [:]) { self.counts = counts }

    /// Calls that the rule still allows; nil if it has no limit.
    package func left(of rule: Rule) -> Int? {
        guard let times = rule.times else { return nil }
        guard counts[rule.name] != nil || counts.count < Self.namesMax else { return 0 }
        return max(0, times - (counts[rule.name] ?? 0))
    }

    /// The rules that may answer now.
    package func standing(_ book: RuleBook) -> RuleBook { RuleBook(rules: book.rules.filter { left(of: $0) != 0 }) }

    /// Counts an answer that these rules of the book gave together. Returns the new numbers of those with `times`.
    package mutating func count(_ names: [String], in book: RuleBook) -> [(name: String, used: Int)] {
        book.rules.filter { $0.times != nil && names.contains($0.name) }.map { rule in
            let used = (counts[rule.name] ?? 0) + 1
            counts[rule.name] = used
            return (rule.name, used)
        }
    }
}
