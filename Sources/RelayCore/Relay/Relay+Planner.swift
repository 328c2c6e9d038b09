import PushPlanner
import RelayModel
import RelayProtocol

/// Passes facts to the push planner, and carries out its orders.
extension Relay {
    mutating func tellPlanner(_ fact: PlannerFact, at now: Instant) {
        var sight = Sight(sessions: shown, expiries: sessions.deadlines)
        // Only the weekly fact reads costs; others come with every commit.
        if case .timerFired(.weekly) = fact { sight.costs = { [costs] in costs.report(on: $0, in: $1, at: now) } }
        let orders = planner.handle(fact, seeing: sight, at: now)
        for order in orders { carryOut(order, at: now) }
    }

    /// Reports changed sessions or clients to the planner, unless there is no device to notify.
    mutating func tellPlanner(changesOf keys: [SessionKey], at now: Instant) {
        if !planner.isIdle { tellPlanner(.sessionsChanged(keys), at: now) }
    }

    mutating func tellPlanner(committed batch: Staging, at now: Instant) {
        if !batch.orders.isEmpty { tellPlanner(.committed(batch.orders), at: now) }
        answer(batch.recordWaiters, .done)
    }

    mutating func tellPlanner(failed batch: Staging, _ reason: String, at now: Instant) {
        answer(batch.recordWaiters, .failed(.unavailable, reason))
        tellPlanner(
            .commitFailed(LostPlan(records: batch.records, orders: batch.orders, tied: batch.tied)), at: now)
    }

    mutating func askPlanner(
        _ command: ClientCommand, _ id: CommandID, of client: ClientPeer, _ peer: PeerID, at now: Instant
    ) {
        var namesNoSession = false
        if case .card(_, let report) = command, let session = report.session {
            let key = SessionKey(workspace: client.workspace, session: session)
            namesNoSession = isKnown(key) && removed[key] == nil
        }
        tellPlanner(
            .clientAsked(ClientRequest(command, id, by: peer, of: client.identity, namesNoSession: namesNoSession)), at: now)
    }

    private mutating func answer(_ waiters: [RecordWaiter], _ answer: Reply) {
        for waiter in waiters where presence.clients[waiter.peer] != nil {
            orders.reply(answer, to: waiter.command, of: waiter.peer)
        }
    }

    private mutating func carryOut(_ order: PlannerOrder, at now: Instant) {
        switch order {
        case .reply(let answer, let command, let peer): orders.reply(answer, to: command, of: peer)
        case .replyWhenStaged(let command, let peer):
            staging.recordWaiters.append(RecordWaiter(peer: peer, command: command))
        case .tell(let message, let peers):
            orders.send(message, to: peers.filter { presence.clients[$0] != nil && !subscriptions.isCongested($0) })
        case .stage(let record): staging.records.append(record)
        case .stageOrder(let order): staging.orders.append(order)
        case .stageFirst(let records, let orders):
            staging.records = records + staging.records
            staging.orders = orders + staging.orders
        case .tie(let device, let alert): staging.tied[device, default: []].insert(alert)
        case .push(let order): orders.add(.push(order))
        case .withdraw(let push): orders.add(.withdrawPush(push))
        case .allowanceReached(let workspace):
            orders.add(.quotaReached(.pushesPerDayPerWorkspace))
            tell(.pushesPerDay, in: workspace, at: now)
        case .armTimer(let timer, let after): orders.add(.armTimer(.push(timer), after: after))
        case .cancelTimer(let timer): orders.add(.cancelTimer(.push(timer)))
        case .decide(let decide, let command, let client, let peer, let push):
            self.decide(decide, command, as: client, peer, with: push, at: now)
        }
    }

    /// Decides by a notification's code: for the duration of the command its presenter is treated as a connected client.
    private mutating func decide(
        _ decide: DecideCommand, _ command: CommandID, as identity: ClientIdentity, _ peer: PeerID, with push: PushID,
        at now: Instant
    ) {
        clientConnected(peer, identity, hasSaidHello: true)
        guard let client = presence.clients[peer] else {
            preconditionFailure("the presenter of a code is a client from here on")
        }
        run(.decide(decide), command, of: client, peer, at: now)
        let key = SessionKey(workspace: identity.workspace.id, session: decide.session)
        guard sessions.staged(key)?.approvals[decide.approval]?.decision?.command == command else { return }
        tellPlanner(.codeDecided(push), at: now)
    }
}
