import RelayModel
package import RelayProtocol

/// What a card or an alert is about, at one moment.
package struct PushSubject: Sendable {
    /// `stale` where something went on when its host was last heard of.
    package var summary: Summary
    /// The approval that the person is asked for: of several the oldest that is pending.
    package var approval: Approval?
    /// Every approval that is pending.
    package var waiting: Set<ApprovalID> = []
    /// It represents all sessions of the workspace; `summary` is then of the one that matters most.
    package var isOfAll = false
    /// The sessions that this represents.
    package var sessions: Int64 = 1
    /// The highest level of a budget that was crossed, in percent; 0: none.
    package var budgetLevel: Int64 = 0
    package var text: PushText
    /// The card ends with this though the run goes on.
    package var closing: String?
    /// The person wants no money on this device.
    package private(set) var hidesCost = false
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

    /// The person is waited for: by something that is asked here, or at the terminal.
    var isAttention: Bool { !waiting.isEmpty || summary.status.isWaiting }

    package mutating func hideCost() {
        hidesCost = true
        summary.costMicroUSD = nil
        summary.estimateMicroUSD = nil
    }
}

/// The words of one alert.
package struct AlertText: Sendable, Equatable {
    package var title: String
    package var subtitle: String?
    package var body: String
    /// The whole input of the approval is here, uncut: only then may it be allowed from what is shown.
    package var isWhole: Bool

    package init(title: String, subtitle: String?, body: String, isWhole: Bool) {
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.isWhole = isWhole
    }

    /// Itself if it fits; otherwise with its longest texts cut, and no longer whole.
    package func cut(to bytesMax: Int) -> AlertText { fitting(bytesMax) }
}
