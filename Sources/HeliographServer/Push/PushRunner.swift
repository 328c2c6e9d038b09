import PushPlanner
import RelayCore
import RelayProtocol
import WebSocketEngine

/// Sends the pushes of one core: passes its intents to the process's `PushWay`, and reports their outcomes. Confined to the loop's
/// thread.
///
/// A push without an outcome is ordered again by every new run of the relay. If it is still under way then, it is not sent twice:
/// its outcome is reported to the core that ordered it last.
final class PushRunner {
    private let way: PushWay
    private let codes: PushCodes
    /// Gets the outcome of each order, once.
    private let mailbox: CoreMailbox
    /// Pushes that the present core has ordered and that have no outcome yet.
    private var awaited: Set<PushID> = []
    /// Outcomes that arrived while there was no core to take them.
    private var unheard: [PushID: Input] = [:]
    private var hasEnded = false

    /// `codes`: those of the core's log, whose epoch is part of pushes' names.
    init(_ way: PushWay, codes: PushCodes, mailbox: CoreMailbox) {
        self.way = way
        self.codes = codes
        self.mailbox = mailbox
        way.join(self)
    }

    /// True if no push of this core is under way.
    var isIdle: Bool { awaited.isEmpty }

    func push(_ intent: PushIntent) {
        // Orders of a core that was fenced are left to the owner that took over.
        guard !hasEnded, awaited.insert(intent.id).inserted else { return }
        if let fact = unheard.removeValue(forKey: intent.id) { return tell(fact, of: intent.id) }
        way.send(intent, with: codes, for: self)
    }

    /// Withdraws a push: it is not sent, or not sent again. It still gets an outcome.
    func withdraw(_ push: PushID) {
        if awaited.contains(push) { way.withdraw(push, with: codes) }
    }

    // MARK: - The core's life

    /// Keeps outcomes from now on for the next core, which orders every push without an outcome in its log again.
    func suspend() {
        awaited = []
        // Outcomes left over from an earlier core are outdated by the one after it.
        unheard = [:]
    }

    /// The core has ended for good, and its pushes under way are not waited for. The workspace's next owner orders them again.
    func end() {
        hasEnded = true
        way.leave(self)
    }

    // MARK: - What the way tells

    func arrived(_ push: PushID, _ outcome: PushOutcome) { tell(.pushAnswered(push, outcome), of: push) }

    /// The push was not sent: another workspace owns one of its addresses.
    func addressMoved(_ push: PushID, _ address: PushAddress) { tell(.pushAddressMoved(push, address), of: push) }

    private func tell(_ fact: Input, of push: PushID) {
        if awaited.remove(push) != nil { mailbox.put(fact) } else { unheard[push] = fact }
    }

    /// The keys have changed, or were removed.
    func wayChanged() { mailbox.put(.pushWayChanged) }
}
