import RelayModel
import RelayProtocol

/// Devices: registered by their apps, forgotten by their people.
extension PushPlanner {
    mutating func register(
        _ device: Device, _ request: ClientRequest, at now: Instant
    ) {
        let key = DeviceKey(workspace: request.workspace, device: device.id)
        guard let app = settings.app(of: device) else {
            reply(
                .failed(
                    Notice(WireError(.badValue, at: "$.device.profile", "there is no profile \(device.profile)")), winner: nil),
                to: request)
            return
        }
        if let fault = settings.channel(of: device)?.fault(in: device, of: key.workspace) {
            reply(.failed(Notice(fault), winner: nil), to: request)
            return
        }
        if let fault = timeZoneFault(in: device.choices, under: "$.device.", at: now) {
            reply(.failed(Notice(fault), winner: nil), to: request)
            return
        }
        guard devices[key] != nil || devices.count(in: key.workspace) < PlannerLimits.devicesMax else {
            reply(.failed(.tooMany, "at most \(PlannerLimits.devicesMax) devices"), to: request)
            return
        }
        let client = request.client.client.id
        guard
            devices[key]?.client.id == client
                || devices.count(of: client, in: key.workspace) < PlannerLimits.devicesOfClientMax
        else {
            reply(
                .failed(.tooMany, "at most \(PlannerLimits.devicesOfClientMax) devices of one client: forget one first"),
                to: request)
            return
        }
        takeTokens(of: device, for: key, at: now)
        if devices[key] == nil {
            devices.add(RegisteredDevice(device, client: request.client.client, at: now.wall), in: key.workspace)
        } else {
            devices[key]?.update(device, client: request.client.client, at: now.wall)
        }
        devices[key]?.mayDecide = request.client.scope.allows(.decide)
        if app.cards == nil { devices[key]?.device.cards = .off }
        devices[key]?.followWeekly(at: now.wall)
        stageRecord(of: key, isTold: true)
        replyWhenStaged(to: request)
        armWeekly(of: key, at: now)
        ringAnew(key, at: now)
        forgetFailures(of: key, at: now)
        lookAtEverything(of: key, at: now)
    }

    /// Changes the person's choices, and not the device's addresses.
    mutating func choose(
        _ choices: DeviceChoices, for device: DeviceID, _ request: ClientRequest, at now: Instant
    ) {
        let key = DeviceKey(workspace: request.workspace, device: device)
        guard var known = devices[key] else { return reply(.noSuchDevice, to: request) }
        if let fault = timeZoneFault(in: choices, under: "$.", at: now) ?? known.device.fault(in: choices) {
            return reply(.failed(Notice(fault), winner: nil), to: request)
        }
        known.choose(choices)
        known.followWeekly(at: now.wall)
        devices[key] = known
        stageRecord(of: key)
        replyWhenStaged(to: request)
        armWeekly(of: key, at: now)
        // The quiet hours may have ended.
        hastenRings(of: key, at: now)
        lookAtEverything(of: key, at: now)
    }

    private func timeZoneFault(in choices: DeviceChoices, under place: String, at now: Instant) -> WireError? {
        choices.timeZones.first { settings.localMinute($0.name, now.wall) == nil }
            .map { WireError(.badValue, at: place + $0.place, "there is no such time zone") }
    }

    mutating func forget(
        _ device: DeviceID, _ request: ClientRequest, at now: Instant
    ) {
        let key = DeviceKey(workspace: request.workspace, device: device)
        guard devices[key] != nil else {
            reply(.noSuchDevice, to: request)
            return
        }
        forgetDevice(key, at: now)
        replyWhenStaged(to: request)
    }

    /// Forgets the devices of clients that no longer have a token: nothing is sent to them, and their codes no longer decide.
    mutating func forgetDevices(allBut holders: Set<ClientKey>, at now: Instant) {
        for key in devices.keys {
            guard let client = devices[key]?.client.id,
                !holders.contains(ClientKey(workspace: key.workspace, client: client))
            else { continue }
            forgetDevice(key, at: now)
        }
    }

    /// Removes the records of a removed workspace. They are never read again, so a number that is still to be written is not: it
    /// would be written after the removal, and stay.
    mutating func forgetDevices(of workspace: WorkspaceID, at now: Instant) {
        for key in devices.keys(in: workspace) { forgetDevice(key, at: now, isReadAgain: false) }
        watchers[workspace] = nil
    }

    private mutating func forgetDevice(_ key: DeviceKey, at now: Instant, isReadAgain: Bool = true) {
        for card in cardKeys(of: key) { forgetCard(card, at: now) }
        forgetPushes(of: key, isReadAgain: isReadAgain)
        if devices[key]?.weekly != nil { orders.append(.cancelTimer(.weekly(key.workspace, key.device))) }
        devices.remove(key)
        presences.forget(key)
        crowd.forget(key)
        orders.append(.cancelTimer(.overflow(key.workspace, key.device)))
        orders.append(.cancelTimer(.digest(key.workspace, key.device)))
        orders.append(.cancelTimer(.alerts(key.workspace, key.device)))
        stage(PushRecord(workspace: key.workspace, kind: .device, name: key.device.rawValue, bytes: nil))
    }
}
