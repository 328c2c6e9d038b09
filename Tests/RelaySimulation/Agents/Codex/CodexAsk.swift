/// A request for approval by Codex.
struct CodexAsk {
    enum Kind { case command, change, unknown }

    let id: Int
    let item: String
    let turn: String
    let kind: Kind
    /// The command, or the file.
    let words: String
    let at: Int64
    let isAttended: Bool

    static let accept = #""accept""#
    static let decline = #""decline""#
    private static let amendment = #"{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["make"]}}"#
    private static let forSession = #""acceptForSession""#

    func message(of thread: String) -> String {
        let names = #""threadId":"\#(thread)","turnId":"\#(turn)","itemId":"\#(item)","startedAtMs":1"#
        let (method, rest) =
            switch kind {
            case .command:
                (
                    "commandExecution",
                    #","kind":"command","command":"\#(words)","cwd":"/srv/dev/proj","#
                        + #""availableDecisions":["accept",\#(Self.amendment),"cancel"]"#
                )
            case .change: ("fileChange", "")
            case .unknown: ("permissions", "")
            }
        return #"{"method":"item/\#(method)/requestApproval","id":\#(id),"params":{\#(names)\#(rest)}}"#
    }

    /// The id of the offer that a decision corresponds to; nil for the plain ones.
    func offer(_ decision: String) -> String? {
        switch (kind, decision) {
        case (.command, Self.amendment): "d1"
        case (.change, Self.forSession): "acceptForSession"
        default: nil
        }
    }

    func isKnown(_ decision: String) -> Bool {
        decision == Self.accept || decision == Self.decline || offer(decision) != nil
    }
}
