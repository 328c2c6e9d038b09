/// Passing pushes from the service to the devices, and their results back.
extension APNsSimulator {
    // MARK: - What tests set up

    package mutating func register(app bundle: String, _ record: AppRecord) { apps[bundle] = record }
    package mutating func register(_ key: ProviderKey) { keys[key.id] = key }
    package mutating func register(_ token: DeviceToken) { tokens[token.token] = token }

    /// Revokes a key: every request with it is refused from now on.
    package mutating func revokeKey(_ id: String) { keys[id]?.isRevoked = true }

    package mutating func setState(_ state: DeviceToken.State, of token: String) { tokens[token.lowercased()]?.state = state }

    package func token(_ token: String) -> DeviceToken? { tokens[token.lowercased()] }

    /// All tokens, sorted by their text.
    package var allTokens: [DeviceToken] { tokens.values.sorted { $0.token < $1.token } }

    /// A device whose random identifiers follow from the simulator's seed.
    package mutating func addDevice(
        _ id: DeviceID, systemVersion: Device.SystemVersion = Device.SystemVersion(26),
        limits: Device.Limits = Device.Limits()
    ) {
        let seed = mint.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        devices[id] = Device(id: id, systemVersion: systemVersion, limits: limits, seed: seed)
    }

    /// Runs `body` on a device and records the outcomes. Nil if there is no such device.
    @discardableResult
    package mutating func onDevice<Result>(
        _ id: DeviceID, at now: Int64, _ body: (inout Device) -> Result
    ) -> Result? {
        guard var device = devices.removeValue(forKey: id) else { return nil }
        let result = body(&device)
        collect(from: &device)
        deadlines[id] = device.nextDeadline
        devices[id] = device
        return result
    }

    /// Delivers the pushes that were stored for the device, and the latest of each channel that it listens to.
    package mutating func goOnline(_ id: DeviceID, at now: Int64) {
        let channels = channels
        onDevice(id, at: now) { device in
            device.goOnline(at: now)
            for name in Set(device.activities.values.compactMap(\.channel)).sorted() {
                guard let push = channels[name]?.stored,
                    now < min(push.expiresAt, push.sentAt + Channel.storedMillisecondsMax)
                else { continue }
                device.happened.append((now, device.receive(push, at: now)))
            }
        }
    }

    /// Deletes the app. APNs still answers 200 for its alert token; its other tokens no longer lead anywhere, either.
    package mutating func uninstall(_ bundle: String, from id: DeviceID, at now: Int64) {
        onDevice(id, at: now) { $0.uninstall(bundle) }
        for (name, token) in tokens where token.device == id && token.bundle == bundle && token.state == .live {
            tokens[name]?.state = .silentlyDead
        }
    }

    // MARK: - Delivery

    mutating func deliver(_ push: Push, to token: DeviceToken, _ record: inout RequestRecord, at now: Int64) {
        guard token.state == .live, let id = token.device else { return }
        if let outcome = onDevice(id, at: now, { $0.receive(push, at: now) }) { record.devices.append((id, outcome)) }
    }

    mutating func broadcast(
        _ push: Push, environment: PushEnvironment, _ record: inout RequestRecord, at now: Int64
    ) {
        guard case .channel(let channel) = push.target else { return }
        for id in devices.keys.sorted(by: { $0.name < $1.name }) {
            guard let device = devices[id], device.apps[push.bundle]?.environment == environment,
                device.activities.values.contains(where: { $0.channel == channel && $0.bundle == push.bundle })
            else { continue }
            if let outcome = onDevice(id, at: now, { $0.receive(push, at: now) }) { record.devices.append((id, outcome)) }
        }
    }

    // MARK: - Time

    mutating func advance(to now: Int64) {
        let due = deadlines.filter { $0.value <= now }.keys.sorted { $0.name < $1.name }
        for id in due { onDevice(id, at: now) { $0.live(until: now) } }
    }

    private mutating func collect(from device: inout Device) {
        for (at, token) in device.issued {
            // The replaced token is still answered 200 for a while, without effect.
            for (name, old) in tokens
            where old.device == token.device && old.kind == token.kind && old.bundle == token.bundle
                && old.activity == token.activity && old.state == .live
            {
                tokens[name]?.state = .silentlyDead
            }
            tokens[token.token] = token
            note(.token(token), at: at)
        }
        for (at, outcome) in device.happened {
            note(.device(device.id, outcome), at: at)
        }
        device.issued = []
        device.happened = []
    }
}

extension Device {
    mutating func uninstall(_ bundle: String) {
        apps[bundle] = nil
        activities = activities.filter { $0.value.bundle != bundle }
        notifications.removeAll { $0.bundle == bundle }
        stored[bundle] = nil
    }
}
