import RelayModel
import RelayProtocol

/// Clients' requests to the planner.
extension PushPlanner {
    mutating func run(_ request: ClientRequest, at now: Instant) {
        if isOfAnother(request) { return reply(.failed(.forbidden, "this device is another's"), to: request) }
        switch request.command {
        case .presence(let isForeground, _, let device):
            setPresence(isForeground, device, request, at: now)
            reply(.done, to: request)
        case .seen(let session, let approval):
            saw(approval, in: SessionKey(workspace: request.workspace, session: session), request.peer)
            reply(.done, to: request)
        case .device(let device): register(device, request, at: now)
        case .deviceChoices(let device, let choices): choose(choices, for: device, request, at: now)
        case .card(let device, let report): reported(report, by: device, request, at: now)
        case .forget(let device): forget(device, request, at: now)
        case .devices(let watches):
            if watches { watchers[request.workspace, default: []].insert(request.peer) }
            reply(.devices(shownDevices(in: request.workspace, at: now)), to: request)
        case .testPush(let device): testPush(device, request, at: now)
        default: preconditionFailure("not a command about pushes")
        }
    }

    /// Clients that may decide manage each other's devices; a watcher manages its own only.
    private func isOfAnother(_ request: ClientRequest) -> Bool {
        guard !request.client.scope.allows(.decide), let device = request.command.namedDevice,
            let known = devices[DeviceKey(workspace: request.workspace, device: device)]
        else { return false }
        return known.mayDecide || known.client.id != request.client.client.id
    }

    mutating func reply(_ reply: Reply, to request: ClientRequest) {
        self.reply(reply, to: request.id, of: request.peer)
    }

    mutating func replyWhenStaged(to request: ClientRequest) {
        orders.append(.replyWhenStaged(to: request.id, of: request.peer))
    }

    private mutating func testPush(
        _ device: DeviceID, _ request: ClientRequest, at now: Instant
    ) {
        let key = DeviceKey(workspace: request.workspace, device: device)
        guard let known = devices[key] else {
            reply(.noSuchDevice, to: request)
            return
        }
        guard known.device.address.alerts != nil else {
            reply(.failed(.unavailable, known.trouble ?? known.device.address.lackOfAlerts), to: request)
            return
        }
        let text = AlertText(
            title: "Heliograph", subtitle: nil, body: known.words.pushesReach(known.device.name), isWhole: false)
        let alert = Alert(
            kind: nil, text: text, cover: text, level: .active, thread: "test", replaces: "test")
        guard planAlert(alert, to: key, at: now) != nil else {
            reply(.failed(.tooMany, "too many pushes wait to be sent"), to: request)
            return
        }
        replyWhenStaged(to: request)
    }

    private func shownDevices(in workspace: WorkspaceID, at now: Instant) -> [[UInt8]] {
        devices.keys(in: workspace).compactMap { key in devices[key].map { shown($0, key, at: now) } }
    }

    /// The device for clients, without its tokens.
    private func shown(_ known: RegisteredDevice, _ key: DeviceKey, at now: Instant) -> [UInt8] {
        JSONWriter.object { writer in
            writer.raw("device", known.device.bytesWithoutSecrets)
            writer.object("client") { known.client.write(to: &$0) }
            writer.field("present", presences.until(key, at: now) != nil)
            let cards = cards.all.filter { $0.key.device == key && $0.value.stage.word != .none }.sorted { $0.key < $1.key }
            writer.array("cards", cards.map { $0.value.shown(as: $0.key) })
            writer.field("trouble", known.trouble)
            let latest = pushes.ids(of: key).suffix(PlannerLimits.pushesShown).reversed()
            writer.array("pushes", latest.compactMap { pushes[$0].flatMap(shown) })
        }
    }
}

extension Reply {
    static let noSuchDevice = Reply.failed(.notFound, "there is no such device")
}

extension DeviceAddress {
    fileprivate var lackOfAlerts: String {
        switch self {
        case .apns: "its app has told no token for alerts"
        case .web: "its browser has no subscription: switch notifications on there"
        case .ntfy: "it has no topic: add the topic again"
        case .receiver: "it has no receiver: add one again"
        }
    }
}

extension Card {
    /// The card as clients are shown it, JSON.
    func shown(as key: CardKey) -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("card", id)
            writer.field("session", key.session)
            writer.field("state", stage.word == .active ? state.rawValue : stage.word.rawValue)
            writer.field("startedAt", startedAt)
            writer.field("updatedAt", sentAt)
            writer.field("hasToken", isReachable)
        }
    }
}

extension ClientCommand {
    /// The device that the command changes or rings.
    fileprivate var namedDevice: DeviceID? {
        switch self {
        case .device(let device): device.id
        case .deviceChoices(let id, _), .card(let id, _), .forget(let id), .testPush(let id): id
        default: nil
        }
    }
}
