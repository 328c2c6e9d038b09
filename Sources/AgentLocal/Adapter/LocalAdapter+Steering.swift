internal import HostCore
internal import RelayProtocol

/// Steering of programs' sessions: commands go to the program's open request, and the program reports their outcomes.
extension LocalAdapter {
    private static let taken = Array("{}".utf8)
    private static let unoffered = LocalError(
        .conflict, at: LocalError.offerPath, "say first what can be done to it: agent/steering")
    private static let outdated = LocalError(.conflict, at: "$.run", "a newer run of the program has this session now")

    mutating func said(_ steering: LocalSteering, by process: AgentProcess?, _ token: HookToken) {
        let id = sessionID(steering.session)
        switch steering.word {
        case .stands(let offer, let standing):
            guard hasRoom(for: [id]) else { return refuse(token, tooManySessions) }
            guard sessions[id]?.isEnded != true else {
                return refuse(token, LocalError(.conflict, at: "$.session", "this session has ended"))
            }
            ensure(id, nil, by: process, at: nil)
            if sessions[id]?.program == nil { sessions[id]?.program = SteeredProgram() }
            guard let orders = sessions[id]?.program?.stands(offer, standing, by: steering.run) else {
                return refuse(token, Self.outdated)
            }
            carryOut(orders, in: id)
            steered.insert(id)
            showStatus(standing, of: id)
            order(.offer(id, offer))
            stand(id)
            order(.respond(token, Self.taken))
        case .waits:
            guard let program = sessions[id]?.program else { return refuse(token, Self.unoffered) }
            // If its previous request broke off, the offer was withdrawn, and is made again.
            if program.run == steering.run { order(.offer(id, program.offer)) }
            carryOut(sessions[id]?.program?.waits(token, by: steering.run, at: now) ?? [], in: id)
        case .told(let change):
            carryOut(sessions[id]?.program?.told(change, by: steering.run) ?? [], in: id)
            order(.respond(token, Self.taken))
        }
    }

    /// Derives a status for a program that reports none, whose session would otherwise be starting for ever.
    private mutating func showStatus(_ standing: SteeringStanding, of id: SessionID) {
        let status = standing == .idle ? SessionStatus.idle : .running
        guard let session = sessions[id], !session.isStatusSaid, session.status != status else { return }
        sessions[id]?.status = status
        sessions[id]?.statusReason = nil
        if session.idleReason != nil { remember(id) }
        emit(.statusChanged(status, reason: nil), in: id, at: nil)
    }

    mutating func steer(_ request: SteeringRequest) {
        guard let orders = sessions[request.session]?.program?.asked(request, at: now) else {
            return order(.notGiven(request, "this session cannot be steered"))
        }
        carryOut(orders, in: request.session)
    }

    /// Handles the end of the program's open request, which showed that it was alive.
    mutating func programGone(_ token: HookToken) {
        guard let id = steered.first(where: { sessions[$0]?.program?.hasLeft(token) == true }) else { return }
        let orders = sessions[id]?.program?.gone() ?? []
        let hold = sessions[id]?.program?.offer.hold
        // Sent first: the end of one command would otherwise make the desk give the next one, which no program would receive.
        order(.offer(id, SteeringOffer(reason: "the program that runs this session does not wait for commands", hold: hold)))
        carryOut(orders, in: id)
    }

    mutating func programEnded(_ id: SessionID) {
        guard steered.remove(id) != nil else { return }
        carryOut(sessions[id]?.program?.over() ?? [], in: id)
        sessions[id]?.program = nil
    }

    mutating func programsTimerFired() {
        for id in inOrder(steered) { carryOut(sessions[id]?.program?.timerFired(at: now) ?? [], in: id) }
    }

    /// Updates the sessions' readiness. An open question makes its session wait, whatever the program reports.
    mutating func standAnew() {
        guard !steered.isEmpty else { return }
        let asking = Set(desk.approvals.filter(\.isOpen).map(\.session))
        for id in inOrder(steered.filter { sessions[$0]?.stood != standing(of: $0, asking) }) { stand(id) }
    }

    private mutating func stand(_ id: SessionID) {
        guard let standing = standing(of: id, Set(desk.approvals.filter(\.isOpen).map(\.session))) else { return }
        sessions[id]?.stood = standing
        order(.stands(id, standing))
    }

    private func standing(of id: SessionID, _ asking: Set<SessionID>) -> SteeringStanding? {
        asking.contains(id) ? .waiting : sessions[id]?.program?.standing
    }

    /// Sorted, so that the same facts give the same orders.
    private func inOrder(_ ids: Set<SessionID>) -> [SessionID] { ids.sorted { $0.rawValue < $1.rawValue } }

    private mutating func carryOut(_ orders: [SteeredProgram.Order], in id: SessionID) {
        for effect in orders {
            switch effect {
            case .hand(let request, let token): order(.respond(token, MessageToHost.steer(request).bytes))
            case .nothing(let token): order(.respond(token, nil))
            case .replaced(let token):
                refuse(token, LocalError(.conflict, at: "$.session", "another request of this session waits now"))
            case .unoffered(let token): refuse(token, Self.unoffered)
            case .outdated(let token): refuse(token, Self.outdated)
            case .told(let change): order(.steered(id, change))
            }
        }
    }
}
