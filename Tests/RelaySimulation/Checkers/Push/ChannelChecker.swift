import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol

/// Checks that a broadcast channel whose id reached the relay is deleted once it has no listener, not before, and that nothing is
/// published to it after that.
struct ChannelChecker {
    private struct Known {
        let device: DeviceID
        let session: SessionID?
        /// True if its card has ended, or its app has reported that it needs no channel.
        var isOver = false
        /// True if its card has ended; the channel is then kept for a while.
        var isKept: Bool { endedAt != nil }
        var endedAt: Int64?
        /// True if its deletion was sent once; later attempts are the same.
        var isDeletionAsked = false
        /// Time at which the relay learnt that the end was accepted. Until then an app that ends its card by itself makes the
        /// channel unnecessary.
        var heardAt: Int64?
        /// Time since which the relay has wanted it deleted.
        var isUnwantedSince: Int64?
    }

    /// True if a relay has run with another clock: an hour may then be shorter, and times read from disk are limited to an hour.
    private var clockWasChanged = false
    private var asked: [PushID: (device: DeviceID, session: SessionID?)] = [:]
    private var known: [String: Known] = [:]
    /// Channels that the service has removed, as this run of the relay knows.
    private var heardLost: Set<String> = []
    /// Longest delay: deletions are retried after five minutes at most, and that after an end stored by APNs follows an hour later.
    private static let patience: Int64 = 330_000
    private static let kept: Int64 = 3_600_000

    /// `isLost`: it is deleted because the service removed it.
    mutating func ordered(_ order: PushIntent, isDeleted: Bool, isLost: Bool, isListenedTo: Bool) -> String? {
        switch order.target {
        case .makeChannel: asked[order.id] = (order.device, order.session)
        case .broadcast(let name):
            if isDeleted, !isLost || heardLost.contains(name) {
                return "push \(order.id.rawValue) is published to \(name), which is deleted"
            }
        case .deleteChannel(let name):
            let isRepeated = known[name]?.isDeletionAsked == true
            known[name]?.isDeletionAsked = true
            if !clockWasChanged, !isRepeated, let ended = known[name]?.endedAt,
                (0..<Self.kept).contains(order.plannedAt - ended),
                let heard = known[name]?.heardAt, order.plannedAt >= heard
            {
                return "\(name) is deleted \(order.plannedAt - ended) ms after the end that it keeps"
            }
            if isListenedTo, known[name]?.isOver == false { return "\(name) is deleted, and a card listens to it" }
        case .device: break
        }
        return nil
    }

    mutating func answered(_ order: PushIntent, _ outcome: PushOutcome, at now: Int64) {
        guard case .broadcast(let name) = order.target else { return }
        if case .refused(.dropChannel, _) = outcome { heardLost.insert(name) }
        switch outcome {
        // The app may no longer broadcast.
        case .refused(.enableBroadcast, _): known[name]?.isOver = true
        case .accepted:
            guard order.purpose == .end else { break }
            known[name]?.isOver = true
            known[name]?.endedAt = order.plannedAt
            known[name]?.heardAt = now
        case .refused, .unknown, .notSent: if order.purpose == .end { known[name]?.isOver = true }
        }
    }

    /// The next run learns anew what the last one did not receive or store.
    mutating func relayEnded() { heardLost = [] }

    /// A relay has run with another clock.
    mutating func clockWasSet() { clockWasChanged = true }

    /// Records channels whose ids are on disk, so that a crash cannot lose them.
    mutating func stored(_ batch: LogBatch) {
        for record in batch.records where record.kind == .channel {
            guard let bytes = record.bytes, let name = try? JSONDocument(parsing: bytes).root.string("channel"),
                known[name] == nil, let maker = Int64(record.name), let order = asked[PushID(rawValue: maker)]
            else {
                continue
            }
            known[name] = Known(device: order.device, session: order.session)
        }
    }

    /// `isListener`: the report says only that the card exists and listens.
    mutating func reported(_ report: CardReport, by device: DeviceID, isListener: Bool) {
        guard !isListener else { return }
        for (name, channel) in known where channel.device == device && channel.session == report.session {
            known[name]?.isOver = true
        }
    }

    mutating func forgot(_ device: DeviceID) {
        for (name, channel) in known where channel.device == device { known[name]?.isOver = true }
    }

    /// Called at intervals.
    mutating func looked(at channels: [KnownChannel], at now: Int64) {
        for channel in channels where channel.isOver && known[channel.name]?.isUnwantedSince == nil {
            known[channel.name]?.isUnwantedSince = now
        }
    }

    /// APNs has worked for long: checks that all channels are deleted.
    func quiet(_ kept: Set<String>, _ channels: [KnownChannel], at now: Int64) -> String? {
        let names = Set(channels.map(\.name))
        for name in kept.sorted() {
            guard let channel = known[name] else { continue }
            if !names.contains(name) { return "\(name) is not deleted, and the relay has forgotten it" }
            let patience = Self.patience + (channel.isKept || clockWasChanged ? Self.kept : 0)
            if let since = channel.isUnwantedSince, now - since > patience {
                return "\(name) has been to be deleted for \(now - since) ms"
            }
        }
        return nil
    }
}
