import RelayCore
import RelayProtocol

/// A card whose session is at work does not go stale while APNs takes what it is sent.
struct FreshChecker {
    /// By the relay's clock, in milliseconds since 1970.
    private var staleAt: [CardID: Int64] = [:]
    private var troubledAt: [CardID: Int64] = [:]
    private var relayTroubledAt: Int64 = 0
    /// After a failure, a look or a restart the next refresh may take so long, in milliseconds.
    private static let patience: Int64 = 660_000
    /// A push that is late.
    private static let lateMax: Int64 = 60_000

    mutating func disturbed(_ cards: [CardID], at now: Int64) { for card in cards { troubledAt[card] = now } }

    mutating func relayEnded(at now: Int64) { relayTroubledAt = now }

    mutating func answered(_ order: PushOrder, _ card: CardID, _ outcome: PushOutcome, at now: Int64) {
        guard case .accepted = outcome else { return disturbed([card], at: now) }
        let aps = try? JSONDocument(parsing: order.payload).root.required("aps")
        staleAt[card] = (try? aps?.optionalInteger("stale-date")).flatMap { $0.map { $0 * 1_000 } }
    }

    func looked(at known: [KnownDevice], _ views: [CardFace.View], wall: Int64, at now: Int64) -> String? {
        for device in known where device.device.cards == .perSession {
            for card in device.cards where card.isActive {
                guard let address = card.address, let session = card.session, let stale = staleAt[address],
                    wall - stale > Self.lateMax,
                    now - max(troubledAt[address] ?? 0, relayTroubledAt) > Self.patience,
                    let summary = views.first(where: { $0.key.session == session })?.state.summary,
                    summary.hostIsConnected, summary.endedAt == nil,
                    summary.status == .running || summary.status == .starting
                else { continue }
                return "\(address) on \(device.device.id) has been stale for \(wall - stale) ms, and \(session) is at work"
            }
        }
        return nil
    }
}
