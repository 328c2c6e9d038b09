internal import Consent
internal import DeviceConsent
public import Foundation
public import LiveActivityKit
internal import RelayProtocol

/// A request that the agent cannot continue without. A decision is for exactly this input: it carries `digest`.
public struct PendingApproval: Sendable, Hashable, Identifiable {
    /// One part of the tool's input, whole, with everything invisible spelled out.
    public struct Field: Sendable, Hashable {
        public let name: String
        public let text: String
    }

    public struct Question: Sendable, Hashable, Identifiable {
        public struct Choice: Sendable, Hashable {
            /// The choice's place in the question's list, from 0: labels can be alike.
            public let index: Int
            public let label: String
            public let description: String?
        }

        public let id: String
        public let text: String
        public let isMultiple: Bool
        public let choices: [Choice]
        /// True if free text is accepted as an answer as well.
        public let takesWords: Bool

        /// An answer that names the chosen options by their positions, with the text shown there.
        public func answer(_ taken: [Choice], text: String? = nil) -> LiveActivityKit.Answer {
            LiveActivityKit.Answer(
                question: id, choices: taken.map(\.label), indexes: taken.isEmpty ? nil : taken.map(\.index), text: text)
        }
    }

    public let session: String
    public let id: String
    public let digest: String
    public let tool: String
    public let title: String
    public let isQuestion: Bool
    public let input: [Field]
    public let questions: [Question]
    /// Risks that deserve a second look, as sentences of the host. An empty list never means that the request is safe.
    public let risks: [String]
    /// Reasons, as sentences, not to trust the text.
    public let warnings: [String]
    /// True if the host replaced text that looks like a secret.
    public let isRedacted: Bool
    /// Nil if the approval can be allowed or answered.
    public let obstacle: Obstacle?
    public let expiresAt: Date?
    /// The text from the host that is signed; all fields above are read from it. Nil if the host takes unsigned decisions, or sent
    /// none.
    let signable: String?

    public var canAllow: Bool { obstacle == nil && !isQuestion }
    public var canAnswer: Bool { obstacle == nil && isQuestion }

    /// `summary` is the session's. `hosts` are those that trust this device.
    init(_ came: Approval, _ summary: Summary?, trustedBy hosts: Set<KeyID>) {
        let reading = ApprovalReading(came, summary)
        let approval = reading.approval
        let request = approval.request
        let body = try? JSONDocument(parsing: approval.requestBytes).root.optional("body")
        let input = body?.optional("input")
        session = approval.session.rawValue
        id = approval.id.rawValue
        digest = request.digest.rawValue
        tool = VisibleText.exactLine(request.tool)
        title = VisibleText.exactLine(request.title)
        isQuestion = request.kind == .question
        isRedacted = request.isRedacted
        expiresAt = approval.expiresAt.map { Date(milliseconds: $0) }
        let whole = Self.fields(of: input)
        self.input = whole ?? []
        questions = body.map(Self.questions) ?? []
        risks = approval.request.risks.map(VisibleText.exactLine)
        warnings = input.map { VisibleText.warnings(about: Self.text(of: $0)) } ?? []
        let isWhole = !request.isCut && (request.kind == .question ? !questions.isEmpty : whole != nil)
        var shown: ShownText?
        if case .signed(let text) = reading.basis { shown = text }
        signable = shown?.text
        obstacle = Obstacle(
            reading, isWhole: isWhole, isTrusted: shown.map { hosts.contains($0.host) } ?? false,
            host: VisibleText.line(summary?.host.name ?? "Its host"))
    }

    /// Nil if the input cannot be read.
    private static func fields(of input: JSONValue?) -> [Field]? {
        guard let input, !input.isNull else { return nil }
        guard input.isObject, let members = try? input.members() else { return [Field(name: "", text: text(of: input))] }
        return members.map { Field(name: VisibleText.exactLine($0.key), text: text(of: $0.value)) }
    }

    private static func text(of value: JSONValue) -> String {
        VisibleText.exact((try? value.string()) ?? String(decoding: value.bytes, as: UTF8.self))
    }

    private static func questions(of body: JSONValue) -> [Question] {
        guard let entries = try? body.array("questions", countMax: WireLimits.questionsMax) else { return [] }
        return entries.compactMap { entry in
            guard let id = try? entry.string("id"), let text = try? entry.string("text") else { return nil }
            let choices = (try? entry.array("choices", countMax: WireLimits.questionsMax)) ?? []
            return Question(
                id: id, text: VisibleText.exact(text), isMultiple: (try? entry.flag("multiple")) ?? false,
                choices: choices.enumerated().compactMap { index, choice in
                    guard let label = try? choice.string("label") else { return nil }
                    let description = try? choice.optionalString("description")
                    return Question.Choice(
                        index: index, label: label, description: description.map { VisibleText.exact($0) })
                }, takesWords: (try? !entry.flag("choicesOnly")) ?? true)
        }
    }
}
