import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol

/// Checks that cards are started at most four times an hour, one at a time; a second one of a session only if the app has reported
/// the first, or the system has removed it.
struct StartChecker {
    private struct Start {
        let order: PushIntent
        let at: Int64
        var isOutstanding = true
        /// True if the relay's clock was set by an hour or more since.
        var isAgeDoubtful = false

        /// True if the card is reached and ended by its channel, without a report of the app.
        var hasChannel: Bool {
            let aps = try? JSONDocument(parsing: order.payload).root.required("aps")
            return aps?.optional("input-push-channel") != nil
        }
    }

    private static let hour: Int64 = 3_600_000

    private var starts: [DeviceID: [Start]] = [:]

    mutating func clockWasSet(by jump: Int64) {
        guard abs(jump) >= Self.hour else { return }
        starts = starts.mapValues {
            $0.map { start in
                var start = start
                start.isAgeDoubtful = true
                return start
            }
        }
    }

    /// Forgets starts that the next relay cannot know. A start is stored with the time of the clock then, so that the next relay
    /// cannot tell its age if the clock was set, even if it was corrected again.
    mutating func relayEnded(isKept: (PushIntent) -> Bool) {
        starts = starts.mapValues { $0.filter { isKept($0.order) && !$0.isAgeDoubtful } }
    }

    mutating func planned(_ order: PushIntent, at now: Int64) -> String? {
        guard order.purpose == .start else { return nil }
        // Counts by the monotonic clock and by the relay's: a clock that was set in between proves nothing.
        func within(_ age: Int64) -> [Start] {
            (starts[order.device] ?? []).filter {
                now - $0.at < age && (0..<age).contains(order.plannedAt - $0.order.plannedAt)
            }
        }
        let (before, shown) = (within(Self.hour), within(12 * Self.hour))
        starts[order.device] = shown + [Start(order: order, at: now)]
        if let first = shown.first(where: { $0.isOutstanding && $0.order.session == order.session && !$0.hasChannel }) {
            return "\(order.device) is started a second card, and push \(first.order.id.rawValue) may have shown one"
        }
        if before.count >= 4 { return "\(order.device) is started a fifth card within an hour" }
        if let open = before.first(where: {
            $0.isOutstanding && now - $0.at < 300_000 && order.plannedAt - $0.order.plannedAt < 300_000
        }) {
            return "\(order.device) is started a card, and has not told of that of push \(open.order.id.rawValue)"
        }
        return nil
    }

    mutating func reported(_ report: CardReport, by device: DeviceID) {
        settle(device) { $0.session == report.session }
    }

    /// The app was forgotten. If it registers again it is another app, without starts.
    mutating func forgot(_ device: DeviceID) { starts[device] = nil }

    /// The relay itself answers a start that only rang for what was settled with its commit.
    mutating func stored(_ batch: LogBatch) {
        for record in batch.records where record.kind == .push {
            guard let push = PushID(text: record.name),
                let start = starts.values.joined().first(where: { $0.order.id == push && $0.isOutstanding }),
                let outcome = record.bytes.flatMap({ try? JSONDocument(parsing: $0).root.required("outcome").string("result") }
                ),
                outcome == PushOutcome.notSent("").word
            else { continue }
            settle(start.order.device) { $0.id == push }
        }
    }

    mutating func answered(_ order: PushIntent, _ outcome: PushOutcome) {
        switch outcome {
        case .refused, .notSent: settle(order.device) { $0.id == order.id }
        case .accepted, .unknown: break
        }
    }

    private mutating func settle(_ device: DeviceID, where isMeant: (PushIntent) -> Bool) {
        guard let known = starts[device] else { return }
        for place in known.indices where isMeant(known[place].order) { starts[device]?[place].isOutstanding = false }
    }
}
