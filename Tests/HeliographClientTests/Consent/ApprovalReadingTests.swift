import Consent
import ConsentKeys
import DeviceConsent
import HeliographLink
import HeliographTestSupport
import RelayProtocol
import Testing

@testable import HeliographClient

@Suite("What a terminal shows of a signed host's approval")
struct ApprovalReadingTests {
    private let host = PrivateKeys().identity
    private let session = SessionID("claude-s1")!

    /// An approval request as the host sent it.
    private func shown(_ title: String = "Run: ls", in session: SessionID? = nil) throws -> Event {
        let request = ApprovalRequest(
            approval: ApprovalID("a1")!, kind: .tool, tool: "Bash", title: title, digest: Fixtures.digest)
        let event = Event(.approvalRequested(request), at: 1) { body in
            body.object("input") { $0.field("command", "ls") }
        }
        var gate = ConsentGate(host: host.id, .openSSL)
        let shown = gate.requested(event, in: session ?? self.session, salt: .random())
        return try #require(shown).event
    }

    private func approval(_ event: Event) throws -> Approval {
        guard case .approvalRequested(let request) = event.head else { throw WireError(.badValue, at: "$", "no request") }
        return Approval(session: session, request: request, requestBytes: event.bytes, requestedAt: 1, seq: 1)
    }

    private func summary(consent: Bool) -> Summary {
        var summary = Fixtures.summary(seq: 1)
        summary.steering = SteeringOffer()
        summary.steering?.consent = consent ? HostKeyID(host.id.text) : nil
        return summary
    }

    @Test("all of it comes from the text that the host hashed, and nothing from the head around it")
    func heads() throws {
        let event = try shown()
        var lying = try approval(event).request
        lying.title = "Run: something harmless"
        lying.modes = ["auto"]
        let text = try #require(ShownText.text(inEvent: event.bytes))
        let outer = Event(.approvalRequested(lying), at: 1) { $0.field("shown", text) }
        let reading = ApprovalReading(try approval(outer), summary(consent: true))
        guard case .signed(let shown) = reading.basis else { return #expect(Bool(false), "not signed") }
        #expect(shown.host == host.id && shown.text == text)
        #expect(reading.approval.request.title == "Run: ls" && reading.approval.request.modes.isEmpty)
        let lines = ApprovalText(reading.approval).lines(
            summary: nil, width: nil, palette: Palette(isColoured: false), now: 8_000)
        #expect(lines.contains { $0.contains("ls") } && !lines.contains { $0.contains("harmless") })
        #expect(EventText(outer.bytes).line.contains("Run: ls"))
    }

    @Test("what does not fit its approval, or is not there at all, cannot be signed")
    func unreadable() throws {
        let event = try shown()
        let text = try #require(ShownText.text(inEvent: event.bytes))
        var other = try approval(event).request
        other.digest = Fixtures.digest
        var renamed = try approval(event).request
        renamed.approval = ApprovalID("a2")!
        let elsewhere = try shown(in: SessionID("claude-s2")!)
        let events = [
            Event(.approvalRequested(other), at: 1) { $0.field("shown", text) },
            Event(.approvalRequested(renamed), at: 1) { $0.field("shown", text) },
            Event(.approvalRequested(try approval(event).request), at: 1) { $0.field("shown", text + " x") },
            Event(.approvalRequested(try approval(event).request), at: 1) { body in
                body.object("input") { $0.field("command", "ls") }
            },
            elsewhere,
        ]
        for event in events {
            guard case .unreadable = ApprovalReading(try approval(event), summary(consent: true)).basis else {
                return #expect(Bool(false), "\(String(decoding: event.bytes, as: UTF8.self))")
            }
        }
    }

    @Test("of an open host it is shown as it came")
    func open() throws {
        let plain = Fixtures.tool([("command", "ls")])
        guard case .open = ApprovalReading(plain, summary(consent: false)).basis else { return #expect(Bool(false)) }
        #expect(ApprovalReading(plain, nil).approval.requestBytes == plain.requestBytes)
    }
}
