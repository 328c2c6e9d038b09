package import RelayProtocol

extension RequestWords {
    /// The words for a tool, with its input as people may see it; nil if no alert can say more than its title.
    package init?(_ request: ApprovalRequest, input: JSONValue) {
        let command = ((try? input.optionalString("command")) ?? nil).flatMap { $0.isEmpty ? nil : $0 }
        self.init(request, RequestText(input: input), summary: command.flatMap { RequestText(command: $0).fitting })
    }

    package init?(_ request: ApprovalRequest, questions: [ShownQuestion]) {
        guard !questions.isEmpty else { return nil }
        self.init(request, RequestText(questions: questions), summary: nil)
    }

    /// Nil if the text would have to be cut: nobody could tell cut text from whole text.
    private init?(_ request: ApprovalRequest, _ text: RequestText, summary: String?) {
        let full = text.fitting
        guard !request.isCut, full != nil || summary != nil else { return nil }
        self.init(
            full: full, summary: summary,
            isWhole: full != nil && !request.isRedacted && !VisibleText.mayMislead(request.tool) && !text.mayMislead)
    }
}
