import HostCore
import HostRules
import RelayProtocol

/// The rules of a host's owner, which operators change from afar, as files that outlive its daemon.
final class SimulatedRules: RuleSource {
    private static let files: [[SimulatedRule]] = [
        [SimulatedRule("looks", .allow, ["Bash(ls)"]), SimulatedRule("no-rm", .deny, ["Bash(rm:*)"])],
        [
            SimulatedRule("looks", .allow, ["Bash(ls)", "Bash(rm)"]), SimulatedRule("works", .allow, ["Bash(make)"]),
            SimulatedRule("careful", .ask, ["Bash(rm:*)"]),
        ],
    ]
    private static let contents = files.map { Content($0.map(\.text).joined(separator: "\n\n") + "\n") }

    private struct Content {
        let text: String
        let book: RuleBook
        let digest: InputDigest

        init(_ text: String) {
            self.text = text
            do throws(RuleError) { book = try RuleBook(parsing: text) } catch {
                preconditionFailure("simulated owners write rules: \(error)")
            }
            digest = SimulatedAdapter.digests.input(tool: "rules", Array(text.utf8), offers: [])
        }
    }

    private unowned let world: World
    private unowned let host: HostProcess
    private var file = 0
    private var content = SimulatedRules.contents[0]
    /// Rules of the file.
    private var standing = SimulatedRules.files[0]
    private var isAccepted = true
    private(set) var isUnreadable = false
    private var off: Set<String> = []
    /// Rules taken back, as the daemon has read them.
    private var seenOff: Set<String> = []

    init(of host: HostProcess, in world: World) { (self.host, self.world) = (host, world) }

    func daemonStarted() { seenOff = world.plant == .forgottenRuleOff ? [] : off }

    /// The owner edits the file, accepts it, leaves it unreadable, or takes a rule back.
    func everySecond(_ dice: inout Dice) {
        guard dice.chance(0.1) else { return }
        switch dice.below(6) {
        case 0:
            file = (file + 1) % Self.files.count
            (content, standing) = (Self.contents[file], Self.files[file])
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

    /// The rules' answer now; nil if a person is to be asked. `isHeld`: the session is held by a budget.
    func answer(to command: String, isHeld: Bool) -> Rule.Answer? {
        guard !isUnreadable else { return nil }
        let about = standing.filter { $0.isAbout(command) && !(off.contains($0.name) && $0.answer == .allow) }
        if about.contains(where: { $0.answer == .deny }) { return .deny }
        return !about.isEmpty && about.allSatisfy { $0.answer == .allow } && isAccepted && !isHeld ? .allow : nil
    }

    // MARK: RuleSource

    var rules: KeptRules? {
        guard !isUnreadable || world.plant == .unreadRules else { return nil }
        return KeptRules(
            content.book, digest: content.digest, isAccepted: isAccepted || world.plant == .unacceptedRules, off: seenOff)
    }

    func switchOff(_ rule: String) throws(SpoolError) {
        try begin(.ruleOff(rule))
        off.insert(rule)
        if world.plant != .keptRule { seenOff.insert(rule) }
    }

    func add(_ text: String, by _: String, at _: Int64) throws(SpoolError) {
        let new = "\(content.text)\n\(text)\n"
        do throws(RuleError) { _ = try content.book.adding(text, to: new) } catch { throw Self.refusal("\(error)") }
        try rewrite(.ruleAdd(text), new)
        standing.append(Self.rule(text))
    }

    func change(_ rule: String, to text: String, by _: String, at _: Int64) throws(SpoolError) {
        let new: String
        do throws(RuleError) {
            new = try content.book.replacing(rule, by: text, under: "# Changed from afar.", in: content.text)
        } catch { throw Self.refusal("\(error)") }
        try rewrite(.ruleChange(rule, to: text), new)
        guard let place = standing.firstIndex(where: { $0.name == rule }) else { preconditionFailure("it was in the file") }
        standing[place] = Self.rule(text)
    }

    private func rewrite(_ action: SteeringAction, _ text: String) throws(SpoolError) {
        guard isAccepted, !isUnreadable else { throw Self.refusal("its owner has not accepted the rules there") }
        try begin(action)
        content = Content(text)
    }

    private func begin(_ action: SteeringAction) throws(SpoolError) {
        guard !host.disk.isFull else { throw SpoolError(.failed, "no space") }
        world.trace.note(world.now, host.name, "changes rules", action.kind.rawValue)
        world.checkRules(action, at: host)
    }

    private static func rule(_ text: String) -> SimulatedRule {
        guard let rule = SimulatedRule(text: text) else { preconditionFailure("simulated clients write these") }
        return rule
    }

    private static func refusal(_ sentence: String) -> SpoolError { SpoolError(.failed, sentence) }

    func target(of path: String) -> String? { path }

    func moment(at wall: Int64) -> RuleMoment { RuleMoment(day: "2026-01-01", minute: 720) }
}
