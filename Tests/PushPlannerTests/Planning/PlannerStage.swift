import ChannelAPNs
import PushPlanner
import PushTestSupport
import RelayModel
import RelayProtocol

/// The planner alone, with one session on disk and one phone. What it orders is kept until it is taken.
final class PlannerStage {
    static let home = Named<WorkspaceTag>(id: WorkspaceID("home")!, name: "home")
    static let phone = ClientIdentity(
        workspace: home, client: Named(id: ClientID("phone")!, name: "Phone"), scope: Scope(of: .client))
    static let device = DeviceKey(workspace: home.id, device: DeviceID("d1")!)
    static let session = SessionKey(workspace: home.id, session: SessionID("s1")!)
    static let peer = PeerID(rawValue: 1)
    static let approval = ApprovalID("a1")!

    private var planner: PushPlanner
    private var sessions = CommittedSessions()
    private var view: SessionView
    private var now = Instant(wall: PushSubjects.moment, uptime: 1_000_000)
    private var orders: [PlannerOrder] = []
    private var lastCommand = 0

    /// The workspace's spending.
    var costs: (CostQuery) -> CostReport = { _ in CostReport() }

    init(
        _ channel: any PushChannel = APNsChannel(), web: (any PushChannel)? = nil, numbers: PushNumbers = .ofAll,
        weekMinute: @escaping @Sendable (String, Int64) -> Int64? = { _, _ in nil }
    ) {
        let channels = [.apns: channel].merging(web.map { [PushService.web: $0] } ?? [:]) { $1 }
        planner = PushPlanner(
            PushSettings(channels: channels, numbers: numbers, localWeekMinute: weekMinute), firstWorkspace: Self.home.id,
            restoring: [])
        let summary = Summary(
            session: Self.session.session, host: Named(id: HostID("h1")!, name: "build-server"), hostIsConnected: true,
            agentName: "claude", startedAt: now.wall)
        view = SessionView(state: SessionState(summary: summary))
        tell(.started(holders: nil))
        agent(.sessionStarted(SessionFacts(agentName: "claude")), .statusChanged(.running, reason: nil))
        var device = Device(
            id: Self.device.device, name: "Phone", profile: "heliograph", address: .apns(APNsTokens(.sandbox)), system: "17.5")
        device.address.alerts = "aa"
        device.starts = .never
        ask(.device(device))
    }

    /// The state that a planner started now would see.
    var sight: Sight {
        var sight = Sight(sessions: sessions)
        sight.costs = { [costs] query, _ in costs(query) }
        return sight
    }

    func tell(_ fact: PlannerFact) {
        orders += planner.handle(fact, seeing: sight, at: now)
    }

    func pass(_ milliseconds: Int64) {
        now = Instant(wall: now.wall + milliseconds, uptime: now.uptime + milliseconds)
    }

    func ask(_ command: ClientCommand, as client: ClientIdentity = phone) {
        lastCommand += 1
        tell(
            .clientAsked(
                ClientRequest(command, CommandID("c\(lastCommand)")!, by: Self.peer, of: client, namesNoSession: false)))
    }

    /// Stores events of the agent.
    func agent(_ heads: EventHead...) {
        for head in heads { view.reduce(Event(head, at: now.wall), seq: view.state.seq + 1) }
        sessions.put(view, for: Self.session)
        tell(.sessionsChanged([Self.session]))
    }

    func asks(_ words: RequestWords? = nil) {
        var request = ApprovalRequest(
            approval: Self.approval, kind: .tool, tool: "Bash", title: "Run: ls",
            digest: InputDigest(String(repeating: "ab", count: 32))!)
        request.alert = words
        agent(.approvalRequested(request))
    }

    /// The orders since this was last asked, each as a word.
    func take() -> [String] {
        defer { orders = [] }
        return orders.map(Self.word)
    }

    /// The push that is staged last.
    var staged: PushIntent? {
        orders.reversed().lazy.compactMap { if case .stageOrder(let order) = $0 { order } else { nil } }.first
    }

    /// The records that are staged, as they would come back with the next start.
    var records: [PushRecord] { orders.compactMap { if case .stage(let record) = $0 { record } else { nil } } }

    private static func word(_ order: PlannerOrder) -> String {
        switch order {
        case .reply(.failed, let command, _): "reply \(command): no"
        case .reply(_, let command, _): "reply \(command): yes"
        case .replyWhenStaged(let command, _): "reply \(command) when staged"
        case .tell(_, let peers): "tell \(peers.count)"
        case .stage(let record): "stage \(record.kind) \(record.name)"
        case .stageOrder(let order): "stage push \(order.id.rawValue): \(order.purpose)"
        case .stageFirst(let records, let orders): "stage first \(records.count) records, \(orders.count) pushes"
        case .tie(_, let alert): "tie \(alert)"
        case .push(let order): "push \(order.id.rawValue)"
        case .withdraw(let push): "withdraw \(push.rawValue)"
        case .allowanceReached(let workspace): "allowance reached \(workspace)"
        case .armTimer(let timer, let after): "arm \(name(timer)) after \(after)"
        case .cancelTimer(let timer): "cancel \(name(timer))"
        case .decide(let decide, let command, let client, _, let push):
            "decide \(decide.approval) as \(client.client.id) for \(command) with \(push.rawValue)"
                + (decide.signature.map { ", signed \($0)" } ?? "")
        }
    }

    private static func name(_ timer: PlannerTimer) -> String {
        switch timer {
        case .card: "card"
        case .rings: "rings"
        case .overflow: "overflow"
        case .digest: "digest"
        case .weekly: "weekly"
        case .alerts: "alerts"
        case .channels: "channels"
        case .owedRecords: "owed"
        }
    }
}

extension PushIntent {
    /// The intent without the parts that are added when it is sent.
    var asPlanned: PushIntent {
        var intent = self
        intent.deviceAddress = nil
        return intent
    }
}
