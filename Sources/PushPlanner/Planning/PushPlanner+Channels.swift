import RelayModel
import RelayProtocol

/// Broadcast channels: one for each card that is started by push, made before it and deleted after it, even if the card, its
/// session or its device is gone by then.
extension PushPlanner {
    func usesChannel(_ device: RegisteredDevice, _ app: CardApp) -> Bool {
        app.channel.canBroadcast(to: device.device) && channels.isOpen(to: app.app.id)
    }

    // MARK: - Made

    mutating func planChannel(for key: CardKey, _ device: RegisteredDevice, _ app: CardApp, at now: Instant) {
        var intent = intent(.channel, key, device, app, .makeChannel, at: now)
        intent.worthUntil = now.wall + PushPolicy.startPatience
        plan(PlannedPush(intent, card: key))
        stageRecord(of: key)
    }

    /// Handles a new channel. If the card that requested it is gone, or its app has begun one by itself, no card will ever listen
    /// to it.
    mutating func channelMade(_ name: String, by planned: PlannedPush, _ environment: PushEnvironment, at now: Instant) {
        channels.add(Channel(name, madeBy: planned, environment))
        if let key = planned.card, let card = cards[key], card.inFlight == planned.intent.id, card.channel == nil,
            card.stage.isAbsent
        {
            cards[key]?.stage.take(channel: name)
            stageRecord(ofChannel: name)
        } else {
            letGo(ofChannel: name, at: now)
        }
    }

    // MARK: - Deleted

    /// Releases the card's channel. `time`: milliseconds for which its last message may still be on its way.
    mutating func letGoOfChannel(of card: inout Card, keptFor time: Int64 = 0, at now: Instant) {
        guard let name = card.channel else { return }
        card.stage.loseChannel()
        letGo(ofChannel: name, keptFor: time, at: now)
    }

    /// Releases a channel that no coming start would use.
    mutating func letGoOfIdleChannel(_ key: CardKey, at now: Instant) {
        guard var card = cards[key], card.channel != nil, card.stage.isAbsent,
            card.mailbox == nil, card.inFlight == nil, !card.isEndOwed
        else {
            return
        }
        letGoOfChannel(of: &card, at: now)
        cards[key] = card
        stageRecord(of: key)
    }

    private mutating func letGo(ofChannel name: String, keptFor time: Int64 = 0, at now: Instant) {
        guard channels.letGo(name, until: now.wall + time) else { return }
        stageRecord(ofChannel: name)
        serveChannels(at: now)
    }

    /// Deletes channels that are due, and arms the timer for the next.
    mutating func serveChannels(at now: Instant) {
        let waiting = channels.waiting
        for channel in waiting where channel.dueAt <= now.wall {
            if pushes.hasRoom(for: channel.device) {
                planDeletion(of: channel, at: now)
            } else {
                channels.postpone(channel.name, to: now.wall + PushPolicy.retryInterval)
            }
        }
        if let next = channels.waiting.map(\.dueAt).min() {
            orders.append(.armTimer(.channels, after: max(1, next - now.wall)))
        } else if !waiting.isEmpty {
            orders.append(.cancelTimer(.channels))
        }
    }

    private mutating func planDeletion(of channel: Channel, at now: Instant) {
        var intent = PushIntent(
            workspace: channel.device.workspace, device: channel.device.device, service: channel.service, purpose: .channel,
            session: nil, app: channel.app, target: .deleteChannel(channel: channel.name), environment: channel.environment,
            worthUntil: now.wall + PushPolicy.startPatience, plannedAt: now.wall)
        intent.isHarmlessToRepeat = true
        let push = plan(PlannedPush(intent, card: nil))
        channels.deletionBegan(channel.name, with: push)
    }

    /// Handles the outcome of a deletion. It is retried until it succeeds, because nothing else deletes the channel.
    mutating func channelDeleted(_ name: String, _ outcome: PushOutcome, at now: Instant) {
        guard let tries = channels.deletionEnded(name) else { return }
        switch outcome {
        case .accepted, .refused(.dropChannel, _): return forgetChannel(name)
        case .refused, .unknown, .notSent:
            guard tries < PushPolicy.deletionsMax else { return forgetChannel(name) }
            channels.postpone(name, to: now.wall + PushPolicy.wait(afterTries: tries))
            serveChannels(at: now)
        }
    }

    /// The service has deleted it, or the limit of attempts is reached.
    mutating func forgetChannel(_ name: String) {
        guard let channel = channels.remove(name) else { return }
        stage(
            PushRecord(workspace: channel.device.workspace, kind: .channel, name: String(channel.maker.rawValue), bytes: nil))
    }

    // MARK: - On disk

    private mutating func stageRecord(ofChannel name: String) {
        guard let channel = channels[name] else { return }
        stage(
            PushRecord(
                workspace: channel.device.workspace, kind: .channel, name: String(channel.maker.rawValue), bytes: channel.bytes)
        )
    }

    /// Called after a start, once pushes without an outcome have one or are being sent again.
    mutating func resumeChannels(at now: Instant) {
        let used = Set(cards.values.compactMap(\.channel))
        for name in channels.names where !used.contains(name) { letGo(ofChannel: name, at: now) }
        // The clock may have been set while the relay was down.
        channels.limit(to: now.wall + PushPolicy.channelKept)
        serveChannels(at: now)
    }
}
