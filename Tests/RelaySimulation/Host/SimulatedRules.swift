import HostCore
import HostRules
import RelayProtocol

/// The rules of a host's owner, as files that outlive its daemon, and what they answer by a table that knows no patterns.
final class SimulatedRules: OwnersRules {
    private struct File {
        let text: String
        /// By command; all others are asked.
        let answers: [String: Rule.Answer]
        /// The rule of each command that is allowed.
        let allowing: [String: String]
    }

    private static let files: [File] = [
        File(
            text: """
                [[rule]]
                name = "looks"
                answer = "allow"
                for = "Bash(ls)"

                [[rule]]
                name = "no-rm"
                answer = "deny"
                for = "Bash(rm:*)"
                """, answers: ["ls": .allow, "rm": .deny], allowing: ["ls": "looks"]),
        File(
            text: """
                [[rule]]
                name = "looks"
                answer = "allow"
                for = ["Bash(ls)", "Bash(rm)"]

                [[rule]]
                name = "works"
                answer = "allow"
                for = "Bash(make)"

                [[rule]]
                name = "careful"
                answer = "ask"
                for = "Bash(rm:*)"
                """, answers: ["ls": .allow, "make": .allow], allowing: ["ls": "looks", "make": "works"]),
    ]
    private static let books = files.map { try! RuleBook(parsing: $0.text) }

    private let plant: Plant?
    private var file = 0
    private var isAccepted = true
    private(set) var isUnreadable = false
    private var off: Set<String> = []
    /// As the daemon has read them.
    private var seenOff: Set<String> = []

    init(plant: Plant?) { self.plant = plant }

    func daemonStarted() { seenOff = plant == .forgottenRuleOff ? [] : off }

    /// The owner edits the file, accepts it, leaves it unreadable, or takes a rule back.
    func everySecond(_ dice: inout Dice) {
        guard dice.chance(0.1) else { return }
        switch dice.below(6) {
        case 0:
            file = (file + 1) % Self.files.count
            (isAccepted, isUnreadable) = (false, false)
        case 1: isUnreadable = true
        case 2, 3, 4:
            if off.insert("looks").inserted { seenOff.insert("looks") }
        default:
            (isAccepted, isUnreadable) = (true, false)
            off = []
            seenOff = []
        }
    }

    /// The rules' answer now; nil if a person is to be asked. `isHeld`: that session is.
    func answer(to command: String, isHeld: Bool) -> Rule.Answer? {
        guard !isUnreadable, let answer = Self.files[file].answers[command] else { return nil }
        guard answer == .allow else { return answer }
        let isOff = Self.files[file].allowing[command].map(off.contains) == true
        return isAccepted && !isHeld && !isOff ? .allow : nil
    }

    // MARK: RuleSource

    var rules: KeptRules? {
        guard !isUnreadable || plant == .unreadRules else { return nil }
        let digest = SimulatedAdapter.digests.input(tool: "rules", Array(Self.files[file].text.utf8), offers: [])
        return KeptRules(
            Self.books[file], digest: digest, isAccepted: isAccepted || plant == .unacceptedRules, off: seenOff)
    }

    func moment(at wall: Int64) -> RuleMoment { RuleMoment(day: "2026-01-01", minute: 720) }
}

/// Rules that only their owner changes, on a disk without links.
protocol OwnersRules: RuleSource {}

extension OwnersRules {
    func switchOff(_: String) throws(SpoolError) { throw ofOwner }
    func add(_: String, by _: String, at _: Int64) throws(SpoolError) { throw ofOwner }
    func change(_: String, to _: String, by _: String, at _: Int64) throws(SpoolError) { throw ofOwner }
    func target(of path: String) -> String? { path }

    private var ofOwner: SpoolError { SpoolError(.failed, "the simulated owner keeps these rules") }
}
