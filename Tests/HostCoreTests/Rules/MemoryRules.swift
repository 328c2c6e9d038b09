import HostRules
import RelayProtocol

@testable import HostCore

/// The owner's rules, without a file.
final class MemoryRules: RuleSource {
    static let digest = InputDigest(String(repeating: "cd", count: 32))!

    var rules: KeptRules?
    var isUnreadable = false
    var target: (String) -> String? = { $0 }

    init(_ text: String, isAccepted: Bool = true) throws {
        rules = KeptRules(try RuleBook(parsing: text), digest: Self.digest, isAccepted: isAccepted)
    }

    /// If set, every change fails with this.
    var failure: SpoolError?

    func switchOff(_ rule: String) throws(SpoolError) {
        if let failure { throw failure }
        rules?.off.insert(rule)
    }

    func add(_ text: String, by person: String, at wall: Int64) throws(SpoolError) {
        if let failure { throw failure }
        guard let added = try? RuleBook(parsing: text), let kept = rules else { throw SpoolError(.failed, "no rule") }
        rules?.book = RuleBook(rules: kept.book.rules + added.rules)
    }

    func change(_ rule: String, to text: String, by person: String, at wall: Int64) throws(SpoolError) {
        if let failure { throw failure }
        guard let changed = try? RuleBook(parsing: text).rules, changed.count == 1, var all = rules?.book.rules,
            let place = all.firstIndex(where: { $0.name == rule })
        else { throw SpoolError(.failed, "no rule") }
        all[place] = changed[0]
        rules?.book = RuleBook(rules: all)
    }

    func target(of path: String) -> String? { target(path) }
    func moment(at wall: Int64) -> RuleMoment { RuleMoment(day: "2026-11-28", minute: 600) }
}
