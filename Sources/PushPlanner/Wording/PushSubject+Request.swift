package import RelayProtocol

extension PushSubject {
    /// The request that waits for the person, if it is of this kind.
    package func pending(_ kind: ApprovalKind) -> ApprovalRequest? {
        guard let approval, approval.request.kind == kind else { return nil }
        return approval.request
    }

    /// The whole input of a tool, if it may be allowed from where it is shown; nil if it is too large, may be misread, or the
    /// person wants less text.
    package func wholeInput(linesMax: Int, bytesMax: Int, toolBytesMax: Int) -> String? {
        guard text == .full, let approval, let tool = pending(.tool)?.tool,
            TextFit.bytes(of: VisibleText.line(tool)) <= toolBytesMax,
            // Its size is checked before its lines: it may be much longer.
            let words = approval.request.alert?.full, words.utf8.count <= bytesMax,
            ShownWords.lines(of: words) <= linesMax, TextFit.bytes(of: words) <= bytesMax,
            // A card has no room for risks.
            case let shown = ShownWords(approval.request), shown.mayAllow, shown.risks == nil
        else { return nil }
        return shown.full
    }
}

extension PushText {
    package var showsText: Bool { self == .full || self == .summary }

    /// The one of two choices that shows less.
    package func least(_ other: PushText) -> PushText {
        let order = Self.allCases
        return order[max(order.firstIndex(of: self) ?? 0, order.firstIndex(of: other) ?? 0)]
    }
}
