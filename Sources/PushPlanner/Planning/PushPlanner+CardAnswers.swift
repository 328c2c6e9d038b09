import RelayModel
import RelayProtocol

/// Apps' reports of their cards, and outcomes of pushes to them.
extension PushPlanner {
    // MARK: - What the app says

    mutating func reported(
        _ report: CardReport, by device: DeviceID, _ request: ClientRequest, at now: Instant
    ) {
        let key = CardKey(device: DeviceKey(workspace: request.workspace, device: device), session: report.session)
        guard devices[key.device] != nil else {
            reply(.noSuchDevice, to: request)
            return
        }
        // The card of a session that retention removed is kept until it has been ended. If that was impossible because the app had
        // reported no token, it is ended when one is reported.
        if let session = key.sessionKey, sight.sessions[session] == nil, cards[key] == nil,
            request.namesNoSession || report.token == nil
        {
            reply(.noSuchSession, to: request)
            return
        }
        if let token = report.token { takeCardToken(token, for: key, at: now) }
        var card = cards[key] ?? Card(after: devices[key.device]?.forgottenTimestamp)
        switch report.state {
        case .active, .stale:
            // An end that the service accepted is final: a card requested since is another one.
            if report.card == card.over, report.card != card.id { break }
            if card.isUnnamedListener, report.token == nil {
                endWait(for: card, on: key.device)
            } else if card.id != report.card || card.stage.word != .active {
                // Pushes to another card were not this one's, and it does not listen to that card's channel.
                if card.id != report.card {
                    card.stage.loseToken()
                    if card.stage.isAbsent { letGoOfChannel(of: &card, at: now) }
                } else if card.stage.word == .ended, !card.isRevived(by: report) {
                    break
                }
                if card.stage.word == .starting {
                    endWait(for: card, on: key.device)
                } else {
                    card.startedAt = now.wall
                }
                card.becomeActive()
            }
            card.id = report.card
            if let token = report.token {
                // A state that waits for its next attempt waited for a token.
                if token != card.token, card.tries > 0 { card.mailbox?.dueAt = now.wall }
                // A card has a token or a channel. It was taken for a listener and got nothing, or pushes to its old token may not
                // have arrived.
                if card.channel != nil || card.token.map({ $0 != token }) == true { card.forgetShown() }
                letGoOfChannel(of: &card, at: now)
                card.stage.take(token: token)
            }
            card.tokenAt = now.wall
            card.tries = 0
        case .ended, .dismissed:
            // The person or the system removed it: a small change does not start it again.
            if card.id.map({ $0 == report.card }) ?? !card.earlier.contains(report.card) {
                card.id = report.card
                card.stage.becomeEnded(isOwed: false)
                card.stage.loseToken()
                card.mailbox = nil
                letGoOfChannel(of: &card, at: now)
            }
        }
        if report.card == card.id { card.state = report.state }
        cards[key] = card
        if devices[key.device]?.settle([.cards, .channels]) == true { stageRecord(of: key.device) }
        stageRecord(of: key, isTold: report.token != nil)
        replyWhenStaged(to: request)
        if card.stage.word == .active { lookAtCard(key, at: now) } else { serve(key, at: now) }
        startNext(key.device, at: now)
    }

    /// Ends the wait for the report of a requested card. A card that was requested later is still waited for.
    private mutating func endWait(for card: Card, on device: DeviceKey) {
        guard let until = devices[device]?.startPendingUntil, until <= card.startedAt + PushPolicy.startPatience else { return }
        devices[device]?.startPendingUntil = 0
        stageRecord(of: device)
    }

    /// Starts the next card of the device, now that the requested one was reported or one has gone.
    private mutating func startNext(_ device: DeviceKey, at now: Instant) {
        guard devices[device].map({ $0.startPendingUntil <= now.wall }) == true else { return }
        for key in cardKeys(of: device) {
            guard let card = cards[key], card.stage.isAbsent, !card.isEndOwed, card.inFlight == nil,
                let waits = card.putOffUntil, card.mailbox?.dueAt == waits
            else { continue }
            cards[key]?.mailbox?.dueAt = now.wall
            serve(key, at: now)
        }
    }

    // MARK: - What became of pushes

    mutating func cardPushAnswered(_ planned: PlannedPush, _ key: CardKey, _ outcome: PushOutcome, at now: Instant) {
        guard var card = cards[key] else { return }
        if card.inFlight == planned.intent.id { card.inFlight = nil }
        switch outcome {
        case .accepted:
            card.tries = 0
            if planned.intent.purpose == .end {
                card.stage.settleEnd()
                if card.stage.word == .ended { card.over = card.id }
            }
            // The card already listens to its channel, so it can be reached before its app reports it.
            if planned.intent.purpose == .start, card.stage.word == .starting, card.channel != nil { card.becomeActive() }
        case .refused(let advice, _): cardWasRefused(planned, &card, key, advice, at: now)
        case .unknown, .notSent: failed(planned, &card, at: now)
        }
        // Nothing follows an end, so no other card may use its channel. The service keeps the end there for a phone that is
        // offline.
        if planned.intent.purpose == .end, !card.isEndOwed || !card.isReachable {
            letGoOfChannel(of: &card, keptFor: outcome.isAccepted ? PushPolicy.channelKept : 0, at: now)
        }
        cards[key] = card
        stageRecord(of: key)
        callsAnswered(planned, key, outcome, at: now)
        if card.isReachedUnnamed, planned.intent.purpose == .start { lookAtCard(key, at: now) } else { serve(key, at: now) }
    }

    private mutating func cardWasRefused(
        _ planned: PlannedPush, _ card: inout Card, _ key: CardKey, _ advice: PushAdvice, at now: Instant
    ) {
        switch advice {
        case .keepToken, .sendLater, .fixCredentials: failed(planned, &card, at: now)
        case .enableBroadcast:
            channels.close(to: planned.intent.app)
            letGoOfChannel(of: &card, at: now)
            failed(planned, &card, at: now)
        case .dropChannel:
            // A start names the channel that its card was to listen to.
            let gone = if case .broadcast(let channel) = planned.intent.target { channel } else { card.channel }
            if let gone { forgetChannel(gone) }
            guard card.channel == gone else { break }
            card.stage.loseChannel()
            guard card.token == nil else { break }
            // A card that listened to it stays on the screen until the system removes it.
            card.stage.becomeEnded(isOwed: planned.intent.purpose != .start && (card.stage.word == .active || card.isEndOwed))
        case .dropToken, .quarantineToken:
            switch planned.intent.purpose {
            // The app may have reported a card that it began itself.
            case .start: if card.stage.word == .starting { card.stage.becomeNone() }
            case .update, .end:
                // The app may have reported another card since, with another token.
                guard planned.intent.target == card.token.map({ .device(token: $0) }) else { break }
                card.stage.becomeEnded(isOwed: false)
                card.stage.loseToken()
                card.mailbox = nil
            case .alert, .channel: break
            }
        case .markProfile, .fixRequest:
            // The service would refuse the same push again; newer content is sent as another.
            if planned.intent.purpose == .start, card.stage.word == .starting { card.stage.becomeNone() }
            card.stage.settleEnd()
            if planned.intent.purpose != .update { card.mailbox = nil }
        }
        switch advice {
        case .keepToken, .sendLater, .fixCredentials: break
        // A card without a channel is better than none.
        default: if planned.intent.purpose == .channel { channels.close(to: planned.intent.app) }
        }
        if planned.intent.purpose == .start, card.stage.word == .none { devices[key.device]?.startPendingUntil = 0 }
    }

    /// Retries with the latest state: a start a few times, an update or end for as long as the card can exist.
    private mutating func failed(_ planned: PlannedPush, _ card: inout Card, at now: Instant) {
        if planned.isWithdrawn, planned.intent.purpose == .update {
            card.face = 0
            card.mailbox = Card.Mailbox(urgency: .waiting, dueAt: max(now.wall, card.passingUntil), since: now.wall)
            return
        }
        card.tries += 1
        if planned.intent.purpose == .start {
            // Only the app can tell whether the card exists; until then it counts as started.
            if case .unknown = pushes[planned.intent.id]?.outcome { return }
            devices[planned.key]?.startPendingUntil = 0
            guard card.stage.word == .starting else { return }
            card.stage.becomeNone()
        }
        if planned.intent.purpose == .update { card.face = 0 }
        let isGivenUp =
            switch planned.intent.purpose {
            case .start, .channel: card.tries >= PushPolicy.triesMax
            case .update, .end, .alert: now.wall >= card.startedAt + PushPolicy.cardAge
            }
        guard !isGivenUp else {
            card.mailbox = nil
            card.stage.settleEnd()
            return
        }
        // A failure at an earlier address says nothing about the address that the app has registered since.
        let toldAt = planned.intent.purpose == .start ? devices[planned.key]?.startTokenAt : card.tokenAt
        let wait = toldAt.map { $0 > planned.intent.toldAt } == true ? 0 : PushPolicy.wait(afterTries: card.tries)
        card.mailbox = Card.Mailbox(
            urgency: max(card.mailbox?.urgency ?? .small, planned.intent.urgency == .atOnce ? .waiting : .small),
            dueAt: now.wall + wait, since: card.mailbox?.since ?? now.wall)
    }
}
