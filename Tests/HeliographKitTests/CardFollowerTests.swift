import Foundation
import LiveActivityKit
import RelayProtocol
import Testing

@testable import HeliographKit

@Suite struct CardFollowerTests {
    private var follower = CardFollower()
    private let now = Date(timeIntervalSince1970: 1_795_178_096)

    private func summary(_ id: String, _ status: RelayProtocol.SessionStatus = .running, approvals: Int64 = 0) -> Summary {
        var summary = Summary(
            session: SessionID(id)!, host: Named(id: Identifier("h1")!, name: "studio"), hostIsConnected: true,
            agentName: "Claude Code", startedAt: 1_795_176_866_000)
        summary.title = "Fix \(id)"
        summary.status = status
        summary.operation = "swift test"
        summary.approvals = approvals
        summary.costMicroUSD = 413_200
        return summary
    }

    private func state(_ summaries: Summary..., link: RelayState.Link = .live) -> RelayState {
        var state = RelayState()
        state.link = link
        state.isComplete = true
        state.sessions = summaries.map(SessionRow.init)
        return state
    }

    private func device(
        _ starts: DeviceRegistration.Starts = .always, text: DeviceRegistration.Text = .summary,
        cards: DeviceRegistration.Cards = .perSession
    ) -> DeviceRegistration {
        var device = DeviceRegistration(device: "phone1", name: "Phone", environment: .sandbox, system: "26.0")!
        (device.starts, device.text, device.cards) = (starts, text, cards)
        return device
    }

    private func name(_ order: CardFollower.Order) -> String {
        switch order {
        case .start(let card): "start \(card.attributes.session ?? "")"
        case .update(let card): "update \(card.attributes.session ?? "")"
        case .end(let card): "end \(card.attributes.session ?? "")"
        }
    }

    private mutating func follow(
        _ state: RelayState, _ device: DeviceRegistration? = nil, cards: Set<String> = [], after seconds: Double = 0
    ) -> [String] {
        follower.follow(state, for: device ?? self.device(), cards: cards, at: now + seconds).map(name)
    }

    @Test mutating func aRunningSessionGetsACardThatIsUpdatedWhereItChangesAndEndedWithTheSession() {
        #expect(follow(state(summary("s1"))) == ["start s1"])
        #expect(follow(state(summary("s1")), cards: ["s1"], after: 5) == [])
        #expect(follow(state(summary("s1", .waitingApproval, approvals: 1)), cards: ["s1"]) == ["update s1"])
        #expect(follow(state(summary("s1", .completed)), cards: ["s1"]) == ["end s1"])
        #expect(follow(state(summary("s1", .completed))) == [])
    }

    @Test mutating func aCardThatAPushStartedIsFollowedToo() {
        #expect(follow(state(summary("s1", .idle)), device(.never), cards: ["s1"]) == ["update s1"])
    }

    @Test mutating func aCardThatThePersonSwipedAwayDoesNotComeBackUntilTheyAskForIt() {
        #expect(follow(state(summary("s1"))) == ["start s1"])
        #expect(follow(state(summary("s1")), cards: ["s1"]) == [])
        #expect(follow(state(summary("s1", .waitingApproval, approvals: 1))) == [])
        follower.want("s1")
        #expect(follow(state(summary("s1"))) == ["start s1"])
    }

    @Test mutating func thePersonsSettingsSayWhichCardsStart() {
        let working = state(summary("s1"), summary("s2", .waitingAnswer, approvals: 1), summary("s3", .idle))
        #expect(follow(working, device(.never)) == [])
        #expect(follow(working, device(cards: .off)) == [])
        #expect(follow(working, device(cards: .aggregate)) == [])
        #expect(follow(working, device(.whenNeeded)) == ["start s2"])
        #expect(follow(working, device(.always)) == ["start s1"], "s2 has begun; nothing goes on in s3")
        follower.want("s3")
        #expect(follow(working, device(.never)) == ["start s3"])
    }

    @Test mutating func sessionsThatWaitComeFirstAndCardsAreBounded() {
        let many = state(
            summary("s1"), summary("s2"), summary("s3"), summary("s4"), summary("s5", .waitingApproval, approvals: 1),
            summary("s6"))
        #expect(follow(many, cards: ["old"]) == ["start s5", "start s1", "start s2"])
    }

    @Test mutating func nothingIsDoneOnWhatMayBeOld() {
        #expect(follow(state(summary("s1"), link: .waiting(reason: "the network is down"))) == [])
        var incomplete = state(summary("s1"))
        incomplete.isComplete = false
        #expect(follow(incomplete) == [])
        var away = summary("s1")
        away.hostIsConnected = false
        #expect(follow(state(away)) == [])
    }

    @Test func aCardSaysNoMoreThanPushesMay() {
        let row = SessionRow(summary("s1"))
        let shown = SessionCard(row, asked: nil, for: device(text: .full), at: now)
        #expect(shown.attributes.title == "Fix s1")
        #expect(shown.content.operation == "swift test")
        #expect(shown.content.costMicroUSD == 413_200)
        for text in [DeviceRegistration.Text.generic, .sealed] {
            var device = device(text: text)
            device.hidesCost = true
            let hidden = SessionCard(row, asked: nil, for: device, at: now)
            #expect(
                hidden.attributes == HeliographActivityAttributes(session: "s1", title: "Session", agent: "Agent", host: "Host")
            )
            #expect(hidden.content.operation == nil && hidden.content.costMicroUSD == nil)
        }
    }
}
