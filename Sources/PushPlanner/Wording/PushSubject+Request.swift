package import RelayProtocol

extension PushSubject {
    /// The request that the person is asked for, where it is of this kind.
    package func pending(_ kind: ApprovalKind) -> ApprovalRequest? {
        guard let approval, approval.request.kind == kind else { return nil }
        return approval.request
    }

    /// All that a tool is asked to do, where what shows it may offer to allow it: nil where that is more, where it may be taken for something
    /// else, or where the person wants less said.
    package func wholeInput(linesMax: Int, bytesMax: Int, toolBytesMax: Int) -> String? {
        guard text == .full, let approval, let tool = pending(.tool)?.tool,
            TextFit.bytes(of: VisibleText.line(tool)) <= toolBytesMax,
            // Measured before it is read: it may be much longer.
            let words = approval.request.alert?.full, words.utf8.count <= bytesMax,
            ShownWords.lines(of: words) <= linesMax, TextFit.bytes(of: words) <= bytesMax,
            // A card has no room to say what to look at twice.
            case let shown = ShownWords(approval.request), shown.mayAllow, shown.lookTwice == nil
        else { return nil }
        return shown.full
    }
}

extension PushText {
    package var showsText: Bool { self == .full || self == .summary }

    /// The one of two wishes that says less.
    package func least(_ other: PushText) -> PushText {
        let order = Self.allCases
        return order[max(order.firstIndex(of: self) ?? 0, order.firstIndex(of: other) ?? 0)]
    }
}
