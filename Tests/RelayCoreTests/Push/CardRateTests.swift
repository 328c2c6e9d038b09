import APNsSimulator
import PushPlanner
import RelayProtocol
import Testing

@Suite("How often cards are told, and how fresh they stay")
struct CardRateTests {
    private typealias T = RelayTranscript

    private func stale(_ order: PushIntent) throws -> Int64 { try order.json.required("aps").integer("stale-date") * 1_000 }

    @Test("changes of phase are shown within two seconds, however many there are", arguments: [false, true])
    func phases(_ isFrequent: Bool) throws {
        let rig = try PlannerRig { $0.hasFrequentPushes = isFrequent }
        try rig.withCard()
        for number in 1...48 {
            let (status, changed) = (number.isMultiple(of: 2) ? SessionStatus.running : .idle, rig.transcript.now)
            rig.agent(.statusChanged(status, reason: nil))
            rig.pass(2_500)
            let updates = rig.take().filter { $0.purpose == .update }
            #expect(updates.count == 1 && updates[0].text.contains(#""status":"\#(status.rawValue)""#))
            #expect(updates[0].plannedAt - changed <= 2_000)
        }
        rig.agent(.sessionEnded(reason: nil, failed: false))
        let ended = rig.transcript.now
        rig.pass(2_000)
        let end = try #require(rig.take().first { $0.purpose == .end })
        #expect(end.plannedAt - ended <= 2_000)
    }

    @Test("an agent that flips without a pause is shown every two seconds")
    func flips() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        for number in 1...171 {
            rig.agent(.statusChanged(number.isMultiple(of: 2) ? .running : .idle, reason: nil))
            rig.pass(700)
        }
        let updates = rig.take().filter { $0.purpose == .update }
        #expect((50...66).contains(updates.count), "two minutes: \(updates.count)")
    }

    @Test(
        "tools and counts are shown every 15 seconds, whether the person allows frequent pushes or not",
        arguments: [false, true])
    func counts(_ isFrequent: Bool) throws {
        let rig = try PlannerRig { $0.hasFrequentPushes = isFrequent }
        try rig.withCard()
        for number in 1...60 {
            rig.agent(rig.tool(number))
            rig.pass(2_000)
        }
        let updates = rig.take().filter { $0.purpose == .update }
        #expect((7...9).contains(updates.count), "two minutes: \(updates.count)")
        #expect(updates.allSatisfy { $0.priority == 5 })
    }

    @Test(
        "what a card does not show is no news to it, nor is the time",
        arguments: ["swiftclimb", "heliograph", "codingbridge", "epic"])
    func unseen(_ profile: String) throws {
        let rig = try PlannerRig { $0.profile = profile }
        try rig.withCard()
        rig.agent(rig.tool(1))
        rig.pass(20_000)
        _ = rig.take()
        for number in 1...7 {
            var usage = Usage()
            usage.tokens = Tokens(input: Int64(number), output: 1, cacheRead: 0, cacheWrite: 0)
            rig.agent(.usage(usage))
            if profile == "swiftclimb" { rig.agent(.message(.assistant, summary: "hello")) }
            rig.pass(20_000)
        }
        #expect(rig.take().isEmpty)
    }

    @Test(
        "a busy hour is within what the simulated phone takes at priority 10, and attention has its share",
        arguments: [false, true])
    func hour(_ isFrequent: Bool) throws {
        let rig = try PlannerRig { $0.hasFrequentPushes = isFrequent }
        try rig.withCard()
        let limits = SimulatedLimits()
        var budget = isFrequent ? limits.frequentUpdates : limits.updates
        var (refused, urgent, asked, turned) = (0, 0, 0, 0)
        for step in 1...720 {
            switch step % 48 {
            case 0: rig.ask("a\(step)")
            case 2: rig.agent(.approvalCancelled(ApprovalID("a\(step - 2)")!, reason: "allowedLocally"))
            case let place where place % 6 == 1: rig.agent(.statusChanged(place % 12 == 1 ? .idle : .running, reason: nil))
            default: rig.agent(rig.tool(step))
            }
            rig.pass(5_000)
            for push in rig.take() where push.purpose == .update {
                let isTurn = push.text.contains(#""relevance-score":100"#)
                if isTurn { asked += 1 }
                guard push.priority == 10 else { continue }
                urgent += 1
                if isTurn { turned += 1 }
                if !budget.take(at: push.plannedAt) { refused += 1 }
            }
        }
        #expect(refused == 0)
        #expect(asked > 0 && turned == asked, "\(turned) of \(asked) that ask for a person go at once")
        #expect(urgent >= (isFrequent ? 50 : 20), "\(urgent) of an hour's budget")
    }

    @Test("one that changes again before it is shown waits for two seconds in all")
    func restless() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        let start = rig.transcript.now
        rig.agent(.statusChanged(.idle, reason: nil))
        rig.pass(1_000)
        rig.agent(.statusChanged(.running, reason: nil))
        rig.pass(400)
        rig.agent(.statusChanged(.idle, reason: nil))
        rig.pass(1_000)
        let updates = rig.take().filter { $0.purpose == .update }
        #expect(updates.count == 1 && updates[0].plannedAt - start <= 2_000)
        #expect(updates[0].text.contains(#""status":"idle""#))
    }

    @Test("a card asks for a person within two seconds, whoever looks at another screen")
    func elsewhere() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        let laptop = rig.transcript.client("laptop")
        rig.command(.presence(isForeground: true, session: nil, device: nil), by: laptop)
        let asked = rig.transcript.now
        rig.ask("a1")
        rig.pass(2_000)
        let orders = rig.take()
        #expect(orders.map(\.purpose) == [.update], "the alert gives that screen three seconds")
        #expect(orders[0].plannedAt - asked <= 2_000)
    }

    @Test("an approval waits for no change of phase, on the card or as an alert")
    func approvalAmongFlips() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        for number in 1...9 {
            rig.agent(.statusChanged(number.isMultiple(of: 2) ? .running : .idle, reason: nil))
            rig.pass(2_500)
        }
        _ = rig.take()
        rig.ask("a1")
        rig.pass(500)
        #expect(rig.take().map(\.purpose).sorted { $0.rawValue < $1.rawValue } == [.alert, .update])
    }

    @Test("approvals in quick succession all ring, and the card follows at most every five seconds")
    func approvals() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        for number in 1...24 {
            rig.ask("a\(number)")
            rig.pass(2_500)
        }
        rig.pass(5_000)
        let orders = rig.take()
        #expect(orders.count { $0.purpose == .alert } == 24)
        let updates = orders.filter { $0.purpose == .update }
        #expect((10...14).contains(updates.count))
        #expect(updates.last?.text.contains(#""approvals":24"#) == true)
    }

    @Test("no card goes stale while its session lives", arguments: ["heliograph", "codingbridge"])
    func fresh(_ profile: String) throws {
        let rig = try PlannerRig { $0.profile = profile }
        try rig.withCard()
        rig.agent(rig.tool(1))
        rig.pass(3_000)
        var until = try stale(try #require(rig.take().last))
        for step in 1...300 {
            if step == 150 { rig.agent(T.request("a1")) }
            rig.pass(10_000)
            for order in rig.take() where order.purpose == .update { until = try stale(order) }
            #expect(until > rig.transcript.now, "after \(step) steps of ten seconds")
        }
    }

    @Test("a card ends by its app's own age with its app's own sentence")
    func closing() throws {
        let rig = try PlannerRig { $0.profile = "codingbridge" }
        let start = rig.transcript.now
        try rig.withCard()
        while rig.transcript.now < start + 3_610_000 { rig.pass(10_000) }
        let end = try #require(rig.take().first { $0.purpose == .end })
        #expect((3_600_000...3_601_000).contains(end.plannedAt - start))
        let state = try end.json.required("aps").required("content-state")
        #expect(try state.string("currentOperation") == "Task still running - check notifications")
        #expect(try state.string("status") == "processing")
    }

    @Test(
        "ended cards stay for as long as their apps leave them",
        arguments: [
            ("codingbridge", 900, 900), ("swiftclimb", 0, 0), ("delivery", 3_600, 3_600), ("opencode", 14_400, 14_400),
        ])
    func dismissal(_ profile: String, _ completed: Int64, _ failed: Int64) throws {
        for (isFailure, seconds) in [(false, completed), (true, failed)] {
            let rig = try PlannerRig { $0.profile = profile }
            try rig.withCard()
            rig.agent(.sessionEnded(reason: nil, failed: isFailure))
            rig.pass(1_000)
            let end = try #require(rig.take().first { $0.purpose == .end })
            let dismissal = try end.json.required("aps").integer("dismissal-date")
            #expect(abs(dismissal - end.plannedAt / 1_000 - seconds) <= 1)
        }
    }

    @Test("an opencode card ends with its progress full, whatever is left on the list")
    func progress() throws {
        let rig = try PlannerRig { $0.profile = "opencode" }
        try rig.withCard()
        rig.agent(.todoChanged(TodoProgress(completed: 3, total: 7, current: "Test")))
        rig.pass(61_000)
        #expect(rig.take().last?.text.contains(#""progress":0.4286"#) == true)
        rig.agent(.sessionEnded(reason: nil, failed: false))
        rig.pass(1_000)
        #expect(rig.take().first { $0.purpose == .end }?.text.contains(#""progress":1,"#) == true)
    }

    @Test("whoever hides costs on a device is told none there, neither on cards nor in alerts")
    func cost() throws {
        let rig = try PlannerRig { $0.hidesCost = true }
        try rig.withCard()
        var usage = Usage()
        usage.costMicroUSD = 412_300
        rig.agent(.usage(usage))
        rig.pass(61_000)
        rig.agent(.sessionEnded(reason: nil, failed: false))
        rig.pass(1_000)
        let orders = rig.take()
        #expect(orders.contains { $0.purpose == .end } && orders.contains { $0.purpose == .alert })
        #expect(orders.allSatisfy { !$0.text.contains("412300") && !$0.text.contains("$0.41") })
    }
}
