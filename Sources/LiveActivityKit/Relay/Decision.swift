/// The person's decision about one approval: the body of `POST /v1/decisions/<code>`.
public enum Verdict: Hashable, Sendable {
    case allow
    /// Denial. The agent's model reads the message.
    case deny(message: String? = nil)
    case answer([Answer])
}

/// The person's answer to one question.
public struct Answer: Codable, Hashable, Sendable {
    public var question: String
    /// Labels of the choices taken, as they were shown.
    public var choices: [String]
    /// Indexes of the choices in the question's list, from 0. Without them a label that occurs twice is refused.
    public var indexes: [Int]?
    /// An answer in the person's own words.
    public var text: String?

    public init(question: String, choices: [String], indexes: [Int]? = nil, text: String? = nil) {
        self.question = question
        self.choices = choices
        self.indexes = indexes
        self.text = text
    }
}

extension Verdict: Encodable {
    private enum Key: CodingKey { case decision, message, answers }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        switch self {
        case .allow: try fields.encode("allow", forKey: .decision)
        case .deny(let message):
            try fields.encode("deny", forKey: .decision)
            try fields.encodeIfPresent(message, forKey: .message)
        case .answer(let answers): try fields.encode(answers, forKey: .answers)
        }
    }
}

/// The approval's state after a decision, by the relay's reply.
public enum DecisionReply: Hashable, Sendable {
    /// The decision counts. `stage` is how far it has come: `decided`, `delivered`, `applied`, or one added by a later relay.
    case stands(stage: String)
    /// The decision was refused; with the relay's code and sentence, and the winner if another decision came first.
    case refused(code: String, message: String, winner: Winner?)

    public struct Winner: Hashable, Sendable {
        /// `allow`, `deny` or `answer`.
        public var decision: String
        /// The name of the client that decided.
        public var client: String

        package init(decision: String, client: String) {
            self.decision = decision
            self.client = client
        }
    }

    /// The reply as a sentence for the person, in the app's language. The relay's own reasons are in English.
    public var sentence: String { sentence(KitLanguage.words()) }

    func sentence(_ words: any KitWords) -> String {
        switch self {
        case .stands("applied"): words.applied
        case .stands: words.onItsWay
        case .refused(_, _, let winner?): words.decided(winner.decision, by: winner.client)
        case .refused(_, let message, nil): CardText.sentence(message.isEmpty ? words.refused : message)
        }
    }
}

extension DecisionReply: Decodable {
    private enum Key: CodingKey { case stage, error }
    private struct Refusal: Decodable {
        struct Winner: Decodable {
            struct Client: Decodable { var name: String }
            var decision: String
            var by: Client
        }
        var code: String
        var message: String?
        var winner: Winner?
    }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        if let refusal = try fields.decodeIfPresent(Refusal.self, forKey: .error) {
            let winner = refusal.winner.map { Winner(decision: $0.decision, client: $0.by.name) }
            self = .refused(code: refusal.code, message: refusal.message ?? "", winner: winner)
        } else {
            self = .stands(stage: try fields.decode(String.self, forKey: .stage))
        }
    }
}
