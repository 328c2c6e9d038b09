import ChannelAPNs
import PushPlanner
import RelayModel
import RelayProtocol

/// The content-state of a card, byte for byte.
struct CardFace: Equatable, CustomStringConvertible {
    typealias View = (key: SessionKey, state: SessionState, approvals: [ApprovalID: Approval])

    let bytes: [UInt8]

    init?(_ payload: [UInt8]) {
        guard let state = try? JSONDocument(parsing: payload).root.required("aps").required("content-state") else { return nil }
        bytes = Array(state.bytes)
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    var description: String { String(decoding: bytes, as: UTF8.self) }

    /// The face that this device should show at a moment, from committed state; nil if there is nothing to show.
    static func expected(_ session: SessionID?, _ device: Device, _ views: [View], at moment: Int64) -> CardFace? {
        let live = views.filter(isLive)
        let view =
            session.map { session in views.first { $0.key.session == session } }
            ?? live.max {
                (attention($0), $0.state.summary.lastActivityAt, $1.key.session.rawValue)
                    < (attention($1), $1.state.summary.lastActivityAt, $0.key.session.rawValue)
            }
        guard let view, let profile = ProfileSet()[device.profile] else { return nil }
        let pending = view.approvals.values.filter { $0.stage == .pending }
        let oldest = pending.min { ($0.seq, $0.id.rawValue) < ($1.seq, $1.id.rawValue) }
        let order: [PushText] = [.generic, .summary, .full]
        let wished = order.first { $0 == device.text || $0 == profile.textMax } ?? device.text
        let text = view.state.summary.line == nil ? wished : .generic
        var subject = PushSubject(summary: view.state.summary, approval: oldest, text: text, now: moment)
        subject.waiting = Set(pending.map(\.id))
        subject.budgetLevel = view.state.summary.budget?.level ?? 0
        subject.isOfAll = session == nil
        if session == nil { subject.sessions = Int64(live.count) }
        return CardFace(bytes: profile.contentState(subject, bytesMax: bytesMax))
    }

    /// More than any content in these worlds.
    private static let bytesMax = 3_000

    private static func attention(_ view: View) -> Int {
        let summary = view.state.summary
        if summary.approvals + summary.questions > 0 { return 2 }
        switch summary.status {
        case .starting, .running, .waitingApproval, .waitingAnswer: return summary.endedAt == nil ? 1 : 0
        case .idle, .completed, .failed, .stale: return 0
        }
    }

    static func isLive(_ view: View) -> Bool {
        let summary = view.state.summary
        return summary.endedAt == nil && summary.status != .completed && summary.status != .failed
    }
}
