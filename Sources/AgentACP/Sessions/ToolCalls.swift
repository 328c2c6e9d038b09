internal import HostCore
internal import RelayProtocol

/// A session's tool calls from their start to their end.
struct ToolCalls {
    private let limits: ACPLimits
    /// Calls that have not ended, in the order of their start.
    private var open: [ToolCall] = []
    /// Names of calls that ended recently; an update may be repeated.
    private var ended: [String] = []

    init(limits: ACPLimits) { self.limits = limits }

    /// Takes a call's start or update. The result's `over` names the call that this ends.
    mutating func take(
        _ update: JSONValue, isExact: Bool, startsCalls: Bool, at now: Int64
    ) -> ACPSession.CallNews {
        guard let id = update.text("toolCallId"), !id.isEmpty, !ended.contains(id) else { return ACPSession.CallNews() }
        var told: [Told] = []
        var began = false
        let place: Int
        if let known = open.firstIndex(where: { $0.id == id }) {
            place = known
            open[place].take(update, isExact: isExact, limits)
        } else {
            // An update of a call that never began contains nothing that could be shown.
            guard startsCalls || update.text("title") != nil, open.count < limits.callsMax else { return ACPSession.CallNews() }
            began = true
            open.append(ToolCall(id: id, startedAt: now))
            place = open.count - 1
            open[place].take(update, isExact: isExact, limits)
            told.append(started(open[place]))
        }
        if let change = open[place].takeChange() { told.append(Told(.error(message: change, recoverable: true))) }
        let call = open[place]
        var news = ACPSession.CallNews(told: told, call: call.id, input: call.input, began: began)
        news.isRunning = update.text("status") == "in_progress"
        guard call.isOver else { return news }
        open.remove(at: place)
        news.told += finished(call, at: now)
        news.over = (call.id, call.status == "failed", call.hasRun, call.changedFiles)
        return news
    }

    /// The call of that name. Mistral Vibe names a form's call as its model does, and reports it under another name: then the only
    /// open call is meant, if there is only one.
    func call(_ id: String) -> ToolCall? {
        open.first { $0.id == id } ?? (ofTheTurn.count == 1 ? ofTheTurn[0] : nil)
    }

    private var ofTheTurn: [ToolCall] { open.filter { !$0.isLeft } }

    /// The words for calls that run on after their turn; nil without such calls.
    var background: String? { BackgroundWords.of((open.count(where: \.isLeft), "a call", "calls")) }

    /// Keeps the calls that run on after their turn, of too many the youngest; each reports its own end.
    mutating func leave() {
        for place in open.indices where open[place].status == "in_progress" { open[place].isLeft = true }
        for place in open.indices.filter({ open[$0].isLeft }).dropLast(limits.leftCallsMax) { open[place].isLeft = false }
    }

    /// Output that running calls have printed since the last call of this.
    mutating func takePrinted() -> [(call: String, text: String)] {
        open.indices.compactMap { place in
            open[place].takePrinted(limits).map { (name(open[place]), $0) }
        }
    }

    /// Records the content of an editor's terminal for the call that runs in it.
    mutating func showed(_ text: String, terminal: String) {
        guard let place = open.firstIndex(where: { $0.terminal == terminal }) else { return }
        open[place].showed(text, limits)
    }

    /// Ends the open calls that do not run on, or all.
    mutating func abandon(_ reason: String, all: Bool) -> [Told] {
        let ended = all ? open : ofTheTurn
        open.removeAll { all || !$0.isLeft }
        return ended.map { call in
            remember(call.id)
            var finish = ToolFinish(call: name(call), tool: call.tool, succeeded: false)
            finish.summary = reason
            return Told(.toolFinished(finish))
        }
    }

    /// Calls to which a permission applies: the named one, else all open ones if `orAll`, else the only one with its input. Empty
    /// if none matches: a permission that names an unreported call, or describes its own, does not apply to another that happens to
    /// be open. `claimed` calls have their own permission.
    func calls(named id: String?, with input: CallInput?, besides claimed: Set<String>, orAll: Bool) -> [ToolCall] {
        if let id, let named = open.first(where: { $0.id == id }) { return [named] }
        if orAll { return ofTheTurn }
        let equal = calls(with: input, besides: claimed)
        return equal.count == 1 && equal[0].isExact ? equal : []
    }

    func calls(with input: CallInput?, besides claimed: Set<String>) -> [ToolCall] {
        guard let input else { return [] }
        return ofTheTurn.filter { !claimed.contains($0.id) && CallInput($0.input) == input }
    }

    mutating func asked(about calls: Set<String>, with input: CallInput?) {
        for place in open.indices where calls.contains(open[place].id) {
            open[place].asked(with: calls.count == 1 ? input : nil)
        }
    }

    /// Marks all open calls as uncertain, because an update of them may have been missed.
    mutating func missedSome() {
        for place in open.indices { open[place].missedSome() }
    }

    private func started(_ call: ToolCall) -> Told {
        var start = ToolStart(call: name(call), tool: call.tool, operation: call.operation(limits))
        start.file = call.file
        let input = call.input.map { JSONCut.fit($0, bytesMax: limits.texts.inputBytes).json }
        return Told(.toolStarted(start)) { writer in
            if let input { writer.raw("input", input) }
        }
    }

    private mutating func finished(_ call: ToolCall, at now: Int64) -> [Told] {
        remember(call.id)
        var finish = ToolFinish(call: name(call), tool: call.tool, succeeded: call.status == "completed")
        finish.exitCode = call.exitCode
        finish.durationMilliseconds = max(0, now - call.startedAt)
        let output = TextCut.middle(call.output, bytesMax: limits.texts.outputBytes)
        let summary = TextCut.line(output, bytesMax: limits.texts.summaryBytes)
        finish.summary = summary.isEmpty ? nil : summary
        let changes = finish.succeeded ? call.changes.map { $0.told(call: name(call), limits) } : []
        let end = Told(.toolFinished(finish)) { writer in
            if !output.isEmpty { writer.field("output", output) }
        }
        return [end] + changes
    }

    private func name(_ call: ToolCall) -> String { TextCut.line(call.id, bytesMax: WireLimits.nameBytesMax) }

    private mutating func remember(_ id: String) {
        ended.append(id)
        if ended.count > limits.callsMax { ended.removeFirst() }
    }
}
