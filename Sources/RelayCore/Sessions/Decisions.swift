import RelayModel
import RelayProtocol

/// Outcome of a decision: the first one wins, and it must be for exactly the input that was shown.
enum Deciding {
    /// The decision is staged; the command is answered when it is on disk.
    case isStaged
    /// Another decision was first. When that is on disk, the command is answered by comparing the two.
    case wasDecided
    /// Resolved long ago, and only on disk. It cannot be decided any more, but a client that repeats its command gets the same
    /// answer.
    case isLate
    case refused(Reply)
}

extension ApprovalRequest {
    /// The reason why this verdict is not possible; nil if it is.
    func refusal(of verdict: Decision.Verdict) -> Reply? {
        switch (verdict, kind) {
        case (.deny, _): return nil
        case (.denyWith, .question): return .failed(.wrongKind, "a question has no offers")
        case (.allow, .question), (.allowIn, .question), (.allowWith, .question), (.allowEdited, .question):
            return .failed(.wrongKind, "a question is answered, or denied")
        case (.answer, .tool): return .failed(.wrongKind, "a tool is allowed or denied")
        case (.answer(let answers), .question) where !isCut && !questions.isEmpty:
            return QuestionOffer.fit(answers, questions)
                ? nil : .failed(.badAnswer, "every question is answered once, with what it offers or in words of one's own")
        case (.allowIn(let mode), .tool) where !isCut:
            return modes.contains(mode) ? nil : .failed(.badAnswer, "that mode is not offered with this approval")
        case (.allowWith(let id, let mode), .tool) where !isCut:
            guard mode == nil else { return .failed(.badAnswer, "an offer is taken as it is, and no mode with it") }
            return offer(id)?.effect == .allow ? nil : .failed(.badAnswer, "no such way to allow is offered with this approval")
        // If the host seals, only it knows what may be edited.
        case (.allowEdited, .tool) where !isCut && consent == nil:
            return editable.isEmpty ? .failed(.badAnswer, "its input cannot be edited") : nil
        case (.denyWith(let id, _), .tool) where !isCut:
            return offer(id)?.effect == .deny ? nil : .failed(.badAnswer, "no such way to deny is offered with this approval")
        // Input that was not shown completely can only be denied plainly, with nothing that is stored for later.
        case (.denyWith, .tool): return .failed(.notWhole, "a request not shown in full is denied without an offer")
        case (.allow, .tool), (.allowIn, .tool), (.allowWith, .tool), (.allowEdited, .tool), (.answer, .question):
            guard isCut else { return nil }
            let why =
                isRedacted ? "parts are hidden because they may be secret" : "what is shown is not the whole input"
            return .failed(.notWhole, "\(why): it can be denied from here, not allowed")
        }
    }
}

extension DecideCommand {
    /// The answer if the approval is not in memory. `approval`: the one in the log; nil if there is none either.
    func reply(from approval: Approval?) -> Reply {
        // An open approval would be in memory: this one was requested during the look-up.
        guard let approval, approval.stage.isFinal else { return .noSuchApproval }
        guard approval.request.digest == digest else { return .otherDigest }
        return approval.decision.map { $0.reply(to: verdict, at: approval.stage.word) } ?? .closed(approval)
    }
}

extension Decision {
    /// The reply to a later decision when this one has won.
    func reply(to verdict: Verdict, at stage: ApprovalStage.Word) -> Reply {
        if self.verdict == verdict { return .decided(stage) }
        return .failed(.alreadyDecided, "\(clientName) has already decided this", winner: self)
    }
}

extension Reply {
    static let noSuchApproval = Reply.failed(.notFound, "there is no such approval")
    static let otherDigest = Reply.failed(
        .digestMismatch, "the digest is of another input than the one that is asked about")

    static func closed(_ approval: Approval) -> Reply { .failed(.closed, approval.closing) }
}

extension Approval {
    fileprivate var closing: String {
        switch stage {
        case .expired: "nobody decided in time"
        case .cancelled(_, let reason, _): "settled elsewhere: \(reason)"
        case .pending, .decided, .delivered, .applied, .stale: "it is \(stage.word.rawValue)"
        }
    }
}
