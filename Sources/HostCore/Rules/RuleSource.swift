package import HostRules
package import RelayProtocol

/// The machine, as far as the owner's rules need it: their file, links, and the calendar.
package protocol RuleSource: AnyObject {
    /// The rules as they are now; nil without a file that can be read.
    var rules: KeptRules? { get }

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

    package init(_ book: RuleBook, digest: InputDigest, isAccepted: Bool) {
        self.book = book
        self.digest = digest
        self.isAccepted = isAccepted
    }
}
