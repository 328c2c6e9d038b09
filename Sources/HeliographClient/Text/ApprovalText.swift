package import RelayProtocol

/// A complete approval, nothing left out, in a form that its own text cannot imitate.
///
/// Every line that an agent wrote has a gutter (`│`, or `┊` if it continues a long line), and our own lines have none, so that text
/// such as "safe, press y" is recognised as the agent's.
package struct ApprovalText: Sendable {
    static let gutter = "│ "
    static let continuation = "┊ "
    /// Lines of a text that are in view at the question. The beginning of a longer one is repeated there.
    static let linesInViewMax = 20
    static let beginningCellsMax = 60

    package let approval: Approval
    private let body: JSONValue?

    package init(_ approval: Approval) {
        self.approval = approval
        body = (try? JSONDocument(parsing: approval.requestBytes).root)?.optional("body")
    }

    package struct Question: Sendable, Equatable {
        package struct Choice: Sendable, Equatable {
            package var label: String
            package var description: String?
        }

        package var id: String
        package var text: String
        package var header: String?
        package var isMultiple: Bool
        package var choices: [Choice]
        /// True if free text is accepted as well.
        package var takesWords = true
    }

    package var questions: [Question] {
        guard let list = try? body?.optional("questions")?.array() else { return [] }
        return list.compactMap { entry in
            guard let id = try? entry.string("id"), let text = try? entry.string("text") else { return nil }
            let choices = ((try? entry.optional("choices")?.array()) ?? []).compactMap { choice -> Question.Choice? in
                guard let label = try? choice.string("label") else { return nil }
                return Question.Choice(label: label, description: try? choice.optionalString("description"))
            }
            return Question(
                id: id, text: text, header: try? entry.optionalString("header"),
                isMultiple: (try? entry.flag("multiple")) ?? false, choices: choices,
                takesWords: (try? !entry.flag("choicesOnly")) ?? true)
        }
    }

    // MARK: - Lines

    package func lines(summary: Summary?, width: Int?, palette: Palette, now: Int64) -> [String] {
        let request = approval.request
        var lines: [String] = []
        let kind = request.kind == .question ? "Question" : "Approval"
        lines.append(palette.paint("\(kind) \(approval.id)", .bold))
        func fact(_ name: String, _ text: String, _ style: Style? = nil) {
            let label = DisplayWidth.fit(name, to: 10)
            for (index, piece) in Self.wrapped(text, width.map { $0 - 12 }).enumerated() {
                lines.append(
                    "  " + palette.paint(index == 0 ? label : DisplayWidth.fit("", to: 10), .dim) + palette.paint(piece, style))
            }
        }
        if let summary {
            let title = VisibleText.line([summary.project, summary.title].compactMap { $0 }.joined(separator: " · "))
            fact("session", "\(approval.session)\(title.isEmpty ? "" : "  " + title)")
            let away = summary.hostIsConnected ? "" : " (away: a decision waits until it is back)"
            fact("agent", VisibleText.line("\(summary.agentName) on \(summary.host.name)") + away)
            if let folder = summary.workingDirectory { fact("folder", VisibleText.exactLine(folder)) }
        } else {
            fact("session", "\(approval.session)")
        }
        fact("tool", VisibleText.exactLine(request.tool))
        if let agent = request.agentName ?? request.agent { fact("subagent", VisibleText.line(agent)) }
        fact("asked", "\(Moment.clock(approval.requestedAt, now: now)), \(Moment.age(now - approval.requestedAt)) ago")
        if let end = approval.expiresAt, approval.stage == .pending {
            fact("expires", end > now ? "in \(Moment.age(end - now))" : "now", end - now < 60_000 ? .yellow : nil)
        }
        fact("stage", VisibleText.line(DecisionText.stage(approval)), approval.stage == .pending ? .alert : nil)
        if let decision = approval.decision {
            fact("decided", "\(VisibleText.line(DecisionText.sentence(decision))), \(Moment.age(now - decision.at)) ago")
        }
        fact("digest", request.digest.rawValue)
        if !titleRepeatsInput {
            lines.append("  " + palette.paint("its title, in the agent's words:", .dim))
            lines += Self.quoted(request.title, width, palette)
        }
        if request.kind == .question { lines += questionLines(width, palette) }
        lines += inputLines(width, palette)
        if case .allowEdited(let edit) = approval.decision?.verdict { lines += editLines(edit, width, palette) }
        lines += offerLines(width, palette)
        for risk in request.risks { lines.append(palette.paint("! look twice: \(VisibleText.exactLine(risk))", .alert)) }
        for warning in warnings { lines.append(palette.paint("! " + warning, .alert)) }
        return lines
    }

    /// Facts to know before deciding, besides the text itself.
    package var warnings: [String] {
        var warnings: [String] = []
        switch (approval.request.isCut, approval.request.isRedacted) {
        case (true, true):
            warnings.append(
                "parts are hidden as ⟨redacted⟩ because they may be secret, so the text is not whole: look at it at the terminal; "
                    + "this can be denied from here, never allowed")
        case (true, false):
            warnings.append(
                "the text is not whole, as it was cut or is in a form not known here: this can be denied from here, never allowed"
            )
        case (false, true): warnings.append("values that look like secrets were replaced by ⟨redacted⟩ on the host")
        case (false, false): break
        }
        if approval.request.needsPasskey {
            warnings.append(
                "its host wants a passkey to confirm it: allow it on the page of a device that has one, or at the agent itself")
        }
        return warnings + VisibleText.warnings(about: shownText)
    }

    /// A line to print right before the question if the text's beginning may have scrolled away; else nil.
    package func reminder(width: Int?) -> String? {
        guard let (name, text) = mainText else { return nil }
        let lines = Self.lines(of: text)
        let count = lines.reduce(0) { $0 + Self.wrapped(String($1), width.map { $0 - 2 }).count }
        guard count > Self.linesInViewMax, let first = lines.first else { return nil }
        let start = DisplayWidth.cut(String(first), to: Self.beginningCellsMax)
        return
            "The \(VisibleText.exactLine(name)) above has \(Moment.count(lines.count, "line")) (\(Moment.count(text.utf8.count, "byte"))) and begins with: \(start)"
    }

    // MARK: - Parts

    private func inputLines(_ width: Int?, _ palette: Palette) -> [String] {
        var lines: [String] = []
        if let input = body?.optional("input") {
            if let members = try? input.members() {
                for (key, value) in members { lines += block(VisibleText.exactLine(key), Self.text(of: value), width, palette) }
                if members.isEmpty, approval.request.kind == .tool { lines.append("  " + palette.paint("no input", .dim)) }
            } else {
                lines += block("input", Self.text(of: input), width, palette)
            }
        } else if approval.request.kind == .tool {
            lines.append(palette.paint("! the host sent no input to look at", .alert))
        }
        let change = ChangeText(body: body)
        if let change { lines += change.sentences.map { "  " + palette.paint(VisibleText.exactLine($0), .bold) } }
        if let diff = try? body?.optionalString("diff") {
            lines += block(change?.isCompared == true ? "change to the file" : "diff", diff, width, palette, isDiff: true)
        }
        return lines
    }

    /// The change that an edit makes to the input.
    func editLines(_ edit: String, _ width: Int?, _ palette: Palette) -> [String] {
        InputEdit.differences(edit, of: approval).flatMap { name, lines in
            ["  " + palette.paint("\(VisibleText.exactLine(name)), as edited:", .bold)]
                + Self.quoted(lines, width, palette, isDiff: true)
        }
    }

    private func questionLines(_ width: Int?, _ palette: Palette) -> [String] {
        var lines: [String] = []
        for question in questions {
            let header = question.header.map { " (\(VisibleText.line($0)))" } ?? ""
            let multiple = question.isMultiple ? ", several may be chosen" : ""
            let words = question.takesWords ? "" : ", only of these"
            lines.append(palette.paint("  \(VisibleText.exactLine(question.id))\(header)\(multiple)\(words)", .bold))
            lines += Self.quoted(question.text, width, palette)
            for (index, choice) in question.choices.enumerated() {
                let description = choice.description.map { " — \($0)" } ?? ""
                lines += Self.quoted("\(index + 1). \(choice.label)\(description)", width, palette)
            }
        }
        return lines
    }

    /// The agent's own options, each with the id by which it is chosen.
    private func offerLines(_ width: Int?, _ palette: Palette) -> [String] {
        guard !approval.request.offers.isEmpty else { return [] }
        return ["  " + palette.paint("the agent itself offers:", .dim)]
            + approval.request.offers.flatMap { OfferText.lines($0, width: width, palette: palette) }
    }

    /// A heading of ours with the size, then the agent's text with the gutter.
    private func block(_ name: String, _ text: String, _ width: Int?, _ palette: Palette, isDiff: Bool = false) -> [String] {
        let size = "\(Moment.count(Self.lines(of: text).count, "line")), \(Moment.count(text.utf8.count, "byte"))"
        return ["  " + palette.paint("\(name) (\(size)):", .dim)] + Self.quoted(text, width, palette, isDiff: isDiff)
    }

    static func quoted(_ text: String, _ width: Int?, _ palette: Palette, isDiff: Bool = false) -> [String] {
        var lines: [String] = []
        for line in Self.lines(of: text) {
            let style: Style? = isDiff ? (line.hasPrefix("+") ? .green : line.hasPrefix("-") ? .red : nil) : nil
            for (index, piece) in Self.wrapped(String(line), width.map { $0 - 2 }).enumerated() {
                lines.append(palette.paint(index == 0 ? Self.gutter : Self.continuation, .cyan) + palette.paint(piece, style))
            }
        }
        return lines
    }

    /// The lines of a text. A line end at its end begins no further line.
    private static func lines(of text: String) -> [Substring] {
        let lines = VisibleText.exact(text).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count > 1 && lines.last?.isEmpty == true ? lines.dropLast() : lines
    }

    private static func wrapped(_ line: String, _ width: Int?) -> [String] {
        width.map { DisplayWidth.wrap(line, to: max(20, $0)) } ?? [line]
    }

    /// The value as text: a string as it is, anything else as JSON.
    private static func text(of value: JSONValue) -> String {
        (try? value.string()) ?? String(decoding: value.bytes, as: UTF8.self)
    }

    /// The longest part of the input, which a decision is most likely about.
    private var mainText: (name: String, text: String)? {
        var parts: [(name: String, text: String)] = []
        if let input = body?.optional("input") {
            if let members = try? input.members() {
                parts += members.map { ($0.key, Self.text(of: $0.value)) }
            } else {
                parts.append(("input", Self.text(of: input)))
            }
        }
        if let diff = try? body?.optionalString("diff") { parts.append(("diff", diff)) }
        return parts.max { $0.text.utf8.count < $1.text.utf8.count }
    }

    /// True if the title is `Run: make`, or the beginning of that, above an input that shows `make`.
    private var titleRepeatsInput: Bool {
        guard approval.request.kind == .tool, let text = mainText?.text,
            let words = approval.request.title.split(separator: " ", maxSplits: 1).last
        else { return false }
        let beginning = words.hasSuffix("…") ? words.dropLast() : words
        return !beginning.isEmpty && (words == beginning ? text == words : text.hasPrefix(beginning))
    }

    private var shownText: String {
        var text = approval.request.title + "\n"
        if let input = body?.optional("input") {
            if let members = try? input.members() {
                for (key, value) in members { text += key + "\n" + Self.text(of: value) + "\n" }
            } else {
                text += Self.text(of: input) + "\n"
            }
        }
        for question in questions {
            text +=
                question.text + "\n" + question.choices.map { $0.label + "\n" + ($0.description ?? "") }.joined(separator: "\n")
        }
        for offer in approval.request.offers { text += offer.label + "\n" + (offer.rule ?? "") + "\n" }
        return text + ((try? body?.optionalString("diff")) ?? "")
    }
}
