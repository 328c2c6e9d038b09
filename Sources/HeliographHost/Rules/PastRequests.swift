internal import HostCore
internal import HostRules
package import RelayProtocol

/// One session as the relay keeps it: its summary, and its events of approvals and starts, oldest first.
package typealias KeptSession = (summary: Summary, events: [Event])

/// A request of an earlier day, and its end.
struct PastRequest {
    let session: SessionID
    let approval: ApprovalID
    let title: String
    /// Milliseconds since 1970.
    let at: Int64
    var past: PastCall
    /// The person's device, `the terminal`, or a rule.
    var by: String?
    var wasRuled = false

    var day: String { past.moment.day }
    var clock: String { RuleHours.clock(past.moment.minute) }

    /// Oldest first.
    static func list(in sessions: [KeptSession], home: String, moment: (Int64) -> RuleMoment) -> [PastRequest] {
        sessions.flatMap { requests(in: $0, home, moment) }
            .sorted { ($0.at, $0.approval.rawValue) < ($1.at, $1.approval.rawValue) }
    }

    private static func requests(
        in kept: KeptSession, _ home: String, _ moment: (Int64) -> RuleMoment
    ) -> [PastRequest] {
        let session = kept.summary.session
        // Sessions of an adapter begin with its name.
        let agent = session.rawValue.prefix { $0 != "-" }
        var folder = RuleCall.folder(kept.summary.folder, shown: kept.summary.workingDirectory)
        var found: [PastRequest] = []
        var indices: [ApprovalID: Int] = [:]
        func settle(_ approval: ApprovalID, _ answer: PastCall.Answer?, by: String?) {
            guard let index = indices[approval], !found[index].wasRuled else { return }
            found[index].past.answer = answer
            found[index].by = by
        }
        for event in kept.events {
            switch event.head {
            case .sessionStarted(let facts):
                folder = RuleCall.folder(facts.folder, shown: facts.workingDirectory) ?? folder
            case .approvalRequested(let request) where request.kind == .tool && indices[request.approval] == nil:
                let call = RuleCall(request, event, of: String(agent), in: folder, home: home)
                indices[request.approval] = found.count
                found.append(
                    PastRequest(
                        session: session, approval: request.approval, title: request.title, at: event.at,
                        past: PastCall(call, at: moment(event.at), answer: nil),
                        by: request.rule.map { "the rule \($0.name)" }, wasRuled: request.rule != nil))
            case .approvalDecided(let approval, let decision): settle(approval, decision.answer, by: decision.clientName)
            case .approvalCancelled(let approval, let reason), .approvalStale(let approval, let reason):
                switch reason {
                case "allowedLocally": settle(approval, .allowed, by: "the terminal")
                case "deniedLocally": settle(approval, .denied, by: "the terminal")
                default: break
                }
            default: break
            }
        }
        return found
    }
}

extension Decision {
    fileprivate var answer: PastCall.Answer? {
        switch verdict {
        case .allow, .allowIn, .allowWith: .allowed
        case .deny, .denyWith: .denied
        case .answer: nil
        }
    }
}
