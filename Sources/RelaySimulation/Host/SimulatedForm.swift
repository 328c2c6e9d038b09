import HostCore
import RelayProtocol

/// How a simulated agent takes an answer.
struct SimulatedForm: AnswerForm {
    static let allowed = Array("allow".utf8)

    func allow(mode: String?) -> [UInt8]? { mode == nil ? Self.allowed : nil }

    func answer(_ answers: [Answer]) -> (values: [(question: String, value: String)], output: [UInt8])? { nil }

    static func deny(_ words: String) -> [UInt8] { Array("deny: \(words)".utf8) }
}
