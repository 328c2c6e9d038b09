package import HostRules
package import RelayProtocol

/// The parts of the machine that the owner's rules need: their file, links, and the calendar.
package protocol RuleSource: AnyObject {
    /// The current rules; nil if there are none. If the file is gone or cannot be read, those that its owner accepted last and that
    /// keep agents back.
    var rules: KeptRules? { get }

    /// True if a file could not be read at the last use of `rules`, so that it may have rules that nobody knows.
    var isUnreadable: Bool { get }

    /// Stops the rule from allowing anything until the owner accepts the rules again. On disk when this returns.
    func switchOff(_ rule: String) throws(SpoolError)

    /// Appends the text of one rule to the file, accepted. On disk when this returns. `person` asked for it.
    ///
    /// - Throws: if the text is not exactly one rule, the file could not be read with it, or its owner has not accepted the file as
    ///   it is.
    func add(_ text: String, by person: String, at wall: Int64) throws(SpoolError)

    /// Replaces a rule by the text of one rule, accepted, in one step: the old one answers before, the new one after. On disk when
    /// this returns.
    ///
    /// - Throws: as `add`.
    func change(_ rule: String, to text: String, by person: String, at wall: Int64) throws(SpoolError)

    /// The path with its links resolved, as far as it exists; nil if that would take time.
    func target(of path: String) -> String?

    /// `wall` is in milliseconds since 1970.
    func moment(at wall: Int64) -> RuleMoment
}

package struct KeptRules {
    package var book: RuleBook
    /// SHA-256 of the file.
    package var digest: InputDigest
    /// True if the owner has accepted exactly this file. Otherwise none of its rules allows anything.
    package var isAccepted: Bool
    /// Names of rules that were switched off remotely; those that allow do not apply.
    package var off: Set<String>
    /// Rules that keep agents back, of the file that was accepted last. They apply until its owner has looked at the change.
    package var former: [Rule]

    package init(
        _ book: RuleBook, digest: InputDigest, isAccepted: Bool, off: Set<String> = [], accepted: RuleBook = RuleBook()
    ) {
        self.book = book
        self.digest = digest
        self.isAccepted = isAccepted
        self.off = off
        former = isAccepted ? [] : accepted.rules.filter { $0.answer != .allow && !book.rules.contains($0) }
    }

    /// The rules that apply. One that denies or asks is never off: without it an agent could do more.
    package var standing: RuleBook {
        RuleBook(rules: book.rules.filter { $0.answer != .allow || !off.contains($0.name) } + former)
    }

    package func isOff(_ rule: Rule) -> Bool { rule.answer == .allow && off.contains(rule.name) }
}
