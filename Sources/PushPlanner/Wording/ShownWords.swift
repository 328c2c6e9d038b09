import RelayProtocol

/// The host's text for a request in alerts and cards, if it is plain.
///
/// An older host sends none, and a faulty one may send text that is invisible or too long. The event is not refused, because the
/// request would then never reach the person: it is shown by its title, and cannot be allowed from there.
struct ShownWords {
    let full: String?
    let summary: String?
    /// True if `full` is the whole input and cannot be misread.
    let mayAllow: Bool
    /// Risks that deserve a second look, in a line; nil if the host named none.
    let risks: String?

    init(_ request: ApprovalRequest) {
        let words = request.isCut ? nil : request.alert
        let full = words?.full.flatMap(Self.plain)
        self.full = full
        summary = words?.summary.flatMap(Self.plain)
        risks = request.risks.isEmpty ? nil : request.risks.map(VisibleText.exactLine).joined(separator: " ")
        mayAllow =
            words?.isWhole == true && !request.isRedacted && !request.needsPasskey && !VisibleText.mayMislead(request.tool)
            && full.map(VisibleText.mayMislead) == false
    }

    private static func plain(_ text: String) -> String? {
        guard !text.isEmpty, lines(of: text) <= RequestWords.linesMax else { return nil }
        // Compared by bytes, as Swift's equality treats canonically equal characters as one.
        return VisibleText.exact(text).utf8.elementsEqual(text.utf8) ? text : nil
    }

    static func lines(of text: String) -> Int { text.utf8.reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 } }
}
