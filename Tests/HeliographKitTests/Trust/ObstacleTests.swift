import Consent
import ConsentKeys
import RelayProtocol
import Testing

@testable import HeliographKit

@Suite("What an app may allow, and why not")
struct ObstacleTests {
    private let host = KitHost()

    private func obstacle(
        _ event: Event, trusted: Bool = true, signed: Bool = true
    ) -> PendingApproval.Obstacle? {
        pending(event, trusted: trusted, signed: signed).obstacle
    }

    private func pending(_ event: Event, trusted: Bool = true, signed: Bool = true) -> PendingApproval {
        var summary = host.summary
        if !signed { summary.steering = nil }
        return PendingApproval(host.approval(event), summary, trustedBy: trusted ? [host.identity.id] : [])
    }

    @Test("what a host that trusts this device showed can be allowed, and is all that is shown")
    func allowed() throws {
        let event = host.shown()
        guard case .approvalRequested(var lying) = event.head else { return #expect(Bool(false)) }
        lying.title = "Run: something harmless"
        let text = try #require(ShownText.text(inEvent: event.bytes))
        let approval = pending(Event(.approvalRequested(lying), at: 1) { $0.field("shown", text) })
        #expect(approval.canAllow && approval.title == "Run: ls" && approval.input.map(\.text) == ["ls"])
        #expect(approval.signable == text)
    }

    @Test("each reason has its word")
    func reasons() throws {
        #expect(obstacle(host.shown(), trusted: false) == .notTrusted(host: "laptop"))
        #expect(obstacle(host.shown { $0.isCut = true }) == .cut)
        #expect(obstacle(host.shown { ($0.isCut, $0.isRedacted) = (true, true) }) == .hidden)
        #expect(obstacle(host.shown { $0.needsPasskey = true }) == .needsPasskey)
        let text = try #require(ShownText.text(inEvent: host.shown().bytes))
        let head = host.shown().head
        let swapped = Event(head, at: 1) { $0.field("shown", text.replacing("ls", with: "rm")) }
        guard case .unreadable = obstacle(swapped) else { return #expect(Bool(false), "a swapped body") }
        let bare = Event(head, at: 1) { body in body.object("input") { $0.field("command", "ls") } }
        guard case .unreadable = obstacle(bare) else { return #expect(Bool(false), "no signed text") }
        #expect(obstacle(bare, signed: false) == nil)
        #expect(obstacle(Event(head, at: 1) { $0.field("sealed", "AQ") }) == .sealed)
        for obstacle in [
            PendingApproval.Obstacle.cut, .hidden, .sealed, .unreadable("x"), .notTrusted(host: "x"), .needsPasskey,
        ] {
            #expect(!obstacle.sentence.isEmpty)
        }
    }
}
