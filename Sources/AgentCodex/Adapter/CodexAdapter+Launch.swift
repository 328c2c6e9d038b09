internal import HostCore
internal import RelayProtocol

/// New and resumed threads on the server that Codex shares with its terminal, where `codex resume` opens either.
///
/// Codex accepts any folder without asking, so the host's own check decides. A thread is resumed only if Codex lists it for that
/// folder.
extension CodexAdapter {
    mutating func launch(_ launch: LaunchOrder) {
        guard isGreeted else { return wait(launch) }
        switch launch.launch.purpose {
        case .start: call(.startThread(held(launch)))
        case .resume, .past: call(.listPast(launch))
        }
    }

    /// The launch with the policy of a hold if the session is held from its first turn on.
    private func held(_ launch: LaunchOrder, as session: SessionID? = nil) -> LaunchOrder {
        guard session.map(holds.contains) ?? holds.everySession else { return launch }
        var held = launch.launch
        held.mode = CodexThreadSettings.askingMost
        return LaunchOrder(name: launch.name, launch: held, folder: launch.folder)
    }

    // MARK: Where no server is there, it is started first

    private mutating func wait(_ launch: LaunchOrder) {
        guard waitingLaunches.count < limits.waitingLaunchesMax else {
            return refuse(launch, "too much waits for Codex's server there: try again in a moment")
        }
        waitingLaunches.append((launch, now.monotonic + limits.serverWithin.milliseconds))
        order(.own(.startServer))
    }

    mutating func launchWaiting() {
        let waiting = waitingLaunches
        waitingLaunches = []
        for (launch, _) in waiting { self.launch(launch) }
    }

    mutating func notStarted(_ reason: String) {
        for (launch, _) in waitingLaunches { refuse(launch, reason) }
        waitingLaunches = []
    }

    mutating func refuseOverdueLaunches() {
        let overdue = waitingLaunches.filter { $0.until <= now.monotonic }
        waitingLaunches.removeAll { $0.until <= now.monotonic }
        for (launch, _) in overdue { refuse(launch, "Codex's server does not answer on that machine") }
    }

    // MARK: What Codex says of it

    mutating func begun(_ launch: LaunchOrder, _ result: JSONValue) {
        guard let thread = result.optional("thread"), let name = thread.text("id"), hasRoom(for: name) else {
            return refuse(launch, "Codex does not say which thread has begun")
        }
        // A client that starts a thread receives its messages from the beginning, so nothing was missed.
        threads[name]?.phase = .watched
        threads[name]?.checkout = checkout
        startSession(name, thread, model: result.text("model"))
        sessions[sessionID(name)]?.areTerminalsKnown = true
        isSet(to: result, in: sessionID(name))
        isWatchedAgain(name)
        tell(launch, began: sessionID(name))
    }

    mutating func listed(_ launch: LaunchOrder, _ result: JSONValue) {
        let threads = result.list("data").filter { $0.text("cwd") == launch.folder && !$0.isTrue("ephemeral") }
        guard case .resume(let past) = launch.launch.purpose else {
            let sessions = threads.compactMap { thread -> PastSession? in
                guard let id = thread.text("id"), id.utf8.count <= WireLimits.nameBytesMax else { return nil }
                let title = line(thread.text("name") ?? thread.text("preview") ?? "", bytesMax: limits.pastTitleBytes)
                let seconds = thread.whole("updatedAt") ?? thread.whole("createdAt") ?? 0
                return PastSession(id: id, title: title, at: max(0, seconds) * 1_000)
            }
            return order(.launched(launch.name, .listed(sessions)))
        }
        guard threads.contains(where: { $0.text("id") == past }), hasRoom(for: past) else {
            return refuse(launch, "this project has no such session")
        }
        // The thread is open in this very server, which accepts several clients of one thread.
        if self.threads[past]?.isWatched == true { return tell(launch, began: sessionID(past)) }
        call(.reopen(held(launch, as: sessionID(past)), thread: past))
    }

    mutating func reopened(_ launch: LaunchOrder, _ name: String, _ result: JSONValue) {
        resumed(name, result)
        guard threads[name]?.isIgnored != true else { return refuse(launch, "Codex does not open this thread again") }
        tell(launch, began: sessionID(name))
    }

    /// Refuses a launch, for a reason such as "already has an active writer": there is never a second writer.
    mutating func refuse(_ launch: LaunchOrder, _ reason: String) {
        order(.launched(launch.name, .refused(line(reason))))
    }

    /// Reports that a launched thread offers prompts. The offer comes from the one server that was asked to open it.
    mutating func tellArrived(_ id: SessionID) {
        for (name, _) in arriving.filter({ $0.session == id }) { order(.launched(name, .arrived)) }
        arriving.removeAll { $0.session == id }
    }

    private mutating func tell(_ launch: LaunchOrder, began id: SessionID) {
        order(.launched(launch.name, .began(id, nil)))
        arriving.append((launch.name, id))
        if arriving.count > limits.waitingLaunchesMax { arriving.removeFirst() }
        // Makes the offer be sent again, even if it is the same.
        sessions[id]?.offer = nil
        stirred.insert(id)
    }
}
