import RelayProtocol

/// What alerts and cards show of a request: the host's words, where they are plain.
///
/// An older host sends none, and one that errs may send what is invisible or too long. Neither keeps the question from the person, as
/// refusing the event would: it is then shown by its title, and cannot be allowed from there.
struct ShownWords {
    let full: String?
    let summary: String?
    /// `full` is the whole input and can be read as nothing else.
    let mayAllow: Bool
    /// What to look at twice, in a line; nil if the host has not said anything of the kind.
    let lookTwice: String?

    init(_ request: ApprovalRequest) {
        let words = request.isCut ? nil : request.alert
        let full = words?.full.flatMap(Self.plain)
        self.full = full
        summary = words?.summary.flatMap(Self.plain)
        lookTwice =
            request.risks.isEmpty ? nil : "Look twice: " + request.risks.map(VisibleText.exactLine).joined(separator: " ")
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
