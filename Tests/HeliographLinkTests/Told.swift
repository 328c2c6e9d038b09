import HeliographLink
import RelayProtocol

/// Changes in a form that reads as a transcript.
func told(_ changes: [ClientView.Change]) -> [String] { changes.map(told) }

func told(_ change: ClientView.Change) -> String {
    switch change {
    case .epochChanged: "epoch changed"
    case .workspaceKnown: "workspace known"
    case .session(let summary, let previous): "session \(summary.session) \(previous?.seq ?? 0)→\(summary.seq)"
    case .sessionGone(let session): "gone \(session)"
    case .approval(let approval, let previous):
        "approval \(approval.id) \(previous?.stage.word.rawValue ?? "none")→\(approval.stage.word.rawValue)"
    case .events(let run, let skipped):
        "events \(run.first)…\(run.first + Int64(run.events.count) - 1)\(skipped > 0 ? " skipped \(skipped)" : "")"
    case .delta(let delta): "delta \(delta.text)"
    case .output(let output): "output \(output.text)"
    case .reset(let session, let reason): "reset \(session) \(reason.rawValue)"
    case .sessionKnown(let session): "known \(session)"
    case .resubscribe(let session, let after): "resubscribe \(session) \(after.map { "after \($0.seq)" } ?? "from a snapshot")"
    case .unusable(let session): "unusable \(session)"
    }
}
