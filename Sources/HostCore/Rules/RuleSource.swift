package import HostRules
package import RelayProtocol

/// The machine, as far as the owner's rules need it: their file, links, and the calendar.
package protocol RuleSource: AnyObject {
    /// The rules as they are now; nil without a file that can be read.
    var rules: KeptRules? { get }

    /// There is a file, and it could not be read when `rules` was asked for last.
    var isUnreadable: Bool { get }

    /// Nothing is allowed by the rule from here on, until the owner accepts the rules again; on disk when this returns.
    func switchOff(_ rule: String) throws(SpoolError)

    /// The text of one rule stands at the end of the file from here on, accepted; on disk when this returns. `person` asked for it.
    ///
    /// - Throws: if the text is not exactly one rule, the file could not be read with it, or its owner has not accepted the file as it is.
    func add(_ text: String, by person: String, at wall: Int64) throws(SpoolError)

    /// The text of one rule stands in the place of this rule from here on, accepted, in one step: before it the old one answers, after it the
    /// new one. On disk when this returns.
    ///
    /// - Throws: as `add`.
    func change(_ rule: String, to text: String, by person: String, at wall: Int64) throws(SpoolError)

    /// The path without links, as far as it exists; nil if that cannot be said at once.
    func target(of path: String) -> String?

    /// `wall` is in milliseconds since 1970.
    func moment(at wall: Int64) -> RuleMoment
}

package struct KeptRules {
    package var book: RuleBook
    /// SHA-256 of the file.
    package var digest: InputDigest
    /// The owner has accepted exactly this file. Otherwise no rule of it allows anything.
    package var isAccepted: Bool
    /// Names of rules that were switched off from afar: those that allow do not count.
    package var off: Set<String>

    package init(_ book: RuleBook, digest: InputDigest, isAccepted: Bool, off: Set<String> = []) {
        self.book = book
        self.digest = digest
        self.isAccepted = isAccepted
        self.off = off
    }

    /// Those that answer. One that denies or asks is never off: without it an agent could do more.
    package var standing: RuleBook { RuleBook(rules: book.rules.filter { $0.answer != .allow || !off.contains($0.name) }) }

    package func isOff(_ rule: Rule) -> Bool { rule.answer == .allow && off.contains(rule.name) }
}
