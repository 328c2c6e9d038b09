internal import HostCore
package import RelayProtocol

/// How the app-server takes the answer to one of its requests for approval.
///
/// Only what holds for this once is ever said: `acceptForSession` and amendments of rules are the terminal's. `cancel` would interrupt the
/// turn. The protocol has no place for the words of a denial.
package struct CodexForm: AnswerForm {
    package func allow(mode: String?) -> [UInt8]? { mode == nil ? Self.decision("accept") : nil }

    package func answer(_ answers: [Answer]) -> (values: [(question: String, value: String)], output: [UInt8])? { nil }

    package static func deny(_ words: String) -> [UInt8] { decision("decline") }

    private static func decision(_ word: String) -> [UInt8] { JSONWriter.object { $0.field("decision", word) } }
}
