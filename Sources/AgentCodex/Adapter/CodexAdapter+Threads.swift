internal import HostCore
internal import RelayProtocol

/// The connection to the app-server, and the threads that it watches.
///
/// A thread is resumed without its turns, its last turn is reported, and it is followed from then on. This changes nothing for the
/// terminal that is attached to the same thread.
extension CodexAdapter {
    mutating func connected() {
        calls.reset()
        threads = [:]
        areModelsAsked = false
        isGreeted = false
        call(.initialize)
    }

    mutating func disconnected() {
        answeredHere = []
        answeredQuestions = [:]
        unasked = [:]
        isGreeted = false
        calls.reset()
        threads = [:]
        shelving = []
        steering.connectionBroke()
        for request in steering.takeAllParked() { order(.notGiven(request, Self.noServer)) }
        for token in requests.reset() { tellDesk(.hookGone(token)) }
        for session in sessionsInOrder where !session.isEnded {
            sessions[session.id]?.lostAt = session.lostAt ?? now.monotonic
            sessions[session.id]?.dialogSince = nil
            sessions[session.id]?.forgetTurn()
            sessions[session.id]?.settings = CodexThreadSettings()
        }
    }

    mutating func received(_ document: JSONDocument, _ token: HookToken) {
        guard let message = CodexMessage(document) else { return }
        switch message {
        case .result(let id, let result): if let call = calls.end(id) { answered(call, result) }
        case .failure(let id, _, let reason): if let call = calls.end(id) { failed(call, reason) }
        case .request(_, let method, let params), .notification(let method, let params):
            let name = params.text("threadId") ?? ""
            if threads[name]?.isCatchingUp == true {
                if threads[name]?.buffer(document, token, countMax: limits.bufferedMessagesMax) == true { return }
                goOn(name)
                if threads[name]?.isCatchingUp == true { watch(name) }
            }
            // Deltas come by the thousand, and do not change a session's standing.
            if !name.isEmpty, !method.hasSuffix("Delta"), !method.hasSuffix("/delta") {
                let id = sessionID(name)
                stirred.formUnion([id, shown(id)])
            }
            learn(message, token)
        }
    }

    private mutating func learn(_ message: CodexMessage, _ token: HookToken) {
        switch message {
        case .request(let id, let method, let params): requested(id, method, params, token)
        case .notification(let method, let params): notified(method, params)
        case .result, .failure: break
        }
    }

    private mutating func answered(_ call: CodexCalls.Call, _ result: JSONValue) {
        switch call {
        case .initialize:
            order(.own(.send(JSONWriter.object { $0.field("method", "initialized") })))
            isGreeted = true
            unshelve()
            self.call(.listThreads)
            launchWaiting()
        case .listThreads:
            // Names of threads ascend with time, so those of subagents come after their parents'.
            for name in result.list("data").compactMap({ try? $0.string() }).sorted() where hasRoom(for: name) { resume(name) }
        case .resume(let name): resumed(name, result)
        case .readWhole(let name): changesRead(result, in: sessionID(name))
        case .listTurns(let name): listed(result, of: name)
        case .listRecentTurns(let name): recentListed(result, of: name)
        case .listTerminals(let name): terminalsListed(result, in: sessionID(name))
        case .listModels: listed(result)
        case .startThread(let launch): begun(launch, result)
        case .listPast(let launch): listed(launch, result)
        case .reopen(let launch, let name): reopened(launch, name, result)
        case .startTurn(_, _, let name), .steerTurn(_, _, _, let name), .interrupt(_, _, let name), .set(_, _, let name):
            accepted(name, result)
        case .archive(let thread, let name):
            accepted(name, result)
            self.call(.unarchive(thread: thread))
        case .unarchive(let thread): unshelved(thread)
        // The thread's settings report the result.
        case .unsubscribe, .hold, .halt: break
        }
    }

    private mutating func failed(_ call: CodexCalls.Call, _ reason: String) {
        if case .archive(let thread, _) = call { unshelved(thread) }
        if let name = call.name { return refused(name, reason) }
        switch call {
        case .unarchive(let thread): notUnarchived(thread, reason)
        // A server that does not greet us, or does not list its threads, is unknown to us.
        case .initialize, .listThreads: order(.own(.hangUp))
        // A client that has just started the thread has joined it already.
        case .resume(let name) where threads[name]?.isJoined == true: break
        case .resume(let name):
            threads[name]?.failed(limits, at: now.monotonic)
            stirred.insert(sessionID(name))
            refuseParked(name, "Codex does not open this thread again")
        case .listTurns(let name): watch(name)
        case .listRecentTurns(let name): recentListed(nil, of: name)
        case .listTerminals(let name): terminalsListed(nil, in: sessionID(name))
        // Without the list any model name is accepted.
        // A halt may fail because the turn has ended.
        case .listModels, .unsubscribe, .readWhole, .hold, .halt: break
        case .startTurn, .steerTurn, .interrupt, .set, .archive: break
        case .startThread(let launch), .listPast(let launch), .reopen(let launch, _):
            refuse(launch, "Codex refused it: \(reason)")
        }
    }

    // MARK: Threads

    mutating func hasRoom(for name: String) -> Bool {
        guard threads[name] == nil else { return true }
        guard !name.isEmpty, name.utf8.count <= WireLimits.nameBytesMax, threads.count < limits.threadsMax else { return false }
        threads[name] = CodexThread()
        return true
    }

    mutating func resume(_ name: String) {
        guard threads[name]?.isWaiting == true else { return }
        threads[name]?.phase = .resuming
        call(.resume(thread: name))
    }

    mutating func resumed(_ name: String, _ result: JSONValue) {
        // Both a launch and a sign of life may have asked. Catching up twice could report a turn's end before its prompt.
        guard threads[name]?.isJoined != true else { return }
        guard let thread = result.optional("thread"), thread.text("id") == name, !thread.isTrue("ephemeral") else {
            threads[name]?.phase = .ignored
            return refuseParked(name, "Codex does not open this thread again")
        }
        threads[name]?.checkout = checkout
        // A thread that has begun its first turn may be written down a moment later than the subagent that it has just spawned.
        if let parent = thread.text("parentThreadId"), awaits(parent) {
            let due = now.monotonic + limits.catchUpWithin.milliseconds
            threads[name]?.phase = .awaitingParent(parent, resumed: result, due: due)
            return resume(parent)
        }
        join(name, thread, result)
    }

    private mutating func join(_ name: String, _ thread: JSONValue, _ result: JSONValue) {
        threads[name]?.phase = .catchingUp(due: now.monotonic + limits.catchUpWithin.milliseconds)
        startSession(name, thread, model: result.text("model"))
        isSet(to: result, in: sessionID(name))
        call(.listTurns(thread: name))
    }

    /// True if the thread is known here, and not reported yet.
    private func awaits(_ parent: String) -> Bool {
        switch threads[parent]?.phase {
        case .waiting, .resuming, .awaitingParent: sessions[sessionID(parent)]?.isEnded ?? true
        case .catchingUp, .watched, .ignored, nil: false
        }
    }

    /// Joins the subagents that wait for this thread, which is reported now.
    mutating func joinSubagents(of parent: String) {
        for (name, thread) in threads.sorted(by: { $0.key < $1.key }) {
            if case .awaitingParent(parent, _, _) = thread.phase { goOn(name) }
        }
    }

    /// Continues with a thread that waited for its parent, which has come or will not.
    mutating func goOn(_ name: String) {
        guard case .awaitingParent(_, let result, _)? = threads[name]?.phase else { return watch(name) }
        if let thread = result.optional("thread") { join(name, thread, result) }
    }

    private mutating func listed(_ result: JSONValue, of name: String) {
        let last = result.list("data").first
        guard case .catchingUp? = threads[name]?.phase, let session = sessions[sessionID(name)], let reported = session.turn,
            !session.isReverted, session.delegation == nil, let last, last.text("id") != reported
        else {
            if sessions[sessionID(name)]?.revertedTo == last?.text("id") ?? "" { sessions[sessionID(name)]?.isReverted = false }
            sessions[sessionID(name)]?.revertedTo = nil
            return caughtUp(name, last, revertedTo: last)
        }
        // The last reported turn can have been followed by others, or reverted.
        threads[name]?.keep(last: last)
        call(.listRecentTurns(thread: name))
    }

    /// Handles the newest turns. The last reported one is among them, if an earlier one is, unless it was reverted.
    private mutating func recentListed(_ result: JSONValue?, of name: String) {
        guard let last = threads[name]?.takeLast(), let session = sessions[sessionID(name)], let reported = session.turn else {
            return
        }
        let turns = result?.list("data") ?? []
        let names = turns.map { $0.text("id") }
        let place = names.firstIndex { $0.map(session.earlierTurns.contains) == true }
        guard let place, !names.contains(reported) else { return caughtUp(name, last, revertedTo: nil) }
        missedRevert(to: last, in: sessionID(name))
        caughtUp(name, last, revertedTo: turns[place...].first { Self.prompt(of: $0) != nil })
    }

    /// Handles a revert of which no message has reached us so far.
    private mutating func missedRevert(to last: JSONValue?, in id: SessionID) {
        sessions[id]?.usage.reverted()
        sessions[id]?.isReverted = true
        sessions[id]?.revertedTo = last?.text("id") ?? ""
    }

    private mutating func caughtUp(_ name: String, _ last: JSONValue?, revertedTo kept: JSONValue?) {
        tellReverted(to: kept, in: sessionID(name))
        guard case .catchingUp? = threads[name]?.phase else { return }
        if let last, let id = last.text("id") { catchUp(last, id, in: sessionID(name), name) }
        watch(name)
    }

    /// Reports the point from which the conversation continues: later events stay, but do not count any more.
    private mutating func tellReverted(to last: JSONValue?, in id: SessionID) {
        guard sessions[id]?.isReverted == true else { return }
        sessions[id]?.isReverted = false
        // Events are numbered differently at the relay, so the number is left out.
        let shown = last.flatMap(Self.prompt).map { line($0) }
        emit(.rewound(to: 0), in: id) { $0.field("text", shown) }
    }

    /// The last prompt of a turn; one that was steered has several.
    private static func prompt(of turn: JSONValue) -> String? {
        turn.list("items").compactMap { item -> String? in
            guard case .prompt(let text, _)? = CodexItem(item)?.kind else { return nil }
            return text
        }.last
    }

    /// Reports the missed part of the last turn. An old turn of a thread that is new to us is in the past, and is not reported.
    private mutating func catchUp(_ turn: JSONValue, _ id: String, in session: SessionID, _ name: String) {
        let isRunning = turn.text("status") == "inProgress"
        let age = turn.whole("completedAt").map { now.wall - $0 * 1_000 } ?? .max
        let isNews = isRunning || threads[name]?.wasSeenActive == true || age < limits.recent.milliseconds
        // A turn that was reported earlier is the last one again if the turns after it were reverted.
        let isPast = (sessions[session]?.turn == nil && !isNews) || sessions[session]?.earlierTurns.contains(id) == true
        sessions[session]?.begin(id, countMax: limits.toldTurnsMax)
        sessions[session]?.activeTurn = isRunning ? id : nil
        for item in turn.list("items") {
            spawned(item)
            if isRunning, threads[name]?.wasSeenActive == true { reviews(item, in: id, of: session) }
            guard let item = CodexItem(item) else { continue }
            if isPast { _ = sessions[session]?.tell(item.id, countMax: limits.toldMax) } else { finish(item, in: session) }
        }
        for approval in desk.approvals where isOwn(approval, of: session) {
            if approval.prompt != id || !isRunning { tellDesk(.shown(approval.id, .turnEnded(wentOn: false))) }
        }
        // The turn may have ended before we received the thread's messages. One that has begun since is reported next.
        if !isRunning {
            settle(turn: id, isInterrupted: turn.text("status") == "interrupted", in: session)
            setStatus(.idle, reason: sessions[session]?.background, in: session)
            // Codex repeats the usage of an ended turn only to a client that reads the whole conversation.
            if !isPast, sessions[session]?.seeks(id, countMax: limits.callsMax) == true { call(.readWhole(thread: name)) }
        }
    }

    /// From here on the thread's messages are reported as they arrive.
    mutating func watch(_ name: String) {
        guard let buffered = threads[name]?.takeBuffered() else { return }
        threads[name]?.phase = .watched
        threads[name]?.isLetGo = false
        for (document, token) in buffered { if let message = CodexMessage(document) { learn(message, token) } }
        call(.listTerminals(thread: name))
        isWatchedAgain(name)
    }

    mutating func letGo(_ name: String) {
        threads[name]?.phase = .waiting(due: nil)
        threads[name]?.wasSeenActive = false
        threads[name]?.isLetGo = true
        sessions[sessionID(name)]?.areTerminalsKnown = false
        call(.unsubscribe(thread: name))
    }

    // MARK: Notifications

    private mutating func notified(_ method: String, _ params: JSONValue) {
        switch method {
        case "thread/started": threadStarted(params)
        case "thread/status/changed": statusChanged(params)
        case "thread/closed", "thread/deleted": threadGone(params)
        case "thread/reverted": reverted(params)
        case "thread/archived":
            threadGone(params)
            if let name = params.text("threadId") { archived(name) }
        default:
            guard let name = params.text("threadId"), threads[name]?.isWatched == true else { return }
            notified(method, params, in: sessionID(name))
        }
    }

    private mutating func notified(_ method: String, _ params: JSONValue, in session: SessionID) {
        if method.hasPrefix("item/") { reachesItsModel(session) }
        switch method {
        case "error": retries(params, in: session)
        case "turn/started": turnStarted(params, in: session)
        case "turn/completed": turnCompleted(params, in: session)
        case "turn/plan/updated": planUpdated(params, in: session)
        case "item/started":
            if let item = params.optional("item") { reviews(item, in: params.text("turnId"), of: session) }
            if let item = params.optional("item").flatMap(CodexItem.init) { begin(item, in: session) }
        case "item/completed":
            if let item = params.optional("item") { spawned(item) }
            if let item = params.optional("item").flatMap(CodexItem.init) { finish(item, in: session) }
        case "item/agentMessage/delta": messageGrew(params, in: session)
        case "item/commandExecution/outputDelta": printed(params, in: session)
        case "item/commandExecution/terminalInteraction": typed(params, in: session)
        case "thread/tokenUsage/updated":
            guard var known = sessions[session], let usage = params.optional("tokenUsage") else { return }
            let told = known.usage.take(usage, turn: params.text("turnId"), thread: known.thread, model: known.model)
            if known.usage != sessions[session]?.usage { known.hasNews = true }
            sessions[session] = known
            guard let told else { return }
            if known.delegation == nil { emit(.usage(told), in: session) } else { add(told, of: session) }
        case "thread/settings/updated": if let settings = params.optional("threadSettings") { isSet(to: settings, in: session) }
        case "thread/name/updated": if let title = params.text("threadName") { rename(session, title) }
        case "serverRequest/resolved":
            if let id = params.optional("requestId") { requestResolved(Array(id.bytes), in: session) }
        default: break
        }
    }

    private mutating func threadStarted(_ params: JSONValue) {
        guard let thread = params.optional("thread"), let name = thread.text("id"), hasRoom(for: name) else { return }
        if thread.isTrue("ephemeral") { threads[name]?.phase = .ignored }
    }

    private mutating func threadGone(_ params: JSONValue) {
        guard let name = params.text("threadId") else { return }
        threads[name] = nil
        refuseParked(name, "Codex has closed this thread")
        if sessions[sessionID(name)]?.isEnded == false { end(sessionID(name), reason: nil, isGone: false) }
    }

    /// Handles an unloaded thread. It has ended, unless it is loaded again at once, as a reverted one is.
    private mutating func unloaded(_ name: String, _ params: JSONValue) {
        let id = sessionID(name)
        guard !shelving.contains(name), threads[name]?.isWatched == true, sessions[id]?.isEnded == false else {
            return threadGone(params)
        }
        threads[name] = nil
        refuseParked(name, "Codex has closed this thread")
        sessions[id]?.forgetTurn()
        sessions[id]?.settings = CodexThreadSettings()
        sessions[id]?.unloadedAt = now.monotonic
    }

    private mutating func reverted(_ params: JSONValue) {
        guard let name = params.text("threadId"), sessions[sessionID(name)]?.isEnded == false else { return }
        let id = sessionID(name)
        sessions[id]?.usage.reverted()
        sessions[id]?.isReverted = true
        sessions[id]?.hasNews = true
        if threads[name]?.isWatched == true { call(.listTurns(thread: name)) }
    }

    private mutating func statusChanged(_ params: JSONValue) {
        guard let name = params.text("threadId"), let status = params.optional("status"), hasRoom(for: name) else { return }
        if status.text("type") == "notLoaded" { return unloaded(name, params) }
        if threads[name]?.isWaiting == true {
            if status.text("type") == "active" {
                threads[name]?.wasSeenActive = true
                threads[name]?.showsLife()
            }
            return resume(name)
        }
        if status.text("type") == "active" { threads[name]?.wasSeenActive = true }
        if threads[name]?.isWatched == true { show(status, in: sessionID(name)) }
    }
}
