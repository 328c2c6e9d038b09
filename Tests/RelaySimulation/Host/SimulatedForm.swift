import HostCore
import RelayProtocol

/// The form of a simulated agent's answers.
struct SimulatedForm: AnswerForm {
    static let allowed = Array("allow".utf8)
    static let allowedAlways = Array("allow always".utf8)
    static let always = Offer(id: "always", label: "Always allow", rule: "Bash(*)", scope: .local)

    let hasOffer: Bool

    var offers: [AgentOffer] { hasOffer ? [AgentOffer(Self.always, bytes: JSONWriter.string(Self.always.id))] : [] }

    func allow(mode: String?) -> [UInt8]? { mode == nil ? Self.allowed : nil }

    func choose(_ offer: AgentOffer, words: String?) -> [UInt8]? { Self.allowedAlways }

    func answer(_ answers: [Answer]) -> (values: [(question: String, value: String)], output: [UInt8])? { nil }

    static func deny(_ words: String) -> [UInt8] { Array("deny: \(words)".utf8) }
}
