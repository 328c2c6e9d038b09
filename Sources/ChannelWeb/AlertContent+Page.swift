import PushPlanner
import RelayProtocol

/// What the page's worker needs to show an alert and act on it.
extension AlertContent {
    /// Path and fragment that open the alert's subject; see `web/route.js`.
    var place: String {
        guard let kind else { return "/#/devices" }
        switch (kind, session, approval) {
        case (.budget, let session?, _): return "/#/budgets/\(session)"
        case (_, let session?, let approval?): return "/#/approvals/\(session)/\(approval)"
        case (_, let session?, nil): return "/#/session/\(session)"
        case (_, nil, _): return "/#/"
        }
    }

    /// The decisions that the notification's buttons offer, as `POST /v1/decisions/CODE` names them.
    var decisions: [String] {
        guard kind == .approval, hasCode else { return [] }
        return ["deny"] + (mayAllow ? ["allow"] : [])
    }
}
