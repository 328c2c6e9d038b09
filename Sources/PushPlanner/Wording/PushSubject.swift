import RelayModel
package import RelayProtocol

/// The subject of a card or an alert, at one moment.
package struct PushSubject: Sendable {
    /// The status is `stale` if the session was active when its host disconnected.
    package var summary: Summary
    /// The approval that the person is asked for: the oldest pending one.
    package var approval: Approval?
    /// Every approval that is pending.
    package var waiting: Set<ApprovalID> = []
    /// True if it represents all sessions of the workspace; `summary` is then that of the most important one.
    package var isOfAll = false
    /// Number of sessions that this represents.
    package var sessions: Int64 = 1
    /// The highest level of a budget that was crossed, in percent; 0 for none.
    package var budgetLevel: Int64 = 0
    package var text: PushText
    /// The card's last sentence, if it ends although the run continues.
    package var closing: String?
    /// True if the person wants no costs on this device.
    package private(set) var hidesCost = false
    /// The language that its device reported.
    package var language = PushLanguage(tag: nil)
    /// Milliseconds since 1970.
    package var now: Int64

    package init(summary: Summary, approval: Approval?, text: PushText, now: Int64) {
        self.summary = summary
        self.approval = approval
        self.text = text
        self.now = now
        let isAsked = summary.approvals > 0 || summary.questions > 0
        if !summary.hostIsConnected, summary.isAtWork, !isAsked { self.summary.status = .stale }
    }

    var words: any PushWords { language.words }

    /// True if a request waits for the person, here or at the terminal.
    var isAttention: Bool { !waiting.isEmpty || summary.status.isWaiting }

    package mutating func hideCost() {
        hidesCost = true
        summary.costMicroUSD = nil
        summary.estimateMicroUSD = nil
    }
}

/// The text of one alert.
package struct AlertText: Sendable, Equatable {
    package var title: String
    package var subtitle: String?
    package var body: String
    /// True if the whole input of the approval is included: only then may it be allowed from here.
    package var isWhole: Bool

    package init(title: String, subtitle: String?, body: String, isWhole: Bool) {
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.isWhole = isWhole
    }

    /// The text itself if it fits; otherwise with its longest parts cut, and no longer whole.
    package func cut(to bytesMax: Int) -> AlertText { fitting(bytesMax) }
}
