package import RelayProtocol

extension AlertText {
    /// Limit of the title and the line below it, which are read at a glance; the rest goes into the body.
    private static let headingBytesMax = 200

    /// The words of an alert, in at most `bytesMax` bytes of JSON without the quotes, and no more than the person and `textMax`
    /// allow.
    ///
    /// With `full`, a request is included whole or not at all: if it does not fit, the host's summary is used and `isWhole` is
    /// false. That is also so if its characters may mislead, and for everything but approvals of tools and questions.
    package static func compose(
        kind: AlertKind, subject: PushSubject, textMax: PushText, bytesMax: Int
    ) -> AlertText {
        let text = subject.text.least(textMax)
        guard text.showsText else { return generic(kind, subject).fitting(bytesMax) }
        let agent = VisibleText.line(subject.summary.agentName)
        var alert = AlertText(title: "", subtitle: place(subject.summary), body: "", isWhole: false)
        switch kind {
        case .approval, .question:
            return request(kind, subject, agent, alert, isFull: text == .full, bytesMax)
        case .error:
            alert.title = subject.summary.status == .failed ? subject.words.failed(agent) : subject.words.hasProblem(agent)
            alert.body =
                [subject.summary.error, subject.summary.statusReason].compactMap { $0 }.first.map(VisibleText.line) ?? ""
            if alert.body.isEmpty { alert.body = Figures.line(subject) }
        case .finished:
            alert.title = subject.words.finished(agent)
            let reason = subject.summary.statusReason.map(VisibleText.line)
            alert.body = [reason, Figures.line(subject)].compactMap { $0 }.joined(separator: " · ")
        case .budget:
            alert.title = budgetTitle(subject)
            alert.body = Figures.cost(subject)
        }
        return alert.fitting(bytesMax)
    }

    /// The text with which a card begins: the request to the person, or that there is one.
    package static func start(_ subject: PushSubject, textMax: PushText, bytesMax: Int) -> AlertText {
        if let approval = subject.approval {
            return compose(kind: approval.alertKind, subject: subject, textMax: textMax, bytesMax: bytesMax)
        }
        return agent(subject.words.isWorking, subject, textMax: textMax, bytesMax: bytesMax)
    }

    /// For a run whose card has ended because of its age.
    static func stillRunning(_ subject: PushSubject, textMax: PushText) -> AlertText {
        agent(subject.words.isStillWorking, subject, textMax: textMax, bytesMax: Payload.alertTextBytesMax)
    }

    /// For a run whose card could not be confirmed.
    static func unfollowed(_ subject: PushSubject, textMax: PushText) -> AlertText {
        var alert = agent(subject.words.isWorking, subject, textMax: textMax, bytesMax: Payload.alertTextBytesMax)
        alert.body = subject.words.openToFollow(alert.body)
        return alert.fitting(Payload.alertTextBytesMax)
    }

    private static func agent(
        _ does: (String?) -> String, _ subject: PushSubject, textMax: PushText, bytesMax: Int
    ) -> AlertText {
        let showsText = subject.text.least(textMax).showsText
        return AlertText(
            title: does(showsText ? VisibleText.line(subject.summary.agentName) : nil),
            subtitle: showsText ? place(subject.summary) : nil, body: Figures.line(subject), isWhole: false
        ).fitting(bytesMax)
    }

    /// The outcome of a request, in our sentences, without names if the person wants none.
    static func settled(_ approval: Approval, _ subject: PushSubject, textMax: PushText) -> AlertText {
        let showsText = subject.text.least(textMax).showsText
        let words = subject.words
        let decider = showsText ? approval.decision.map { VisibleText.line($0.clientName) } : nil
        let body =
            switch approval.decision?.verdict.deed {
            case let deed?: words.decided(deed, by: decider)
            case nil where approval.stage.word == .expired: words.nobodyDecided
            case nil: approval.stage.reason == ApprovalStage.sessionEnded ? words.sessionHasEnded : words.settledAtTerminal
            }
        return AlertText(
            title: approval.request.kind == .question ? words.questionIsSettled : words.approvalIsSettled,
            subtitle: showsText ? place(subject.summary) : nil, body: body, isWhole: false
        ).fitting(Payload.alertTextBytesMax)
    }

    /// For requests without a notification of their own: counts only. `questions` is the number of questions among them.
    static func waiting(more: Int64, all: Int64, questions: Int64, _ words: any PushWords) -> AlertText {
        guard more > 0 else {
            return AlertText(title: words.noMoreWait, subtitle: nil, body: words.waitAlone(all), isWhole: false)
        }
        return AlertText(
            title: words.wait(more: more, questions: questions), subtitle: nil, body: words.waitInAll(all), isWhole: false)
    }

    private static func request(
        _ kind: AlertKind, _ subject: PushSubject, _ agent: String, _ start: AlertText, isFull: Bool, _ bytesMax: Int
    ) -> AlertText {
        let approval = subject.approval
        let own = subject.words
        var alert = start
        alert.title =
            kind == .question ? own.asks(agent) : own.wants(agent, approval.map { ToolWords.deed($0.request.tool) })
        let words = approval.map { ShownWords($0.request) }
        func body(_ text: String) -> String {
            [words?.risks.map(own.lookTwice), text].compactMap(\.self).joined(separator: "\n")
        }
        if isFull, let full = words?.full {
            var whole = alert
            whole.body = body(full)
            whole.isWhole = true
            // The place is dropped first: it matters less than the request.
            if whole.bytesCount > bytesMax { whole.subtitle = nil }
            if whole.fitting(bytesMax) == whole {
                whole.isWhole = words?.mayAllow == true
                return whole
            }
        }
        // A command is shown whole if it fits, even if the host cut it for its lists.
        if let command = words?.summary {
            alert.body = body(command)
            if alert.fitting(bytesMax) == alert { return alert }
        }
        alert.body = body(approval.map { VisibleText.line($0.request.title) } ?? own.openToSee)
        if let hidden = approval?.request, hidden.isCut, hidden.isRedacted { alert.body += "\n" + own.partsAreHidden }
        return alert.fitting(bytesMax)
    }

    private static func generic(_ kind: AlertKind, _ subject: PushSubject) -> AlertText {
        let words = subject.words
        let (title, body) =
            switch kind {
            case .approval: (words.needsApproval, words.openToSee)
            case .question: (words.hasQuestion, words.openToAnswer)
            case .error: (words.hasProblem(nil), Figures.line(subject))
            case .finished: (words.finished(nil), Figures.line(subject))
            case .budget: (budgetTitle(subject), Figures.cost(subject))
            }
        return AlertText(title: title, subtitle: nil, body: body, isWhole: false)
    }

    private static func budgetTitle(_ subject: PushSubject) -> String {
        subject.budgetLevel > 0 ? subject.words.budgetReached(subject.budgetLevel) : subject.words.budgetCrossed
    }

    /// Project and title of the session.
    private static func place(_ summary: Summary) -> String? {
        let parts = [summary.project, summary.title].compactMap { $0 }.filter { !$0.isEmpty }.map(VisibleText.line)
        return parts.isEmpty ? nil : TextFit.cut(parts.joined(separator: " · "), bytesMax: headingBytesMax)
    }

    // MARK: - Fitting

    /// Size as JSON strings, without the quotes.
    var bytesCount: Int { [title, subtitle ?? "", body].reduce(0) { $0 + TextFit.bytes(of: $1) } }

    /// The text itself if it fits; otherwise with its longest parts cut, and no longer whole.
    func fitting(_ bytesMax: Int) -> AlertText {
        var cut = self
        cut.title = TextFit.cut(title, bytesMax: Self.headingBytesMax)
        cut.subtitle = subtitle.map { TextFit.cut($0, bytesMax: Self.headingBytesMax) }
        if cut.bytesCount > bytesMax {
            let texts = TextFit.cut([cut.title, cut.subtitle ?? "", cut.body], bytesMax: bytesMax)
            (cut.title, cut.body) = (texts[0], texts[2])
            cut.subtitle = subtitle == nil || texts[1].isEmpty ? nil : texts[1]
        }
        // The subtitle may be cut: a decision does not depend on it.
        if cut.title != title || cut.body != body { cut.isWhole = false }
        return cut
    }
}
