import RelayProtocol

/// Broadcast channels (iOS 18): one for each card that is started by push, made before it and deleted after it, whatever becomes of the
/// card, its session or its device meanwhile. Apple keeps 10,000 for an app.
extension Relay {
    func usesChannel(_ device: RegisteredDevice, _ profile: Profile) -> Bool {
        device.device.systemMajor >= 18 && pushing.broadcastBundles.contains(profile.bundle)
            && !push.bundlesWithoutBroadcast.contains(profile.bundle) && push.channels.count < Limits.channelsMax
    }

    // MARK: - Made

    mutating func planChannel(for key: CardKey, _ profile: Profile, at now: Instant) {
        var order = order(.channel, key, profile, .makeChannel, at: now)
        order.pushType = nil
        order.worthUntil = now.wall + PushPolicy.startPatience
        plan(PlannedPush(order, card: key))
        stageRecord(of: key)
    }

    /// The card that asked for it may be gone, or its app may have begun one by itself: then nobody ever listens.
    mutating func channelMade(_ name: String, by planned: PlannedPush, _ environment: PushEnvironment, at now: Instant) {
        push.channels[name] = Channel(name, madeBy: planned, environment)
        if let key = planned.card, let card = push.cards[key], card.inFlight == planned.order.id, card.channel == nil,
            card.stage == .none || card.stage == .ended
        {
            push.cards[key]?.channel = name
            stageRecord(ofChannel: name)
        } else {
            letGo(ofChannel: name, at: now)
        }
    }

    // MARK: - Deleted

    /// `time`: what was published last may be on its way for so long.
    mutating func letGoOfChannel(of card: inout Card, keptFor time: Int64 = 0, at now: Instant) {
        guard let name = card.channel else { return }
        card.channel = nil
        letGo(ofChannel: name, keptFor: time, at: now)
    }

    /// No start is to come that would use it.
    mutating func letGoOfIdleChannel(_ key: CardKey, at now: Instant) {
        guard var card = push.cards[key], card.channel != nil, card.stage == .none || card.stage == .ended,
            card.mailbox == nil, card.inFlight == nil, !card.isEndOwed
        else {
            return
        }
        letGoOfChannel(of: &card, at: now)
        push.cards[key] = card
        stageRecord(of: key)
    }

    private mutating func letGo(ofChannel name: String, keptFor time: Int64 = 0, at now: Instant) {
        guard push.channels[name]?.isOver == false else { return }
        push.channels[name]?.isOver = true
        push.channels[name]?.dueAt = now.wall + time
        stageRecord(ofChannel: name)
        serveChannels(at: now)
    }

    /// Deletes what is due, and arms the timer for the next.
    mutating func serveChannels(at now: Instant) {
        let waiting = push.channels.values.filter { $0.isOver && $0.inFlight == nil }.sorted { $0.maker < $1.maker }
        for channel in waiting where channel.dueAt <= now.wall {
            if hasRoomForPush(channel.device) {
                planDeletion(of: channel, at: now)
            } else {
                push.channels[channel.name]?.dueAt = now.wall + PushPolicy.retryInterval
            }
        }
        let next = push.channels.values.filter { $0.isOver && $0.inFlight == nil }.map(\.dueAt).min()
        if let next {
            effects.append(.armTimer(.channels, after: max(1, next - now.wall)))
        } else if !waiting.isEmpty {
            effects.append(.cancelTimer(.channels))
        }
    }

    private mutating func planDeletion(of channel: Channel, at now: Instant) {
        var order = PushOrder(
            id: PushID(rawValue: 0), workspace: channel.device.workspace, device: channel.device.device, purpose: .channel,
            session: nil, bundle: channel.bundle, target: .deleteChannel(channel: channel.name),
            environment: channel.environment, worthUntil: now.wall + PushPolicy.startPatience, plannedAt: now.wall)
        order.isHarmlessToRepeat = true
        plan(PlannedPush(order, card: nil))
        let deletion = push.lastPushID
        push.channels[channel.name]?.inFlight = deletion
    }

    /// Tried again until it is gone: nobody else ever will.
    mutating func channelDeleted(_ name: String, _ outcome: PushOutcome, at now: Instant) {
        guard var channel = push.channels[name] else { return }
        channel.inFlight = nil
        channel.tries += 1
        switch outcome {
        case .accepted, .refused(.dropChannel, _): return forgetChannel(name)
        case .refused, .unknown, .notSent:
            guard channel.tries < PushPolicy.deletionsMax else { return forgetChannel(name) }
            channel.dueAt = now.wall + PushPolicy.wait(afterTries: channel.tries)
            push.channels[name] = channel
            serveChannels(at: now)
        }
    }

    /// APNs has it no longer, or we have tried for long enough.
    mutating func forgetChannel(_ name: String) {
        guard let channel = push.channels.removeValue(forKey: name) else { return }
        staging.records.append(
            PushRecord(workspace: channel.device.workspace, kind: .channel, name: String(channel.maker.rawValue), bytes: nil))
    }

    // MARK: - On disk

    private mutating func stageRecord(ofChannel name: String) {
        guard let channel = push.channels[name] else { return }
        staging.records.append(
            PushRecord(
                workspace: channel.device.workspace, kind: .channel, name: String(channel.maker.rawValue), bytes: channel.bytes)
        )
    }

    /// After the pushes without an answer have one, or are under way again.
    mutating func resumeChannels(at now: Instant) {
        let used = Set(push.cards.values.compactMap(\.channel))
        for name in push.channels.keys.sorted() where !used.contains(name) { letGo(ofChannel: name, at: now) }
        // The clock may have been set while the relay was down.
        for name in push.channels.keys { push.channels[name]?.limit(to: now.wall + PushPolicy.channelKept) }
        serveChannels(at: now)
    }

    /// The wall clock was set: none is deleted later than it was to be.
    mutating func moveChannels(by jump: Int64) {
        for name in push.channels.keys { push.channels[name]?.dueAt += jump }
    }
}
