internal import HeliographTestSupport
package import PushPlanner
package import RelayProtocol

/// Summaries at the edges of what a host can send, from a seed.
package struct Hostile {
    private var dice: SeededDice

    package init(seed: UInt64) { dice = SeededDice(seed: seed) }

    package mutating func next() -> UInt64 { dice.next() }

    package mutating func pick<Element>(_ list: [Element]) -> Element { list[Int(next() % UInt64(list.count))] }

    package static let pieces = [
        "a", "plain words ", "\"", "\\", "\n", "\t", "\u{0}", "\u{7F}", "\u{202E}", "\u{2066}", "\u{200B}", "ß", "漢", "שלום",
        "😀",
        "👩‍👩‍👧‍👦", "🇩🇪", "e\u{301}", "z\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}", "\r\n", "/", "$", "null", "…", "\u{1F3FD}",
        "❤\u{FE0F}",
    ]

    /// A random text of up to a line's limit.
    package mutating func text() -> String {
        let bytesMax = pick([0, 1, 3, 40, 400, WireLimits.lineBytesMax])
        var text = ""
        while true {
            let piece = pick(Self.pieces)
            guard text.utf8.count + piece.utf8.count <= bytesMax else { return text }
            text += piece
        }
    }

    package mutating func optionalText() -> String? { next() % 4 == 0 ? nil : text() }

    package mutating func number() -> Int64 { pick([0, 1, 7, 12, 4_132, 1 << 31, JSONValue.integerMax, Int64.max]) }

    package mutating func moment() -> Int64 { pick([0, 1, PushSubjects.started, PushSubjects.moment, JSONValue.integerMax]) }

    package mutating func subject(_ status: SessionStatus) -> PushSubject {
        let session = pick(["s", "6f9619ff-8b86-d011-b42d-00cf4fc964ff", String(repeating: "_", count: 64)])
        var summary = Summary(
            session: SessionID(session)!, host: Named(id: HostID("h")!, name: text()), hostIsConnected: false,
            agentName: text(),
            startedAt: moment())
        summary.status = status
        (summary.title, summary.project, summary.workingDirectory) = (optionalText(), optionalText(), optionalText())
        (summary.operation, summary.file, summary.error) = (optionalText(), optionalText(), optionalText())
        (summary.statusReason, summary.model) = (optionalText(), optionalText())
        (summary.operations, summary.messages, summary.approvals, summary.questions) = (number(), number(), number(), number())
        (summary.linesAdded, summary.linesRemoved, summary.subagents) = (number(), number(), number())
        if next() % 2 == 0 { summary.todo = TodoProgress(completed: number(), total: number(), current: optionalText()) }
        if next() % 2 == 0 { summary.costMicroUSD = number() }
        if next() % 2 == 0 { summary.endedAt = moment() }
        summary.lastActivityAt = moment()
        let kind = pick([ApprovalKind?.none, .tool, .question])
        let approval = kind.map { kind in
            PushSubjects.approval(
                kind, id: String(repeating: "a", count: 64), tool: text(), title: text(), isCut: next() % 2 == 0,
                alert: pick([
                    nil, .command(text()), .command(VisibleText.exact(text())), RequestWords(full: "x", isWhole: true),
                ]))
        }
        var subject = PushSubject(summary: summary, approval: approval, text: pick(PushText.allCases), now: moment())
        subject.sessions = pick([1, 2, Int64.max])
        subject.budgetLevel = pick([0, 80, 1_000])
        return subject
    }
}
