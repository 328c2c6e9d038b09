package import RelayProtocol

/// An app's drawing of one activity, reduced to what a picture of it needs; the same for every app.
package struct CardFace: Sendable, Equatable {
    package enum Tint: String, Sendable, CaseIterable { case blue, orange, purple, green, red, gray }

    /// Something that ticks without a push.
    package enum Clock: Sendable, Equatable {
        /// Milliseconds since 1970; counts up from there.
        case since(Int64)
        /// Milliseconds since 1970; counts down to there.
        case until(Int64)
        /// A text that does not move.
        case text(String)
    }

    /// Name of an SF Symbol.
    package var symbol: String
    package var tint: Tint
    package var title: String
    package var status: String
    package var detail: String?
    /// From 0 to 1.
    package var progress: Double?
    package var progressText: String?
    package var clock: Clock?
    /// Such as the number of approvals that wait.
    package var badge: Int?
    /// The card asks the person for something.
    package var needsPerson: Bool
    package var deepLink: String?

    package init(
        symbol: String, tint: Tint, title: String, status: String, detail: String? = nil, progress: Double? = nil,
        progressText: String? = nil, clock: Clock? = nil, badge: Int? = nil, needsPerson: Bool = false,
        deepLink: String? = nil
    ) {
        self.symbol = symbol
        self.tint = tint
        self.title = title
        self.status = status
        self.detail = detail
        self.progress = progress
        self.progressText = progressText
        self.clock = clock
        self.badge = badge
        self.needsPerson = needsPerson
        self.deepLink = deepLink
    }

    package func write(to line: inout JSONWriter) {
        line.field("symbol", symbol)
        line.field("tint", tint.rawValue)
        line.field("title", title)
        line.field("status", status)
        line.field("detail", detail)
        if let progress, progress.isFinite { line.raw("progress", "\(min(1, max(0, progress)))".utf8) }
        line.field("progressText", progressText)
        switch clock {
        case .since(let moment): line.field("countsSince", moment)
        case .until(let moment): line.field("countsUntil", moment)
        case .text(let text): line.field("clock", text)
        case nil: break
        }
        line.field("badge", badge.map { Int64($0) })
        line.flag("needsPerson", needsPerson)
        line.field("deepLink", deepLink)
    }
}
