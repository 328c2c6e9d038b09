internal import HostCore
internal import RelayProtocol

/// Proof of a submitted prompt. A hook of the person's own can refuse it while ours reports it, so only its line in the transcript
/// shows that the agent took it.
extension ClaudeAdapter {
    struct SubmittedPrompt {
        /// End of the transcript at the report; nil until it was looked at.
        var from: Int?
        /// Time at which the transcript is read again, and after which it is not.
        var due: Int64
        let until: Int64
        let order: Int
    }

    /// Begins to look for the outcome. Returns false if none can be found.
    mutating func awaitSubmission(of prompt: String?, in id: SessionID) -> Bool {
        guard let prompt, let session = sessions[id], session.transcript != nil, session.submitted[prompt] == nil else {
            return false
        }
        if session.submitted.count >= limits.submittedMax,
            let oldest = session.submitted.min(by: { $0.value.order < $1.value.order })
        {
            sessions[id]?.submitted[oldest.key] = nil
        }
        let order = (session.submitted.values.map(\.order).max() ?? 0) + 1
        let until = now.monotonic + limits.submissionWait.milliseconds
        sessions[id]?.submitted[prompt] = SubmittedPrompt(
            due: now.monotonic + limits.promptLineCheck.milliseconds, until: until, order: order)
        return read(id, .submitted(prompt: prompt, from: nil))
    }

    mutating func lookForSubmissions() {
        let now = now.monotonic
        for session in sessionsInOrder {
            for (prompt, submitted) in session.submitted.sorted(by: { $0.key < $1.key }) where submitted.due <= now {
                guard submitted.until > now else {
                    sessions[session.id]?.submitted[prompt] = nil
                    continue
                }
                let age = limits.submissionWait.milliseconds - (submitted.until - now)
                let isSoon = age < limits.promptLineWait.milliseconds
                let wait = isSoon ? limits.promptLineCheck : limits.submissionCheck
                sessions[session.id]?.submitted[prompt]?.due = now + wait.milliseconds
                read(session.id, .submitted(prompt: prompt, from: submitted.from ?? 0))
            }
        }
    }

    mutating func submissionRead(_ end: ClaudeTranscript?, of prompt: String, isFirst: Bool, in id: SessionID) {
        guard let submitted = sessions[id]?.submitted[prompt] else { return }
        if isFirst { sessions[id]?.submitted[prompt]?.from = end?.end ?? 0 }
        guard !isFirst, let found = end?.submission(of: prompt, from: submitted.from ?? 0) else { return }
        sessions[id]?.submitted[prompt] = nil
        switch found {
        case .kept: peerPromptProven(prompt, in: id)
        case .refused(let reason):
            let said = reason.map { TextCut.line(clean($0, bytesMax: limits.texts.messageBytes), bytesMax: 300) }
            let words = SubmissionLine.refusal(said)
            peerPromptRefused(prompt, words, in: id)
            emit(.error(message: "Not taken: \(words)", recoverable: true), in: id)
            // No Stop follows.
            if sessions[id]?.status == .running, sessions[id]?.calls.isEmpty == true {
                setStatus(.idle, reason: sessions[id]?.background.words, in: id)
            }
        }
    }
}
