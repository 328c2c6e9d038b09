import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol
import Testing

@Suite("Broadcast channels")
struct ChannelTests {
    private typealias T = RelayTranscript

    private static let name = "Q0g="

    /// A phone of iOS 18 whose app may broadcast, and a session at work.
    private func rig(retention: Retention = Retention()) throws -> PlannerRig {
        let rig = try PlannerRig(broadcasts: true, retention: retention) {
            $0.system = "18.1"
            $0.starts = .always
            $0.address.alerts = nil
        }
        rig.agent(T.started, .statusChanged(.running, reason: nil))
        return rig
    }

    /// The same with a card that was started and listens.
    private func rigWithCard(retention: Retention = Retention()) throws -> PlannerRig {
        let rig = try rig(retention: retention)
        rig.pass(120_000, answering: false)
        #expect(rig.take(.accepted(.sandbox, channel: Self.name)).map(\.target) == [.makeChannel])
        rig.pass(1_000)
        #expect(rig.take().contains { $0.purpose == .start })
        return rig
    }

    private func records(_ rig: PlannerRig) -> Int { rig.transcript.records.values.count { $0.kind == .channel } }

    @Test("a channel is made before the start, used, and deleted after the end")
    func life() throws {
        let rig = try rigWithCard()
        rig.report(card: "k", token: nil)
        rig.agent(T.request("a1"))
        rig.pass(2_000)
        let update = try #require(rig.take().last { $0.purpose == .update })
        #expect(update.target == .broadcast(channel: Self.name) && update.topic == nil)
        rig.agent(.sessionEnded(reason: nil, failed: false))
        rig.pass(2_000)
        #expect(rig.take().map(\.target) == [.broadcast(channel: Self.name)])
        // APNs keeps the end there for a phone that is offline.
        rig.pass(3_590_000)
        #expect(rig.take().isEmpty && records(rig) == 1)
        rig.pass(20_000)
        #expect(rig.take().map(\.target) == [.deleteChannel(channel: Self.name)])
        #expect(records(rig) == 0)
    }

    @Test("of many sessions at work one channel is made at a time, for the card that begins")
    func oneByOne() throws {
        let rig = try rig()
        for number in 2...64 {
            rig.transcript.send(
                [T.started, .statusChanged(.running, reason: nil)], to: SessionID("s\(number)")!, first: 1, by: rig.host)
            rig.transcript.commit()
        }
        var (made, started): (Int, [PushIntent]) = (0, [])
        func pass(_ seconds: Int) {
            for _ in 0..<seconds {
                rig.transcript.pass(1_000)
                rig.transcript.commit()
                for order in rig.transcript.takePushes() {
                    if order.target == .makeChannel { made += 1 }
                    if order.purpose == .start { started.append(order) }
                    let channel = order.target == .makeChannel ? "Q\(made)" : nil
                    rig.transcript.handle(.pushAnswered(order.id, .accepted(.sandbox, channel: channel)))
                    rig.transcript.commit()
                }
            }
        }
        pass(120)
        #expect(made == 1 && started.count == 1)
        let report = CardReport(card: CardID("k")!, session: started.first?.session, token: nil, state: .active)
        rig.command(.card(PlannerRig.device, report))
        pass(60)
        #expect(made == 2 && started.count == 2)
    }

    @Test("a channel is kept for its end over a restart")
    func keptOverRestart() throws {
        let rig = try rigWithCard()
        rig.report(card: "k", token: nil)
        rig.agent(.sessionEnded(reason: nil, failed: false))
        rig.pass(2_000)
        _ = rig.take()
        let again = RelayTranscript(state: rig.transcript.state, push: PlannerRig.broadcasting, now: rig.transcript.now)
        again.resume(rig.transcript)
        for _ in 1...55 { again.pass(60_000) }
        #expect(again.takePushes().isEmpty)
        for _ in 1...10 { again.pass(60_000) }
        #expect(again.takePushes().map(\.target) == [.deleteChannel(channel: Self.name)])
    }

    @Test("a card of which its app never tells is brought up to date, ended, and its channel deleted")
    func neverReported() throws {
        let rig = try rigWithCard()
        rig.agent(T.request("a1"))
        rig.pass(400_000)
        #expect(rig.take().contains { $0.purpose == .update && $0.text.contains(#""approvals":1"#) })
        rig.agent(.sessionEnded(reason: nil, failed: false))
        rig.pass(3_700_000)
        let last = rig.take()
        #expect(last.map(\.purpose) == [.end, .channel])
        #expect(last.last?.target == .deleteChannel(channel: Self.name))
    }

    @Test("a channel whose card was not wanted any more before it could be started is deleted")
    func notStarted() throws {
        let rig = try rig()
        rig.pass(120_000, answering: false)
        rig.agent(.statusChanged(.idle, reason: nil))
        #expect(rig.take(.accepted(.sandbox, channel: Self.name)).map(\.target) == [.makeChannel])
        rig.pass(10_000)
        #expect(rig.take().map(\.target) == [.deleteChannel(channel: Self.name)])
    }

    @Test("retention that removes the session has its card ended and its channel deleted")
    func removed() throws {
        let rig = try rigWithCard(retention: Retention(ageMax: 60_000))
        rig.transcript.handle(.disconnected(rig.host))
        rig.pass(4_300_000)
        let last = rig.take()
        #expect(last.suffix(2).map(\.target) == [.broadcast(channel: Self.name), .deleteChannel(channel: Self.name)])
        #expect(records(rig) == 0)
        #expect(rig.transcript.records.values.count { $0.kind == .card } == 0)
    }

    @Test("a channel that is made for a device that is forgotten meanwhile is deleted")
    func forgotten() throws {
        let rig = try rig()
        rig.pass(120_000, answering: false)
        rig.command(.forget(PlannerRig.device))
        #expect(rig.take(.accepted(.sandbox, channel: Self.name)).map(\.target) == [.makeChannel])
        rig.pass(1_000)
        #expect(rig.take().map(\.target) == [.deleteChannel(channel: Self.name)])
        #expect(rig.transcript.records.values.map(\.name) == ["last/0"])
    }

    @Test("a deletion that fails is tried again, also after a restart")
    func deletedAgain() throws {
        let rig = try rigWithCard()
        rig.report(.dismissed, card: "k", token: nil)
        #expect(rig.take(.notSent("no network")).map(\.target) == [.deleteChannel(channel: Self.name)])
        let again = RelayTranscript(state: rig.transcript.state, push: PlannerRig.broadcasting, now: rig.transcript.now)
        again.resume(rig.transcript)
        again.pass(1_000)
        let deletion = try #require(again.takePushes().first)
        #expect(deletion.target == .deleteChannel(channel: Self.name))
        again.handle(.pushAnswered(deletion.id, .refused(.dropChannel, text: "ChannelNotRegistered")))
        again.pass(400_000)
        #expect(again.takePushes().isEmpty)
    }

    @Test("what was under way to a channel that is deleted is not sent again after a restart")
    func notSentAgain() throws {
        let rig = try rigWithCard()
        rig.report(card: "k", token: nil)
        _ = rig.take()
        rig.agent(T.request("a1"))
        rig.pass(2_000, answering: false)
        rig.transcript.commit()
        #expect(rig.transcript.takePushes().map(\.target) == [.broadcast(channel: Self.name)])
        rig.report(.dismissed, card: "k", token: nil)
        #expect(rig.take().map(\.target) == [.deleteChannel(channel: Self.name)])
        let again = RelayTranscript(state: rig.transcript.state, push: PlannerRig.broadcasting, now: rig.transcript.now)
        again.resume(rig.transcript)
        again.pass(10_000)
        #expect(!again.takePushes().contains { $0.target == .broadcast(channel: Self.name) })
    }

    @Test("the end of the card before, told late, is not the end of the one that was started since")
    func lateEnd() throws {
        let rig = try rigWithCard()
        rig.report(card: "k1", token: nil)
        rig.agent(.statusChanged(.idle, reason: nil))
        rig.pass(700_000)
        rig.agent(.statusChanged(.running, reason: nil))
        rig.pass(60_000, answering: false)
        _ = rig.take(.accepted(.sandbox, channel: "Q0k="))
        rig.pass(10_000)
        #expect(rig.take().contains { $0.purpose == .start })
        rig.report(.ended, card: "k1", token: nil)
        rig.agent(T.request("a1"))
        rig.pass(2_000)
        #expect(rig.take().contains { $0.target == .broadcast(channel: "Q0k=") })
    }

    @Test("an app that is opened tells of every card that is over: none of them is the one that was started since")
    func lateEnds() throws {
        let rig = try rigWithCard()
        for (card, channel) in [("k1", "Q0k="), ("k2", "Q1k=")] {
            rig.report(card: card, token: nil)
            rig.agent(.statusChanged(.idle, reason: nil))
            rig.pass(700_000)
            rig.agent(.statusChanged(.running, reason: nil))
            rig.pass(60_000, answering: false)
            _ = rig.take(.accepted(.sandbox, channel: channel))
            rig.pass(10_000)
            #expect(rig.take().contains { $0.purpose == .start })
        }
        rig.report(.dismissed, card: "k1", token: nil)
        rig.report(.dismissed, card: "k2", token: nil)
        rig.report(card: "k3", token: nil)
        rig.agent(T.request("a1"))
        rig.pass(2_000)
        #expect(rig.take().contains { $0.target == .broadcast(channel: "Q1k=") })
    }

    @Test("an app that tells of a card while its end is under way does not make it live again")
    func toldWhileEnding() throws {
        let rig = try rigWithCard()
        rig.agent(.sessionEnded(reason: nil, failed: false))
        rig.report(card: "k", token: nil)
        rig.pass(3_700_000)
        #expect(rig.take().map(\.purpose) == [.end, .channel])
    }

    @Test("a card that turns out to have a token needs no channel")
    func tokenInstead() throws {
        let rig = try rigWithCard()
        rig.report(card: "own", token: "dd")
        rig.agent(T.request("a1"))
        rig.pass(2_000)
        let sent = rig.take()
        #expect(sent.contains { $0.target == .deleteChannel(channel: Self.name) })
        #expect(sent.last { $0.purpose == .update }?.target == .device(token: "dd"))
    }

    @Test("a card that was taken for a listener has heard nothing, and is told all when its token comes")
    func tokenLater() throws {
        let rig = try rigWithCard()
        rig.report(card: "own", token: nil)
        rig.agent(T.request("a1"))
        rig.pass(2_000)
        #expect(rig.take().last { $0.purpose == .update }?.target == .broadcast(channel: Self.name))
        rig.report(card: "own", token: "dd")
        rig.pass(20_000)
        let update = try #require(rig.take().last { $0.purpose == .update })
        #expect(update.target == .device(token: "dd") && update.text.contains(#""approvals":1"#))
    }

    @Test("a channel that is made when the app has begun a card by itself is deleted, and the card is told by its token")
    func madeTooLate() throws {
        let rig = try rig()
        rig.pass(120_000, answering: false)
        rig.report(card: "own", token: "dd")
        #expect(rig.take(.accepted(.sandbox, channel: Self.name)).map(\.target) == [.makeChannel])
        rig.agent(T.request("a1"))
        rig.pass(2_000)
        let sent = rig.take()
        #expect(sent.contains { $0.target == .deleteChannel(channel: Self.name) })
        #expect(sent.last { $0.purpose == .update }?.target == .device(token: "dd"))
    }

    @Test("where Apple makes no channel the card starts without")
    func refused() throws {
        let rig = try rig()
        rig.pass(120_000, answering: false)
        #expect(rig.take(.refused(.fixRequest, text: "BadRequestPayload")).map(\.target) == [.makeChannel])
        rig.agent(rig.tool(1))
        rig.pass(120_000)
        let sent = rig.take()
        #expect(sent.contains { $0.purpose == .start && !$0.text.contains("input-push-channel") })
        #expect(!sent.contains { $0.target == .makeChannel })
    }
}
