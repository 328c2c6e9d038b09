internal import HostCore
internal import RelayProtocol

/// A program's event as people may see it: without text that looks like a secret, with single-line texts on one line, and within
/// its limits.
struct ShownEvent {
    let head: EventHead
    let members: [(key: String, value: JSONValue)]

    init(_ head: EventHead, _ body: JSONValue?, _ cleaner: Cleaner, _ limits: LocalLimits) {
        func line(_ text: String) -> String { TextCut.line(cleaner.clean(text)) }
        func path(_ text: String) -> String { line(VisibleText.line(text)) }
        func name(_ text: String) -> String { TextCut.line(cleaner.clean(text), bytesMax: WireLimits.nameBytesMax) }
        let tool = if case .toolStarted(let start) = head { start.tool } else { "" }
        let shown = body.map { cleaner.clean($0, of: tool, bytesMax: limits.bodyBytes) }
        let content = shown.flatMap { try? JSONDocument(parsing: $0.json).root }
        members = (try? content?.members()) ?? []

        switch head {
        case .sessionStarted(var facts):
            facts.agentName = name(facts.agentName)
            facts.agentVersion = facts.agentVersion.map(name)
            facts.model = facts.model.map(name)
            facts.title = facts.title.map(line)
            facts.project = facts.project.map(path)
            facts.branch = facts.branch.map(path)
            facts.workingDirectory = facts.workingDirectory.map(path)
            facts.folder = facts.folder.map(path)
            self.head = .sessionStarted(facts)
        case .sessionRenamed(let title): self.head = .sessionRenamed(title: line(title))
        case .sessionEnded(let reason, let failed): self.head = .sessionEnded(reason: reason.map(line), failed: failed)
        case .statusChanged(let status, let reason): self.head = .statusChanged(status, reason: reason.map(line))
        case .message(let role, let summary, let message, let agent):
            // Lists show the summary; without one it is the text's first line.
            let text = summary.map(line) ?? content?.text("text").map { TextCut.line($0, bytesMax: limits.texts.summaryBytes) }
            self.head = .message(role, summary: text.flatMap { $0.isEmpty ? nil : $0 }, message: message, agent: agent)
        case .toolStarted(var start):
            start.operation = line(start.operation)
            start.file = start.file.map(path)
            start.isRedacted = start.isRedacted || shown?.isRedacted == true
            self.head = .toolStarted(start)
        case .toolFinished(var finish):
            finish.summary = finish.summary.map(line)
            self.head = .toolFinished(finish)
        case .fileChanged(let file, let added, let removed, let call):
            self.head = .fileChanged(path: path(file), added: added, removed: removed, call: call)
        case .todoChanged(var progress):
            progress.current = progress.current.map(line)
            self.head = .todoChanged(progress)
        case .subagentStarted(let agent, let called, let call):
            self.head = .subagentStarted(agent: agent, name: called.map(name), call: call)
        case .subagentFinished(let agent, let called): self.head = .subagentFinished(agent: agent, name: called.map(name))
        case .error(let message, let isRecoverable): self.head = .error(message: line(message), recoverable: isRecoverable)
        default: self.head = head
        }
    }
}
