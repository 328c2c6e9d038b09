internal import HostCore
internal import RelayProtocol

/// Steering of the sessions that `heliograph run` runs: commands are handed to it, and the outcomes that it reports are passed on.
extension ClaudeAdapter {
    /// Answer to an accepted request. A request for a session that no hook has reported yet gets none.
    private static let taken = Array("{}".utf8)

    mutating func programSaid(_ word: SteeredWord, in id: SessionID, by run: ProgramRun?, _ token: HookToken) {
        guard let session = sessions[id], !session.isEnded, !session.hasLeft(run, at: now) else {
            return order(.respond(token, nil))
        }
        switch word {
        case .stands(let offer, let standing):
            var program = session.program ?? SteeredProgram()
            guard let orders = program.stands(offer, standing, by: run) else { return order(.respond(token, nil)) }
            if session.program == nil { sessions[id]?.programAgent = session.process }
            sessions[id]?.program = program
            carryOut(orders, in: id)
            self.offer(id)
            order(.stands(id, standing))
            order(.respond(token, Self.taken))
        case .waits:
            guard let orders = sessions[id]?.program?.waits(token, by: run, at: now) else {
                return order(.respond(token, nil))
            }
            carryOut(orders, in: id)
        case .told(let change):
            carryOut(sessions[id]?.program?.told(change, by: run) ?? [], in: id)
            order(.respond(token, Self.taken))
        }
    }

    mutating func hand(_ request: SteeringRequest) {
        if case .interrupt = request.action { sessions[request.session]?.interruptHandedAt = now.monotonic }
        carryOut(sessions[request.session]?.program?.asked(request, at: now) ?? [], in: request.session)
    }

    /// True shortly after a client's interrupt: a call that is refused now was refused by the interrupt, not by a person.
    func isBeingInterrupted(_ id: SessionID) -> Bool {
        guard let at = sessions[id]?.interruptHandedAt else { return false }
        return now.monotonic - at < limits.interruptWithin.milliseconds
    }

    /// Handles the end of a program's request, and so of the program: the agent loses its input and ends.
    mutating func programGone(_ token: HookToken) {
        guard
            let id = sessions.keys.first(where: { sessions[$0]?.program?.hasLeft(token) == true })
        else { return }
        let orders = sessions[id]?.program?.gone() ?? []
        sessions[id]?.program = nil
        // The offer is withdrawn first: otherwise the end of one command would make the desk give the next, which no program would
        // receive.
        if sessions[id]?.process == sessions[id]?.programAgent {
            order(.offer(id, SteeringOffer(reason: "The program that ran it is gone, and the agent ends.")))
        } else {
            // The session continues at the terminal that has opened it.
            offer(id)
            stand(id)
        }
        carryOut(orders, in: id)
    }

    mutating func programEnded(_ id: SessionID) {
        carryOut(sessions[id]?.program?.over() ?? [], in: id)
        if let run = sessions[id]?.program?.run {
            sessions[id]?.leaver = (run, now.monotonic + limits.programLeavesWithin.milliseconds)
        }
        sessions[id]?.program = nil
    }

    /// Launches a session. If two processes write one session, one loses what it wrote, so a session that hooks have reported is
    /// not resumed while its process exists, whatever Claude Code's registry says. If that process is gone unnoticed, the session
    /// ends first.
    mutating func launch(_ launch: LaunchOrder) {
        var holder: AgentProcess?
        if case .resume(let past) = launch.launch.purpose, let id = SessionID("claude-" + past.lowercased()),
            let session = sessions[id], !session.isEnded
        {
            holder = session.process
        }
        if let holder { order(.checkAgents([holder])) }
        order(.launch(launch, openIn: holder))
    }

    mutating func launched(_ name: SteeringName, _ outcome: LaunchOutcome) {
        order(.launched(name, outcome))
        switch outcome {
        case .began(let id, let process?): begun[name] = (id, process)
        case .began, .arrived, .listed: break
        case .refused, .ended: begun[name] = nil
        }
    }

    /// Handles the offer of a started process. Another process may resume the same session at a terminal in the same moment: only
    /// one of the two gets it, and only ours is the requested one.
    mutating func programOffered(_ offer: SteeringOffer, _ id: SessionID, _ process: AgentProcess?) {
        guard let process, offer.actions.contains(.prompt), sessions[id]?.program != nil else { return }
        for (name, its) in begun where its == (id, process) {
            begun[name] = nil
            order(.launched(name, .arrived))
        }
    }

    mutating func programsTimerFired() {
        for session in sessionsInOrder where session.program != nil {
            carryOut(sessions[session.id]?.program?.timerFired(at: now) ?? [], in: session.id)
        }
    }

    private mutating func carryOut(_ orders: [SteeredProgram.Order], in id: SessionID) {
        for effect in orders {
            switch effect {
            case .hand(let request, let token): order(.respond(token, MessageToHost.steer(request).bytes))
            // The program that made this request waits a moment, and then reports its offer again.
            case .nothing(let token), .replaced(let token), .unoffered(let token), .outdated(let token):
                order(.respond(token, nil))
            case .told(let change): order(.steered(id, change))
            }
        }
    }
}
