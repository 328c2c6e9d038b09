import RelayModel
import RelayProtocol

extension DeviceAddress {
    /// Its addresses that belong to one app in all workspaces; none if the service lets workspaces share them.
    var held: [PushAddress] { service.sharesAddresses ? [] : places }
}

/// Ownership of addresses: an address belongs to the device, or card, whose app reported it last, in any workspace.
extension PushPlanner {
    /// Does not name the new owner, because workspaces must not learn of each other.
    private static let lossSentence = "its app registered as another device"

    // MARK: - Told here

    /// Takes tokens from devices that had them before. A phone that was paired with another workspace shows nothing of the first
    /// any more.
    mutating func takeTokens(of device: Device, for key: DeviceKey, at now: Instant) {
        for other in devices.keys where other != key { yield(other, to: device.address, of: key, at: now) }
    }

    private mutating func yield(_ other: DeviceKey, to address: DeviceAddress, of key: DeviceKey, at now: Instant) {
        // Topics can be shared between workspaces: otherwise anyone who knows a topic could take it from another workspace.
        guard var known = devices[other], other.workspace == key.workspace || !address.service.sharesAddresses else { return }
        known.device.address.yield(to: address)
        guard known.device != devices[other]?.device else { return }
        guard other.workspace == key.workspace else { return leave(other, at: now) }
        known.troubles[.alerts] = Self.lossSentence
        devices[other] = known
        stageRecord(of: other, isTold: true)
    }

    /// Takes a token from the card that had it before: a token belongs to one card, so that card no longer exists.
    mutating func takeCardToken(_ token: String, for key: CardKey, at now: Instant) {
        for other in cards.keys.sorted() where other != key && cards[other]?.token == token { leave(other, at: now) }
    }

    // MARK: - Told elsewhere

    /// Handles an address that was reported in another workspace. Planners of single workspaces do not see each other's devices, so
    /// this is noticed only when a push is about to be sent.
    mutating func addressMoved(_ address: PushAddress, of id: PushID, at now: Instant) {
        guard let planned = pushes[id], planned.outcome == nil else { return }
        let isToldSince = isTold(after: planned.intent.plannedAt, planned)
        pushAnswered(id, .notSent(Self.lossSentence), at: now)
        // If the app has reported its address here in between, the next push will show whose it is.
        guard !isToldSince else { return }
        if devices[planned.key]?.device.address.places.contains(address) == true {
            leave(planned.key, at: now)
        } else if let card = planned.card, let token = cards[card]?.token, PushAddress(.apns, place: token) == address {
            leave(card, at: now)
        }
    }

    /// True if the app has reported its address again after `time`.
    private func isTold(after time: Int64, _ planned: PlannedPush) -> Bool {
        let device = devices[planned.key]
        let told = [device?.alertTokenAt, device?.startTokenAt, planned.card.flatMap { cards[$0]?.tokenAt }]
        return told.contains { $0.map { $0 > time } ?? false }
    }

    // MARK: - Lost

    /// Drops the addresses of a phone that belongs to another workspace now: neither its alerts nor its cards can be reached until
    /// its app registers again.
    private mutating func leave(_ key: DeviceKey, at now: Instant) {
        devices[key]?.device.address.dropAll()
        devices[key]?.settle([.way])
        devices[key]?.troubles[.alerts] = Self.lossSentence
        stageRecord(of: key, isTold: true)
        for card in cardKeys(of: key) { leave(card, at: now) }
        serveAlerts(of: key, at: now)
    }

    private mutating func leave(_ key: CardKey, at now: Instant) {
        // A card that never began can only have a channel that was made for it.
        guard var card = cards[key], card.stage.word != .none || card.channel != nil else { return }
        if card.stage.word != .none { card.stage.becomeEnded(isOwed: false) }
        card.stage.loseToken()
        card.mailbox = nil
        letGoOfChannel(of: &card, at: now)
        cards[key] = card
        stageRecord(of: key, isTold: true)
        serve(key, at: now)
    }

    // MARK: - The start

    /// Planners of single workspaces may each have left a device with the same address: it belongs to the one that reported it
    /// last.
    mutating func settleSharedAddresses(at now: Instant) {
        var holders: [PushAddress: DeviceKey] = [:]
        let inOrder = devices.keys.compactMap { key in devices[key].map { (key: key, toldAt: $0.alertTokenAt) } }
            .sorted { ($0.toldAt, $0.key) < ($1.toldAt, $1.key) }
        for (key, _) in inOrder {
            guard let address = devices[key]?.device.address else { continue }
            for place in address.places {
                if let former = holders.updateValue(key, forKey: place), former != key {
                    yield(former, to: address, of: key, at: now)
                }
            }
        }
    }
}
