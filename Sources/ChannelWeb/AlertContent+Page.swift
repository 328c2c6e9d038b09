import PushPlanner
import RelayProtocol

/// The page's part in an alert.
extension AlertContent {
    /// Path and fragment that open what the alert is about; see `web/route.js`.
    var place: String {
        guard let kind else { return "/#/devices" }
        switch (kind, session, approval) {
        case (.budget, let session?, _): return "/#/budgets/\(session)"
        case (_, let session?, let approval?): return "/#/approvals/\(session)/\(approval)"
        case (_, let session?, nil): return "/#/session/\(session)"
        case (_, nil, _): return "/#/"
        }
    }

    /// The decisions that the notification's own buttons may take, as `POST /v1/decisions/CODE` names them.
    var decisions: [String] {
        guard kind == .approval, hasCode else { return [] }
        return ["deny"] + (mayAllow ? ["allow"] : [])
    }
}
