package import RelayProtocol

/// An app's drawing of one activity, reduced to what a picture needs; the same type for every app.
package struct CardFace: Sendable, Equatable {
    package enum Tint: String, Sendable, CaseIterable { case blue, orange, purple, green, red, gray }

    /// A time that changes without a push.
    package enum Clock: Sendable, Equatable {
        /// Counts up from this time, in milliseconds since 1970.
        case since(Int64)
        /// Counts down to this time, in milliseconds since 1970.
        case until(Int64)
        /// A constant text.
        case text(String)
    }

    /// Name of an SF Symbol.
    package var symbol: String
    package var tint: Tint
    package var title: String
    package var status: String
    package var detail: String?
    /// Progress from 0 to 1.
    package var progress: Double?
    package var progressText: String?
    package var clock: Clock?
    /// A number, such as that of pending approvals.
    package var badge: Int?
    /// True if the card asks the person for something.
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
