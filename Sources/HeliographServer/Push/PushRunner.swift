import PushPlanner
import RelayCore
import RelayProtocol
import WebSocketEngine

/// Carries out the intents of one core: hands them to the process's way to the push services, and says what became of each. Lives on the
/// loop's thread.
///
/// A push that has no outcome yet is ordered again by every new life of the relay. One that is still on its way then is not sent
/// twice: its answer goes to who ordered it last.
final class PushRunner {
    private let way: PushWay
    private let codes: PushCodes
    /// Gets what became of each order, once.
    private let mailbox: CoreMailbox
    /// Pushes that this life of the relay has ordered and that have no outcome yet.
    private var awaited: Set<PushID> = []
    /// Outcomes that came while no relay ran to take them.
    private var unheard: [PushID: Input] = [:]
    private var hasEnded = false

    /// `codes` are of the core's log: its epoch is in the names of pushes.
    init(_ way: PushWay, codes: PushCodes, mailbox: CoreMailbox) {
        self.way = way
        self.codes = codes
        self.mailbox = mailbox
        way.join(self)
    }

    /// Nothing that this core waits for is on its way.
    var isIdle: Bool { awaited.isEmpty }

    func push(_ intent: PushIntent) {
        // Orders of a core that was fenced are left to the owner that took over.
        guard !hasEnded, awaited.insert(intent.id).inserted else { return }
        if let fact = unheard.removeValue(forKey: intent.id) { return tell(fact, of: intent.id) }
        way.send(intent, with: codes, for: self)
    }

    /// Has a push not sent any more, or not again. Its outcome says what became of it.
    func withdraw(_ push: PushID) {
        if awaited.contains(push) { way.withdraw(push, with: codes) }
    }

    // MARK: - The core's life

    /// Outcomes from now on are kept for the next relay: it orders again every push without an outcome in its log.
    func suspend() {
        awaited = []
        // Whatever an earlier life left over was decided otherwise by the one that followed.
        unheard = [:]
    }

    /// For good: the core is gone, and nobody waits for what it has under way. Whoever takes its workspace over orders it again.
    func end() {
        hasEnded = true
        way.leave(self)
    }

    // MARK: - What the way tells

    func arrived(_ push: PushID, _ outcome: PushOutcome) { tell(.pushAnswered(push, outcome), of: push) }

    /// Not sent: another workspace has this one of its addresses.
    func addressMoved(_ push: PushID, _ address: PushAddress) { tell(.pushAddressMoved(push, address), of: push) }

    private func tell(_ fact: Input, of push: PushID) {
        if awaited.remove(push) != nil { mailbox.put(fact) } else { unheard[push] = fact }
    }

    /// Other keys, or none any more.
    func wayChanged() { mailbox.put(.pushWayChanged) }
}
