internal import HostCore
package import RelayProtocol

/// A line of Claude Code's transcript that shows the outcome of a submitted prompt: hooks of the person's own can refuse it after
/// ours has reported it.
package enum SubmissionLine: Equatable, Sendable {
    /// The prompt is in the conversation.
    case kept(prompt: String)
    /// The prompt that was submitted last ended before the model was asked.
    case refused(reason: String?)

    /// Words of such lines; others need not be parsed.
    package static let words = [#""promptId""#, "promptSubmitEnding"]

    package init?(_ line: JSONDocument) {
        let line = line.root
        if let said = line.optional("promptSubmitEnding"), let ending = said.optional("ending"), !said.isTrue("promptKept") {
            self = .refused(reason: ending.text("reason"))
        } else if line.text("type") == "user", let prompt = line.text("promptId") {
            self = .kept(prompt: prompt)
        } else {
            return nil
        }
    }

    /// The outcome in words if no line shows it in time.
    package static let unshown = "its hooks have it, and the agent has not shown that it took it: look at the terminal"

    /// The outcome in words. `reason`: the hook's, as it may be shown.
    package static func refusal(_ reason: String?) -> String {
        "a hook refused it before the model saw it" + (reason.map { ": \($0)" } ?? "")
    }
}
