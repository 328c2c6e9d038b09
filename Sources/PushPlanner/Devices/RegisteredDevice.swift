import RelayProtocol

/// A device as it registered, with everything learnt since. On disk as a record of kind `device`.
struct RegisteredDevice {
    /// The registration, with the person's latest choices, wherever they were made.
    var device: Device
    var words: any PushWords { device.pushLanguage.words }
    /// The choices that the device itself reported last, if the person has since chosen otherwise elsewhere.
    private(set) var told: DeviceChoices?
    /// The client that registered it.
    var client: Named<ClientTag>
    /// True if that client may decide; pushes to one that only watches carry no code. Older records lack it: their clients all
    /// could.
    var mayDecide = true
    /// Time at which the app last reported each token, in milliseconds since 1970.
    var alertTokenAt: Int64
    var startTokenAt: Int64
    /// True once the push service has accepted a push to this device in its environment.
    var isEnvironmentProven = false
    /// Why pushes do not arrive, as sentences.
    var troubles: [PushTrouble: String] = [:]
    var urgent: PushBucket
    /// Times of the latest starts of cards by push.
    var starts: [Int64] = []
    /// Until this time no other card is started: the app has not reported the last one.
    var startPendingUntil: Int64 = 0
    /// The latest timestamp of any push to a forgotten card; nil if there is none. If the app reports such a card again, it still
    /// shows what it was sent, perhaps with a timestamp ahead of the clock.
    private(set) var forgottenTimestamp: Int64?
    /// Time since which the next weekly cost digest is awaited, in milliseconds since 1970, and the choice that it follows.
    private(set) var weekly: (since: Int64, wish: WeeklyCosts)?
    /// Alerts about past events.
    var alerts = AlertQueue()
    /// The notification that counts the requests without one of their own.
    var overflow = Overflow()
    /// Sessions that may have something to ring for, or a ring that still waits. Not on disk.
    var askingSessions: Set<SessionID> = []

    init(_ device: Device, client: Named<ClientTag>, at now: Int64) {
        self.device = device
        self.client = client
        alertTokenAt = now
        startTokenAt = now
        urgent = .full(isFrequent: device.hasFrequentPushes, at: now)
    }

    /// Takes a registration that the app repeats, as it does at every launch.
    mutating func update(_ newer: Device, client: Named<ClientTag>, at now: Int64) {
        if newer.address.alerts != device.address.alerts {
            settle([.way, .alerts])
            overflow = Overflow()
        }
        if newer.address.starts != device.address.starts { settle([.way, .starts]) }
        if newer.address.environment != device.address.environment || newer.profile != device.profile {
            troubles = [:]
            isEnvironmentProven = false
        }
        // A repeated report counts as new, even if it is the same: an older 410 no longer applies.
        alertTokenAt = now
        startTokenAt = now
        alerts.forgetFailures()
        overflow.forgetFailures()
        let before = told ?? device.choices
        let chosen = device.choices
        let isOfSameService = newer.address.service == device.address.service
        device = newer
        told = nil
        self.client = client
        // The device reports everything each time; choices made elsewhere last until a choice is made on the device itself.
        if isOfSameService, newer.choices == before { choose(chosen) }
        // Without a key for sealing the text becomes less detailed, never more.
        if device.text == .sealed, device.sealKey == nil { device.text = .generic }
    }

    /// Applies choices that the person made on another device.
    mutating func choose(_ choices: DeviceChoices) {
        let own = told ?? device.choices
        device.choices = choices
        told = own == choices ? nil : own
    }

    /// Restarts the weekly digest if the person has chosen otherwise.
    mutating func followWeekly(at now: Int64) {
        guard weekly?.wish != device.weekly else { return }
        weekly = device.weekly.map { (now, $0) }
    }

    mutating func toldWeekly(_ moment: Int64) { weekly?.since = moment }

    /// Records the timestamp of a card that is forgotten.
    /// - Returns: false if that changes nothing.
    mutating func forgets(_ card: Card) -> Bool {
        guard card.timestamp > forgottenTimestamp ?? 0 else { return false }
        forgottenTimestamp = card.timestamp
        return true
    }

    /// All troubles in one text; nil if there are none.
    var trouble: String? {
        let sentences = PushTrouble.allCases.compactMap { troubles[$0] }
        return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
    }

    /// Removes these troubles.
    /// - Returns: false if there were none.
    @discardableResult
    mutating func settle(_ settled: [PushTrouble]) -> Bool {
        let before = troubles.count
        for trouble in settled { troubles[trouble] = nil }
        return troubles.count != before
    }

    /// Shifts all times when the wall clock is set, so that intervals stay the same.
    mutating func move(by jump: Int64) {
        starts = starts.map { $0.moved(by: jump) }
        startPendingUntil = startPendingUntil.moved(by: jump)
        urgent.at = urgent.at.moved(by: jump)
        if let known = weekly { weekly?.since = known.since.moved(by: jump) }
        alerts.move(by: jump)
        overflow.move(by: jump)
    }

    /// The clock may have been set while the relay was down: no past moment is in the future.
    mutating func limit(to now: Int64) {
        starts = starts.map { min($0, now) }
        startPendingUntil = min(startPendingUntil, now + PushPolicy.startPatience)
        urgent.at = min(urgent.at, now)
        if let known = weekly { weekly?.since = min(known.since, now) }
        alerts.limit(to: now)
    }

    /// The detail that its pushes may have: the person's choice, limited by the app's profile.
    func text(_ app: PushApp) -> PushText { device.text == .sealed ? .sealed : device.text.least(app.textMax) }

    init(stored bytes: [UInt8]) throws(WireError) {
        let value = try JSONDocument(parsing: bytes).root.object()
        device = try Device(from: value.required("device"))
        if let told = value.optional("told") { self.told = try DeviceChoices(from: told.object()) }
        client = try Named(from: value.required("client"))
        mayDecide = !(try value.flag("onlyWatches"))
        alertTokenAt = try value.integer("alertTokenAt")
        startTokenAt = try value.integer("startTokenAt")
        isEnvironmentProven = try value.flag("proven")
        // Older records hold one sentence for all.
        troubles[.way] = try value.optionalString("trouble")
        for (key, sentence) in try value.optional("troubles")?.members() ?? [] {
            if let trouble = PushTrouble(rawValue: key), !sentence.isNull { troubles[trouble] = try sentence.string() }
        }
        urgent = PushBucket(level: try value.integer("urgent"), at: try value.integer("urgentAt"))
        for start in try value.array("starts") { starts.append(try start.integer()) }
        startPendingUntil = try value.integer("startPendingUntil")
        forgottenTimestamp = try value.optionalInteger("forgottenTimestamp")
        if let known = value.optional("weekly") { weekly = (try known.object().integer("since"), try WeeklyCosts(from: known)) }
        alerts = try AlertQueue(stored: value)
        overflow = try Overflow(stored: value)
    }

    var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.raw("device", device.bytes)
            if let told { writer.object("told") { told.write(to: &$0) } }
            writer.object("client") { client.write(to: &$0) }
            writer.flag("onlyWatches", !mayDecide)
            writer.field("alertTokenAt", alertTokenAt)
            writer.field("startTokenAt", startTokenAt)
            writer.flag("proven", isEnvironmentProven)
            writer.object("troubles") { writer in
                for (trouble, sentence) in troubles.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                    writer.raw(dynamic: trouble.rawValue, JSONWriter.string(sentence))
                }
            }
            writer.field("urgent", urgent.level)
            writer.field("urgentAt", urgent.at)
            writer.array("starts", starts.map { Array(String($0).utf8) })
            writer.field("startPendingUntil", startPendingUntil)
            writer.field("forgottenTimestamp", forgottenTimestamp)
            if let weekly {
                writer.object("weekly") {
                    $0.field("since", weekly.since)
                    weekly.wish.write(to: &$0)
                }
            }
            alerts.write(to: &writer)
            overflow.write(to: &writer)
        }
    }
}
