package import RelayProtocol

/// An answer that was handed over to a hook: enough of it to recognise its outcome later, and to hand it over again.
package struct HandedAnswer: Equatable {
    package enum Kind: Equatable {
        case allow(mode: String?)
        /// The digest of the texts that could be edited, and the edit unless it is too long to keep for another try.
        case edited(InputDigest, String?)
        /// The text that the model reads, or its beginning.
        case deny(String)
        /// The digest of the answers, and the answers themselves unless they are too long to keep for another try.
        case answer(InputDigest, [Answer]?)
    }

    /// Bytes of a denial's message that are kept; enough to recognise it.
    private static let denialBytesMax = 1 << 10
    /// Bytes of the answers that are kept, as JSON, and of an edit.
    private static let answersBytesMax = 2 << 10

    package let kind: Kind
    /// The agent's own option that was chosen; nil for a plain allow or deny.
    package let offer: String?
    let command: CommandID

    static func allow(mode: String?, _ command: CommandID) -> HandedAnswer {
        HandedAnswer(kind: .allow(mode: mode), command: command)
    }

    static func allow(offer: String, _ command: CommandID) -> HandedAnswer {
        HandedAnswer(kind: .allow(mode: nil), command: command, offer: offer)
    }

    static func edited(_ digest: InputDigest, _ edit: String, _ command: CommandID) -> HandedAnswer {
        HandedAnswer(kind: .edited(digest, edit.utf8.count <= answersBytesMax ? edit : nil), command: command)
    }

    static func deny(_ words: String, offer: String? = nil, _ command: CommandID) -> HandedAnswer {
        HandedAnswer(kind: .deny(beginning(of: words)), command: command, offer: offer)
    }

    static func answer(_ digest: InputDigest, _ answers: [Answer], _ command: CommandID) -> HandedAnswer {
        let isShort = JSONWriter.object { Answer.write(answers, to: &$0) }.count <= answersBytesMax
        return HandedAnswer(kind: .answer(digest, isShort ? answers : nil), command: command)
    }

    private init(kind: Kind, command: CommandID, offer: String? = nil) {
        self.kind = kind
        self.command = command
        self.offer = offer
    }

    private static func beginning(of text: String) -> String {
        guard text.utf8.count > denialBytesMax else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: denialBytesMax)
        while end.samePosition(in: text.unicodeScalars) == nil { text.utf8.formIndex(before: &end) }
        return String(text[..<end])
    }

    // MARK: Over a restart

    func write(to writer: inout JSONWriter) {
        switch kind {
        case .allow(let mode):
            writer.field("decision", "allow")
            writer.field("mode", mode)
        case .edited(let digest, let edit):
            writer.field("decision", "edit")
            writer.field("digest", digest.rawValue)
            writer.field("edit", edit)
        case .deny(let words):
            writer.field("decision", "deny")
            writer.field("words", words)
        case .answer(let digest, let answers):
            writer.field("decision", "answer")
            writer.field("digest", digest.rawValue)
            if let answers { Answer.write(answers, to: &writer) }
        }
        writer.field("offer", offer)
        writer.field("command", command)
    }

    init?(from value: JSONValue) {
        guard let command = value.text("command").flatMap(CommandID.init) else { return nil }
        self.command = command
        offer = value.text("offer")
        switch value.text("decision") {
        case "allow": kind = .allow(mode: value.text("mode"))
        case "edit":
            guard let digest = value.text("digest").flatMap(InputDigest.init) else { return nil }
            kind = .edited(digest, value.text("edit"))
        case "deny": kind = .deny(value.text("words") ?? "")
        case "answer":
            // An earlier version wrote the digest as the answers.
            guard let digest = (value.text("digest") ?? value.text("answers")).flatMap(InputDigest.init) else { return nil }
            kind = .answer(digest, try? Answer.list(from: value))
        default: return nil
        }
    }
}
