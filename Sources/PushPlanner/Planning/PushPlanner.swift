package import RelayModel
package import RelayProtocol

/// Plans what is pushed, as a pure machine: facts go in, orders come out.
///
/// The life of a push: a fact makes it due (`PushPlanner+Cards`, `PushPlanner+Rings`, `PushPlanner+OwedAlerts`), it is numbered and
/// staged (`PushPlanner+Pushes`), `committed` orders it to be sent, `pushAnswered` brings its outcome. Nothing is sent that is not
/// on disk as planned. Everything else is derived again from what is on disk.
package struct PushPlanner {
    let settings: PushSettings

    var devices = DeviceBook()
    var cards = CardBook()
    var channels = ChannelBook()
    var pushes: PushJournal
    var allowance: PushAllowance
    /// Pushes that wait until one of the same device is answered.
    var crowd = RoomQueue()
    var presences = PresenceBook()
    /// Connections that receive the outcomes of pushes.
    var watchers: [WorkspaceID: Set<PeerID>] = [:]
    /// Records that the disk refused.
    var owed = OwedRecords()
    /// Crossings of the newest batch that were counted for a digest.
    var counted = CountedCrossings()
    /// The last number given to an alert.
    var lastAlert: Int64 = 0
    /// Wall clock minus monotonic clock, in milliseconds, on which the planner's times are based.
    var clockOffset: Int64 = 0
    /// Records that do not decode, by kind and name. They stay on disk and are ignored; an app registers again at its next launch.
    package private(set) var damaged: [String] = []

    /// The owner's values for the fact that is being handled.
    private(set) var sight = Sight()
    /// Collected while one fact is handled.
    var orders: [PlannerOrder] = []

    /// `firstWorkspace` is the one that cannot be removed. A planner of another workspace alone keeps nothing there.
    package init(_ settings: PushSettings, firstWorkspace: WorkspaceID, restoring records: [PushRecord]) {
        self.settings = settings
        allowance = PushAllowance(settings.pushesPerDay)
        pushes = PushJournal(settings.numbers, firstWorkspace: firstWorkspace)
        for record in records {
            guard let bytes = record.bytes else { continue }
            // Records of both kinds are named by a push. Undecodable records stay on disk, and a channel outlives its push, so
            // these numbers are taken, too.
            if record.kind == .push || record.kind == .channel, let number = PushID(text: record.name) {
                pushes.wasGiven(number, in: record.workspace)
            }
            do throws(WireError) {
                switch record.kind {
                case .device: devices.add(try RegisteredDevice(stored: bytes), in: record.workspace)
                case .card:
                    let value = try JSONDocument(parsing: bytes).root.object()
                    let key = CardKey(
                        device: DeviceKey(workspace: record.workspace, device: try value.identifier("device")),
                        session: try value.optionalIdentifier("session"))
                    cards[key] = try Card(stored: value)
                case .push where LastNumber.isNamed(record.name):
                    pushes.wasGiven(try LastNumber(stored: bytes).push, in: record.workspace)
                case .push:
                    let planned = try PlannedPush(stored: bytes, in: record.workspace, settings.channels)
                    guard pushes.restore(planned) else { throw WireError(.badValue, at: "$.order.id", "another push has it") }
                case .channel: channels.add(try Channel(stored: bytes, in: record.workspace))
                case .budget, .cost: break
                }
            } catch { damaged.append("\(record.kind) \(record.name)") }
        }
        pushes.sort()
    }

    package mutating func handle(_ fact: PlannerFact, seeing sight: Sight, at now: Instant) -> [PlannerOrder] {
        self.sight = sight
        // Released at once, because its owner changes what it holds.
        defer { self.sight = Sight() }
        switch fact {
        case .started(let holders): resume(at: now, holders: holders)
        case .clockWasSet: followClock(at: now)
        case .clientAsked(let request): run(request, at: now)
        case .clientLeft(let peer): left(peer, at: now)
        case .clientsListed(let holders): forgetDevices(allBut: holders, at: now)
        case .workspaceRemoved(let workspace):
            forgetDevices(of: workspace, at: now)
            allowance.forget(workspace)
        case .limitsListed(let limits): allowance.replace(with: limits)
        case .sessionsChanged(let keys): look(at: keys, at: now)
        case .sessionRemoved(let key): leaveCards(of: key, at: now)
        case .budgetCrossed(let crossing, let key, let view): ring(for: crossing, key, view, at: now)
        case .batchCut:
            counted.batchWasCut()
            stageOwed()
        case .committed(let intents): for intent in intents { planned(intent, at: now) }
        case .commitFailed(let lost): keepForNextBatch(lost)
        case .timerFired(.card(let workspace, let device, let session)):
            serve(CardKey(device: DeviceKey(workspace: workspace, device: device), session: session), at: now)
        case .timerFired(.rings(let workspace, let device, let session)):
            serveRings(CardKey(device: DeviceKey(workspace: workspace, device: device), session: session), at: now)
        case .timerFired(.overflow(let workspace, let device)):
            overflowIsDue(on: DeviceKey(workspace: workspace, device: device), at: now)
        case .timerFired(.digest(let workspace, let device)):
            tellDigest(of: DeviceKey(workspace: workspace, device: device), at: now)
        case .timerFired(.weekly(let workspace, let device)):
            tellWeekly(DeviceKey(workspace: workspace, device: device), at: now)
        case .timerFired(.alerts(let workspace, let device)):
            serveAlerts(of: DeviceKey(workspace: workspace, device: device), at: now)
        case .timerFired(.channels): serveChannels(at: now)
        case .timerFired(.owedRecords): stageOwed()
        case .pushAnswered(let push, let outcome): pushAnswered(push, outcome, at: now)
        case .addressMoved(let push, let address): addressMoved(address, of: push, at: now)
        case .pushWayChanged: wayChanged(at: now)
        case .codePresented(let push, let verdict, let command, let peer, let signature):
            codePresented(push, verdict, command, peer, signature, at: now)
        case .codeDecided(let push): markCode(of: push, isUsed: true)
        }
        return takeOrders()
    }

    private mutating func takeOrders() -> [PlannerOrder] {
        defer { orders = [] }
        return orders
    }

    // MARK: - What is asked before a fact is told

    /// True if no device is registered, so that changes of sessions do not matter.
    package var isIdle: Bool { devices.isEmpty }

    /// True if the wall clock was set since it was last looked at.
    package func isBehindClock(at now: Instant) -> Bool { abs(now.wall - now.uptime - clockOffset) >= PushPolicy.clockJump }

    /// Any message of a client proves that it is connected.
    package mutating func heard(_ peer: PeerID, at now: Instant) { presences.heard(peer, at: now) }

    // MARK: - Orders

    mutating func reply(_ reply: Reply, to command: CommandID, of peer: PeerID) {
        orders.append(.reply(reply, to: command, of: peer))
    }

    mutating func stage(_ record: PushRecord) { orders.append(.stage(record)) }
}
