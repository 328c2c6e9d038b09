internal import Consent
internal import HostCore
internal import HostRules
package import RelayProtocol

/// One session as the relay keeps it: its summary, and its events of approvals and starts, oldest first.
package typealias KeptSession = (summary: Summary, events: [Event])

/// A past request, and its outcome.
struct PastRequest {
    let session: SessionID
    let approval: ApprovalID
    let title: String
    /// Time of the request, in milliseconds since 1970.
    let at: Int64
    var past: PastCall
    /// The author of the answer: a person's device, `the terminal`, or a rule.
    var by: String?
    /// The rules that answered it, if rules did.
    let rules: [String]
    private var wasRuled: Bool { !rules.isEmpty }

    var day: String { past.moment.day }
    var clock: String { RuleHours.clock(past.moment.minute) }

    /// The requests in these sessions, oldest first.
    static func list(in sessions: [KeptSession], home: String, moment: (Int64) -> RuleMoment) -> [PastRequest] {
        sessions.flatMap { requests(in: $0, home, moment) }
            .sorted { ($0.at, $0.approval.rawValue) < ($1.at, $1.approval.rawValue) }
    }

    /// The requests as the host fetched them, oldest first.
    static func list(in kept: [KeptRequest], home: String, moment: (Int64) -> RuleMoment) -> [PastRequest] {
        kept.compactMap { kept in
            let approval = kept.approval
            guard approval.request.kind == .tool, let event = try? Event(stored: approval.requestBytes) else { return nil }
            var request = PastRequest(approval.request, event, of: approval.session, in: kept.folder, home, moment)
            guard !request.wasRuled else { return request }
            if let answer = approval.stage.reason.flatMap({ terminalAnswers[$0] }) {
                (request.past.answer, request.by) = (answer, terminal)
            } else if let decision = approval.decision {
                (request.past.answer, request.by) = (decision.answer, decision.clientName)
            }
            return request
        }
        .sorted { ($0.at, $0.approval.rawValue) < ($1.at, $1.approval.rawValue) }
    }

    private static let terminal = "the terminal"
    private static let terminalAnswers: [String: PastCall.Answer] = ["allowedLocally": .allowed, "deniedLocally": .denied]

    /// The request as people were shown it. Under signed consent that is one text, which the event around it does not repeat.
    private init(
        _ request: ApprovalRequest, _ event: Event, of session: SessionID, in folder: String?, _ home: String,
        _ moment: (Int64) -> RuleMoment
    ) {
        let shown = ShownText.text(inEvent: event.bytes).flatMap { try? ShownText(parsing: $0) }
        let (asked, whole) = shown.map { ($0.request, $0.event) } ?? (request, event)
        // The name of a session begins with that of its adapter.
        let agent = String(session.rawValue.prefix { $0 != "-" })
        let call = RuleCall(asked, whole, of: agent, in: folder, home: home)
        self.init(
            session: session, approval: request.approval, title: asked.title, at: event.at,
            past: PastCall(call, at: moment(event.at), answer: nil), by: request.rule.map { "the rule \($0.name)" },
            rules: request.rule?.names ?? [])
    }

    private init(
        session: SessionID, approval: ApprovalID, title: String, at: Int64, past: PastCall, by: String?, rules: [String]
    ) {
        (self.session, self.approval, self.title, self.at) = (session, approval, title, at)
        (self.past, self.by, self.rules) = (past, by, rules)
    }

    private static func requests(
        in kept: KeptSession, _ home: String, _ moment: (Int64) -> RuleMoment
    ) -> [PastRequest] {
        let session = kept.summary.session
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
                indices[request.approval] = found.count
                found.append(PastRequest(request, event, of: session, in: folder, home, moment))
            case .approvalDecided(let approval, let decision): settle(approval, decision.answer, by: decision.clientName)
            case .approvalCancelled(let approval, let reason), .approvalStale(let approval, let reason):
                if let answer = terminalAnswers[reason] { settle(approval, answer, by: terminal) }
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
        // The request was neither allowed nor denied.
        case .answer, .allowEdited: nil
        }
    }
}
