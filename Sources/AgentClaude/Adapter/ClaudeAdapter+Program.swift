internal import HostCore
internal import RelayProtocol

/// Steering of the sessions that `heliograph run` runs: what is asked is handed to it, and what it says has become of it is passed on.
extension ClaudeAdapter {
    /// To say that a request was taken; none at all is said of a session that no hook has told of yet.
    private static let taken = Array("{}".utf8)

    mutating func programSaid(_ word: SteeredWord, in id: SessionID, _ token: HookToken) {
        guard sessions[id]?.isEnded == false else { return order(.respond(token, nil)) }
        switch word {
        case .stands(let offer, let standing):
            if sessions[id]?.program == nil { sessions[id]?.program = SteeredProgram() }
            sessions[id]?.program?.stands(offer, standing)
            self.offer(id)
            order(.stands(id, standing))
            order(.respond(token, Self.taken))
        case .waits:
            guard let orders = sessions[id]?.program?.waits(token, at: now) else { return order(.respond(token, nil)) }
            carryOut(orders, in: id)
        case .told(let change):
            carryOut(sessions[id]?.program?.told(change) ?? [], in: id)
            order(.respond(token, Self.taken))
        }
    }

    mutating func hand(_ request: SteeringRequest) {
        carryOut(sessions[request.session]?.program?.asked(request, at: now) ?? [], in: request.session)
    }

    /// Its request is gone, and so is it: the agent loses its input and ends.
    mutating func programGone(_ token: HookToken) {
        guard
            let id = sessions.keys.first(where: { sessions[$0]?.program?.hasLeft(token) == true })
        else { return }
        carryOut(sessions[id]?.program?.gone() ?? [], in: id)
        sessions[id]?.program = nil
        order(.offer(id, SteeringOffer(reason: "The program that ran it is gone, and the agent ends.")))
    }

    /// Its session has ended.
    mutating func programEnded(_ id: SessionID) {
        carryOut(sessions[id]?.program?.over() ?? [], in: id)
        sessions[id]?.program = nil
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
            case .nothing(let token), .replaced(let token): order(.respond(token, nil))
            case .told(let change): order(.steered(id, change))
            }
        }
    }
}
