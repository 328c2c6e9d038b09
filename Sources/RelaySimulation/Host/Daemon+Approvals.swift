import HostCore
import RelayProtocol

/// Asked, decided, delivered, ended: what every adapter owes the relay and its agent.
extension Daemon {
    func tell(_ news: HostMachine.News, of agent: Agent) {
        switch news {
        case .started(let run):
            var facts = SessionFacts(agentName: "simulated")
            facts.run = "\(run)"
            _ = record([Record(session: agent.session, head: .sessionStarted(facts))])
        case .worked(let heads):
            overtaken(agent, except: nil)
            _ = record(heads.map { Record(session: agent.session, head: $0) })
        case .asked(let ask): asked(ask, agent)
        case .proven(let token, let ran, let isOurs): proven(token, ran: ran, isOurs: isOurs, agent)
        case .hookGone(let token):
            for approval in adapter.inOrder where approval.token == token {
                resolve(approval.id, .approvalCancelled(approval.id, reason: "deniedLocally"))
            }
        case .gone(let run): gone(run, agent)
        case .ended(let session):
            overtaken(agent, except: nil)
            _ = record([Record(session: session, head: .sessionEnded(reason: "done", failed: false))])
        }
    }

    func gone(_ run: Int, _ agent: Agent) {
        for approval in adapter.inOrder where approval.run == run && agent.owns(approval.session) {
            resolve(approval.id, .approvalCancelled(approval.id, reason: "agentGone"))
        }
    }

    private func asked(_ ask: Agent.Ask, _ agent: Agent) {
        if ask.attempts > 1, let known = adapter.inOrder.first(where: { $0.token == ask.token }) {
            return reclaim(known, ask, agent)
        }
        overtaken(agent, except: ask.token)
        guard machine.daemon === self else { return }
        let id = ApprovalID(world.name("a"))!
        let expiresAt = machine.instant.wall + ask.life
        var request = ApprovalRequest(approval: id, kind: .tool, tool: "Bash", title: "Run \(ask.token)", digest: ask.digest)
        request.expiresAt = expiresAt
        request.alert = (try? JSONDocument(parsing: #"{"command":"\(ask.token)"}"#).root).flatMap {
            RequestWords(request, input: $0)
        }
        var approval = Adapter.Open(
            id: id, session: agent.session, run: ask.run, token: ask.token, digest: ask.digest, expiresAt: expiresAt,
            phase: .open(token: ask.token))
        approval.steadyEnd = world.now + ask.life
        adapter.open[id] = approval
        world.freedom.asked(id, token: ask.token, run: ask.run, digest: ask.digest)
        let isRecorded = record(
            [Record(session: agent.session, head: .approvalRequested(request))], notes: [(id.rawValue, approval.note)])
        if !isRecorded, machine.daemon === self {
            // Nobody will ever see the question.
            adapter.open[id] = nil
            _ = record([], notes: [(id.rawValue, nil)])
            agent.answered(ask.token, nil, of: nil)
        }
    }

    /// The hook of an earlier life calls again.
    private func reclaim(_ known: Adapter.Open, _ ask: Agent.Ask, _ agent: Agent) {
        guard known.digest == ask.digest, known.run == ask.run else { return }
        var approval = known
        approval.phase = .open(token: ask.token)
        adapter.open[known.id] = approval
        if let held = approval.held {
            apply(held.digest, held.decision, to: approval, agent)
        } else if let isAllowed = approval.handed {
            // It asks again, so it never got what was handed over.
            deliver(isAllowed ? .allow : .deny(message: nil), to: approval, agent)
        }
    }

    func decided(_ session: SessionID, _ id: ApprovalID, _ digest: InputDigest, _ decision: Decision) {
        guard let approval = adapter.open[id] else {
            if adapter.closed[id] != true {
                let reason = adapter.closed[id] == nil ? "unknownApproval" : "expired"
                adapter.closed[id] = true
                _ = record([Record(session: session, head: .approvalStale(id, reason: reason))])
            }
            return
        }
        guard let agent = machine.agents.first(where: { $0.session == session }) else { return }
        switch approval.phase {
        case .open: apply(digest, decision, to: approval, agent)
        case .orphaned: adapter.open[id]?.held = (digest, decision)
        case .answered: break
        }
    }

    private func apply(_ digest: InputDigest, _ decision: Decision, to approval: Adapter.Open, _ agent: Agent) {
        guard digest == approval.digest else {
            return resolve(approval.id, .approvalStale(approval.id, reason: "digestMismatch"))
        }
        deliver(decision.verdict, to: approval, agent)
    }

    private func deliver(_ verdict: Decision.Verdict, to approval: Adapter.Open, _ agent: Agent) {
        var answered = approval
        answered.phase = .answered
        answered.handed = verdict == .allow
        answered.held = nil
        adapter.open[approval.id] = answered
        // The note first: a crash between the two makes the next life hand it over again, to the same hook.
        let isRecorded = record(
            [Record(session: approval.session, head: .approvalDelivered(approval.id))],
            notes: [(approval.id.rawValue, answered.note)])
        guard machine.daemon === self else { return }
        guard isRecorded else {
            // What is not known to be written down has not been handed over.
            resolve(approval.id, .approvalStale(approval.id, reason: "notRecorded"))
            return agent.answered(approval.token, nil, of: nil)
        }
        world.after(world.dice.within(0...2)) { _ in agent.answered(approval.token, verdict, of: approval.id) }
    }

    private func proven(_ token: Int, ran: Bool, isOurs: Bool, _ agent: Agent) {
        for approval in adapter.inOrder where approval.token == token && agent.owns(approval.session) {
            if isOurs {
                resolve(approval.id, .approvalApplied(approval.id, outcome: ran ? .ran : .denied))
            } else if approval.handed != nil {
                resolve(approval.id, .approvalStale(approval.id, reason: ran ? "allowedLocally" : "deniedLocally"))
            } else {
                resolve(approval.id, .approvalCancelled(approval.id, reason: ran ? "allowedLocally" : "deniedLocally"))
            }
        }
    }

    /// The agent goes on, so what it asked before is over, whatever became of it.
    private func overtaken(_ agent: Agent, except token: Int?) {
        for approval in adapter.inOrder where agent.owns(approval.session) && approval.token != token {
            guard let isAllowed = approval.handed else {
                resolve(approval.id, .approvalCancelled(approval.id, reason: "turnEnded"))
                continue
            }
            resolve(
                approval.id,
                isAllowed ? .approvalStale(approval.id, reason: "unconfirmed") : .approvalApplied(approval.id, outcome: .denied)
            )
        }
    }

    /// The end of an approval: told, forgotten, and whoever waits gets no decision. Nil where the relay says so itself.
    private func resolve(_ id: ApprovalID, _ end: EventHead?) {
        guard let approval = adapter.open.removeValue(forKey: id) else { return }
        adapter.closed[id] = end != nil
        if let end {
            _ = record([Record(session: approval.session, head: end)], notes: [(id.rawValue, nil)])
        } else {
            _ = record([], notes: [(id.rawValue, nil)])
        }
        // A daemon that ended while it wrote this down has ended nothing.
        guard machine.daemon === self else { return }
        world.freedom.ended(id)
        guard case .open(let token) = approval.phase else { return }
        for agent in machine.agents where agent.session == approval.session { agent.answered(token, nil, of: nil) }
    }

    func resolveOverdue() {
        for approval in adapter.inOrder {
            switch approval.phase {
            case .open where machine.instant.wall >= approval.expiresAt:
                // The relay says so itself after the same time; not where this clock was set forward meanwhile.
                let isDue = approval.steadyEnd.map { world.now >= $0 } ?? false
                resolve(approval.id, isDue ? nil : .approvalCancelled(approval.id, reason: "expired"))
            case .orphaned(let until) where world.now >= until:
                if approval.handed != nil {
                    adapter.open[approval.id]?.phase = .answered
                } else {
                    resolve(approval.id, .approvalCancelled(approval.id, reason: "hostRestarted"))
                }
            default: break
            }
            guard machine.daemon === self else { return }
        }
    }
}
