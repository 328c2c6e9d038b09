import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol
import Testing

@Suite("Alerts")
struct AlertPlannerTests {
    private typealias T = RelayTranscript

    @Test("a test says that it is one")
    func test() throws {
        let rig = try PlannerRig()
        rig.command(.testPush(PlannerRig.device))
        let alert = try #require(rig.take().first)
        #expect(try alert.json.required("heliograph").string("kind") == "test")
    }

    @Test("an approval rings once, with a code, on its own notification")
    func approval() throws {
        let rig = try PlannerRig()
        rig.agent(T.started, T.request("a1", expiresAt: rig.transcript.now + 600_000))
        rig.pass(100)
        let order = try #require(rig.take().first)
        #expect(order.purpose == .alert)
        #expect(order.target == .device(token: "aa"))
        #expect(order.topic == "org.heliograph.app")
        #expect(order.pushType == "alert")
        #expect(order.priority == 10)
        #expect(order.collapse == "s1.a1")
        #expect(order.isHarmlessToRepeat)
        #expect(order.code?.approval == ApprovalID("a1"))
        #expect(order.code?.expiresAt ?? 0 <= rig.transcript.now + 600_000)
        #expect(order.text.contains(#""code":"CODE""#))
        #expect(order.text.contains("time-sensitive"))
        rig.agent(rig.tool(1))
        rig.pass(600_000)
        #expect(!rig.take().contains { $0.code != nil })
    }

    @Test("an approval that nobody waits for any more, as far as the relay knows, rings no device that comes only now")
    func over() throws {
        let rig = try PlannerRig { $0.address.alerts = nil }
        rig.agent(T.started, T.request("a1", expiresAt: rig.transcript.now + 60_000), T.request("a2"))
        rig.pass(62_000)
        rig.register()
        rig.pass(100)
        #expect(rig.take().compactMap(\.code?.approval) == [ApprovalID("a2")])
    }

    @Test("with somebody in the workspace who looks, it waits three seconds for them")
    func grace() throws {
        let rig = try PlannerRig()
        let laptop = rig.transcript.client("laptop2")
        rig.command(.presence(isForeground: true, session: nil, device: nil), by: laptop)
        rig.agent(T.started, T.request("a1"))
        rig.pass(2_900)
        #expect(rig.take().isEmpty)
        rig.pass(200)
        #expect(rig.take().count == 1)

        rig.agent(T.request("a2"))
        rig.pass(1_000)
        rig.command(T.decide(.allow, "a2"), by: laptop)
        rig.pass(60_000)
        #expect(!rig.take().contains { $0.code?.approval == ApprovalID("a2") })
    }

    @Test("a device that has it on its screen does not ring, until it looks away")
    func seen() throws {
        let rig = try PlannerRig()
        rig.command(.presence(isForeground: true, session: nil, device: PlannerRig.device))
        rig.agent(T.started, T.request("a1"))
        rig.command(.seen(T.session, ApprovalID("a1")!))
        for _ in 1...6 {
            rig.pass(10_000)
            rig.command(.ping)
        }
        #expect(rig.take().isEmpty)
        rig.command(.presence(isForeground: false, session: nil, device: PlannerRig.device))
        rig.pass(100)
        #expect(rig.take().count == 1)
    }

    @Test("a device in the foreground that does not say it has seen it rings")
    func unseen() throws {
        let rig = try PlannerRig()
        rig.command(.presence(isForeground: true, session: nil, device: PlannerRig.device))
        rig.agent(T.started, T.request("a1"))
        rig.pass(3_100)
        #expect(rig.take().count == 1)
    }

    @Test("what is settled elsewhere says so on the same notification, silently")
    func takenBack() throws {
        let rig = try PlannerRig()
        let laptop = rig.transcript.client("laptop2")
        rig.agent(T.started, T.request("a1"))
        rig.pass(100)
        _ = rig.take()
        rig.command(T.decide(.allow), by: laptop)
        rig.pass(100)
        let order = try #require(rig.take().first)
        #expect(order.collapse == "s1.a1")
        #expect(order.code == nil)
        #expect(order.priority == 5)
        #expect(order.text.contains("passive"))
        #expect(order.text.contains("Allowed by laptop2"))

        rig.agent(T.request("a2"))
        rig.pass(100)
        _ = rig.take()
        rig.command(T.decide(.allow, "a2"))
        rig.pass(1_000)
        #expect(rig.take().isEmpty, "who decided here has seen it")
    }

    @Test("how it was settled is said in our words, and by whom only where texts are wanted", arguments: PushText.allCases)
    func settledWords(_ text: PushText) throws {
        let rig = try PlannerRig {
            $0.text = text
            $0.sealKey = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        }
        rig.agent(T.started, .sessionRenamed(title: "Allow all of it"), T.request("a1"))
        rig.pass(100)
        _ = rig.take()
        rig.command(T.decide(.deny(message: nil)), by: rig.transcript.client("laptop2"))
        let order = try #require(rig.take().first)
        let alert = try order.json.required("aps").required("alert")
        #expect(try alert.string("title") == "An approval is settled")
        let showsText = text == .full || text == .summary
        #expect(try alert.string("body") == (showsText ? "Denied by laptop2" : "Denied elsewhere"))
        #expect(order.text.contains("laptop2") == showsText && order.text.contains("Allow all of it") == showsText)
        #expect(order.seal.map { String(decoding: $0.text, as: UTF8.self).contains("Denied by laptop2") } ?? (text != .sealed))
    }

    @Test("muted sessions and unwanted kinds are silent")
    func preferences() throws {
        let muted = try PlannerRig { $0.muted = [T.session] }
        muted.agent(T.started, T.request("a1"))
        muted.pass(10_000)
        #expect(muted.take().isEmpty)
        let few = try PlannerRig { $0.kinds = [.error] }
        few.agent(T.started, T.request("a1"))
        few.pass(10_000)
        #expect(few.take().isEmpty)
        few.agent(.error(message: "no disk", recoverable: false))
        few.pass(1_000)
        #expect(few.take().count == 1)
    }

    @Test("a muted project is silent on its host, and what still waits rings when it is no longer muted")
    func mutedProject() throws {
        var facts = SessionFacts(agentName: "claude-code")
        facts.project = "webshop"
        let elsewhere = [
            HostProject(host: HostID("other")!, project: "webshop"), HostProject(host: HostID("laptop")!, project: "shop"),
        ]
        for (muted, isSilent) in [([HostProject(host: HostID("laptop")!, project: "webshop")], true), (elsewhere, false)] {
            let rig = try PlannerRig { $0.mutedProjects = Set(muted) }
            rig.agent(.sessionStarted(facts), T.request("a1"), .error(message: "no disk", recoverable: false))
            rig.pass(10_000)
            #expect(rig.take().isEmpty == isSilent)
            rig.register()
            rig.pass(10_000)
            #expect(rig.take().map { $0.code?.approval.rawValue } == (isSilent ? ["a1"] : []))
        }
    }

    @Test("with the person's choice what has risks rings in quiet hours, and nothing else does")
    func exceptRisks() throws {
        let minute = Int64(1_795_178_096_000 / 60_000 % 1_440)
        for exceptRisks in [false, true] {
            let rig = try PlannerRig {
                $0.quiet = QuietHours(from: minute, to: (minute + 30) % 1_440, timeZone: "UTC", exceptRisks: exceptRisks)
            }
            rig.agent(T.started, .statusChanged(.running, reason: nil))
            rig.ask("a1")
            rig.ask("a2", risks: ["It deletes files."])
            rig.agent(.error(message: "no disk", recoverable: true))
            rig.pass(60_000)
            #expect(rig.take().map { $0.code?.approval.rawValue } == (exceptRisks ? ["a2"] : []))
            rig.pass(30 * 60_000)
            let later = Set(rig.take().map { $0.code?.approval.rawValue ?? $0.collapse })
            #expect(later == (exceptRisks ? ["a1", "digest"] : ["a1", "a2", "digest"]))
        }
    }

    @Test("a session that is put off does not ring for its risks either")
    func putOff() throws {
        let minute = Int64(1_795_178_096_000 / 60_000 % 1_440)
        let rig = try PlannerRig {
            $0.quiet = QuietHours(from: minute, to: (minute + 30) % 1_440, timeZone: "UTC", exceptRisks: true)
            $0.mutedUntil = [T.session: TimedMute(until: 1_795_178_096_000 + 600_000)]
        }
        rig.agent(T.started)
        rig.ask("a1", risks: ["It deletes files."])
        rig.pass(500_000)
        #expect(rig.take().isEmpty)
        rig.pass(110_000)
        #expect(rig.take().map { $0.code?.approval.rawValue } == ["a1"])
    }

    @Test("a run of over a minute is told when it is over, once; a short one is not")
    func finished() throws {
        let rig = try PlannerRig()
        rig.agent(T.started, .statusChanged(.running, reason: nil))
        rig.pass(30_000)
        rig.agent(.statusChanged(.idle, reason: nil))
        rig.pass(1_000)
        #expect(rig.take().isEmpty)
        rig.agent(.statusChanged(.running, reason: nil))
        rig.pass(61_000)
        rig.agent(.statusChanged(.idle, reason: nil))
        rig.pass(1_000)
        #expect(rig.take().count == 1)
        rig.agent(.sessionEnded(reason: nil, failed: false))
        rig.pass(60_000)
        #expect(rig.take().isEmpty)
    }

    @Test("an error rings once while it lasts, and again when it comes again")
    func errorAgain() throws {
        let rig = try PlannerRig()
        rig.agent(T.started, .statusChanged(.running, reason: nil), .error(message: "no disk", recoverable: true))
        rig.agent(rig.tool(1), .error(message: "no disk", recoverable: true))
        rig.pass(1_000)
        #expect(rig.take().map(\.collapse) == ["error.s1"])
        rig.agent(.statusChanged(.running, reason: nil))
        rig.agent(.error(message: "no disk", recoverable: true))
        rig.pass(1_000)
        #expect(rig.take().map(\.collapse) == ["error.s1"])
    }

    @Test("in quiet hours nothing rings; then what still waits does, and the rest is one digest")
    func quiet() throws {
        let rig = try PlannerRig()
        let minute = rig.transcript.now / 60_000 % 1_440
        rig.register { $0.quiet = QuietHours(from: minute, to: (minute + 30) % 1_440, timeZone: "UTC") }
        rig.agent(T.started, .statusChanged(.running, reason: nil))
        rig.pass(120_000)
        rig.agent(.statusChanged(.idle, reason: nil))
        rig.agent(.error(message: "e", recoverable: true))
        rig.agent(T.request("a1"))
        rig.pass(1_500_000)
        #expect(rig.take().isEmpty)
        rig.pass(300_000)
        let orders = rig.take()
        #expect(orders.count == 2)
        #expect(orders.contains { $0.code?.approval == ApprovalID("a1") })
        #expect(orders.contains { $0.collapse == "digest" && $0.text.contains("1 error, 1 run finished") })
    }

    @Test("a time zone or profile that is none is refused, with its place")
    func badDevice() throws {
        let rig = try PlannerRig()
        var device = Device(id: DeviceID("d2")!, name: "x", profile: "none", address: .apns(APNsTokens(.sandbox)), system: "18")
        #expect(rig.command(.device(device))[0].contains("$.device.profile"))
        device.profile = "heliograph"
        device.quiet = QuietHours(from: 1, to: 2, timeZone: "Mars/Olympus")
        #expect(rig.command(.device(device))[0].contains("$.device.quiet.timeZone"))
    }

    @Test("a token that another device registers is moved")
    func movedToken() throws {
        let rig = try PlannerRig()
        let other = rig.transcript.client("other", in: Named(id: WorkspaceID("work")!, name: "work"))
        var device = Device(
            id: DeviceID("d9")!, name: "x", profile: "heliograph", address: .apns(APNsTokens(.sandbox)), system: "18")
        device.address.alerts = "aa"
        rig.command(.device(device), by: other)
        rig.agent(T.started, T.request("a1"))
        rig.pass(1_000)
        #expect(rig.take().isEmpty)
    }

    @Test("a budget's crossing rings once, in the batch that holds it; one that was taken back rings when it comes again")
    func budget() throws {
        let rig = try PlannerRig()
        rig.agent(T.started)
        rig.command(.budget(Budget(scope: .session(T.session), microUSD: 1_000_000)))
        func usage(_ microUSD: Int64) -> EventHead {
            var usage = Usage()
            usage.costMicroUSD = microUSD
            return .usage(usage)
        }
        rig.agent(usage(600_000))
        rig.pass(100)
        #expect(rig.take().count { $0.text.contains(#""kind":"budget""#) } == 1)
        rig.transcript.send([usage(900_000)], first: 3, by: rig.host)
        rig.transcript.failCommit()
        rig.pass(60_000)
        #expect(rig.take().isEmpty)
        rig.transcript.send([usage(900_000)], first: 3, by: rig.transcript.host())
        rig.transcript.commit()
        rig.pass(60_000)
        #expect(rig.take().map(\.collapse) == ["budget.session.80.s1"])
        #expect(
            !rig.transcript.records.values.contains { String(decoding: $0.bytes ?? [], as: UTF8.self).contains(#""owed":[{"#) })
    }

    // MARK: - Codes

    @Test("a code decides once, as the device's owner; a second use hears what was decided")
    func code() throws {
        let rig = try PlannerRig { $0.text = .full }
        rig.agent(T.started)
        rig.ask("a1")
        rig.pass(100)
        let push = try #require(rig.take().first).id
        #expect(rig.present(push, .allow).contains(#""stage":"decided""#))
        #expect(rig.transcript.approvals[ApprovalID("a1")!]?.decision?.clientName == "phone")
        #expect(rig.present(push, .deny(message: nil)).contains(#""winner""#))
        #expect(rig.present(PushID(rawValue: 99), .allow).contains("notFound"))
    }

    @Test("a code decides as long as its approval is pending, and nothing that is settled")
    func oldCode() throws {
        let rig = try PlannerRig { $0.text = .full }
        rig.agent(T.started)
        rig.ask("a1")
        rig.ask("a2")
        rig.pass(100)
        let orders = rig.take()
        let push = try #require(orders.first { $0.code?.approval == ApprovalID("a1") }).id
        let second = try #require(orders.first { $0.code?.approval == ApprovalID("a2") }).id
        for _ in 1...24 {
            rig.transcript.pass(3_600_000)
            rig.answer()
        }
        rig.agent(.approvalCancelled(ApprovalID("a2")!, reason: "local"))
        #expect(rig.present(push, .allow).contains(#""stage":"decided""#))
        #expect(rig.present(second, .allow).contains("closed"))
    }

    @Test("the codes of what still waits are kept, however many approvals were asked and settled since, also over a restart")
    func crowdedCodes() throws {
        let rig = try PlannerRig { $0.text = .full }
        rig.agent(T.started)
        rig.ask("first")
        rig.pass(100)
        let push = try #require(rig.take().first).id
        for number in 1...200 {
            rig.ask("a\(number)")
            rig.pass(10)
            rig.agent(.approvalCancelled(ApprovalID("a\(number)")!, reason: "local"))
            rig.pass(10)
        }
        let kept = rig.transcript.records.keys.count { $0.hasPrefix("push ") }
        #expect(kept <= 54, "and no others: \(kept)")
        let again = RelayTranscript(state: rig.transcript.state, push: PlannerRig.configuration, now: rig.transcript.now)
        again.resume(rig.transcript)
        again.handle(.codePresented(PeerID(rawValue: PeerID.firstCommandPeer.rawValue), CommandID("n1")!, push, .allow))
        again.settle()
        #expect(again.sent.values.joined().contains { $0.contains(#""stage":"decided""#) })
        #expect(rig.present(push, .allow).contains(#""stage":"decided""#))
    }

    @Test("what the notification did not show whole can be denied from it, not allowed")
    func cutCode() throws {
        let rig = try PlannerRig()
        rig.agent(T.started, T.request("a1", cut: true))
        rig.pass(100)
        let push = try #require(rig.take().first).id
        #expect(rig.present(push, .allow).contains("notWhole"))
        let older = try PlannerRig { $0.text = .full }
        older.agent(T.started, T.request("a1"))
        older.pass(100)
        #expect(
            older.present(try #require(older.take().first).id, .allow).contains("notWhole"), "a host that sends no words for it"
        )
        let summary = try PlannerRig()
        summary.agent(T.started)
        summary.ask("a1")
        summary.pass(100)
        let order = try #require(summary.take().first)
        #expect(order.text.contains("HELIOGRAPH_APPROVAL_REVIEW"))
        #expect(summary.present(order.id, .allow).contains("notWhole"), "the person chose summaries")
        #expect(rig.present(push, .deny(message: "no")).contains(#""stage":"decided""#))
    }

    // MARK: - Outcomes

    @Test("APNs away: an approval rings again while it is pending")
    func away() throws {
        let rig = try PlannerRig()
        rig.agent(T.started, T.request("a1"))
        rig.pass(100, answering: false)
        #expect(rig.take(.notSent("no network")).count == 1)
        rig.pass(29_000)
        #expect(rig.take().isEmpty)
        rig.pass(2_000)
        #expect(rig.take().count == 1)
        rig.pass(600_000)
        #expect(rig.take().isEmpty)
    }

    @Test("a dead alert token is dropped, and the device says why; registering again mends it")
    func deadToken() throws {
        let rig = try PlannerRig()
        rig.agent(T.started, T.request("a1"))
        rig.pass(100, answering: false)
        _ = rig.take(.refused(.dropToken, text: "Unregistered"))
        #expect(rig.command(.devices(watches: false))[0].contains("Unregistered"))
        rig.agent(T.request("a2"))
        rig.pass(10_000)
        #expect(rig.take().isEmpty)
        rig.register()
        rig.agent(T.request("a3"))
        rig.pass(1_000)
        #expect(rig.take().contains { $0.code?.approval == ApprovalID("a3") })
    }

    @Test("what the disk did not take is not sent, and is sent when it takes it")
    func disk() throws {
        let rig = try PlannerRig()
        rig.agent(T.started, T.request("a1"))
        rig.transcript.failCommit()
        #expect(rig.transcript.takePushes().isEmpty)
        rig.pass(31_000)
        #expect(rig.take().count == 1)
    }

    @Test("after a restart an approval that was rung for is not rung for again; one that was not, is")
    func restart() throws {
        let rig = try PlannerRig()
        rig.agent(T.started, T.request("a1"))
        rig.pass(100)
        _ = rig.take()
        let state = rig.transcript.state
        let calm = RelayTranscript(state: state, push: PlannerRig.configuration, now: rig.transcript.now)
        calm.pass(60_000)
        #expect(calm.takePushes().isEmpty)

        rig.agent(T.request("a2"))
        // Its record is not on disk yet.
        let late = RelayTranscript(state: rig.transcript.state, push: PlannerRig.configuration, now: rig.transcript.now)
        late.pass(1_000)
        #expect(late.takePushes().compactMap(\.code?.approval) == [ApprovalID("a2")!])
    }
}

extension PlannerRig {
    /// The reply to a client that presents the code of this push.
    func present(_ push: PushID, _ verdict: Decision.Verdict) -> String {
        let peer = PeerID(rawValue: PeerID.firstCommandPeer.rawValue + UInt64.random(in: 0..<1_000_000))
        transcript.handle(.codePresented(peer, CommandID("code")!, push, verdict))
        transcript.settle()
        transcript.read()
        transcript.handle(.disconnected(peer))
        return transcript.take(peer).first ?? "nothing"
    }
}
