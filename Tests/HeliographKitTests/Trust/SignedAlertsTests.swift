import Consent
import ConsentKeys
import Foundation
import LiveActivityKit
import RelayProtocol
import Testing

@testable import HeliographKit

@Suite("Alerts of hosts that want signatures, or that seal")
struct SignedAlertsTests {
    private let host = KitHost()
    private let trust = DeviceTrust(FakeVault(), .openSSL)

    private func allowing(_ event: Event, isPinned: Bool = true) throws -> AlertAllowing {
        var book = HostBook()
        if isPinned { try book.pin(host.pin) }
        return AlertAllowing(.init(approval: host.approval(event), summary: host.summary), book)
    }

    @Test("an alert is allowed in its host's own words, which are what is signed")
    func words() throws {
        let event = host.shown { $0.risks = ["It deletes."] }
        let text = try #require(ShownText.text(inEvent: event.bytes))
        let words = ShownAlert(title: "Allow Bash? · laptop", subtitle: "", body: "Look twice: It deletes.\nls")
        #expect(try allowing(event) == .signed(text: text, words))
    }

    @Test("what an alert cannot show whole, or as it is, is decided in the app")
    func inApp() throws {
        #expect(try allowing(host.shown(), isPinned: false) == .inApp)
        #expect(AlertAllowing(nil, HostBook()) == .inApp)
        let changes: [(inout ApprovalRequest) -> Void] = [
            { $0.isCut = true }, { $0.needsPasskey = true }, { $0.alert = nil }, { $0.alert?.isWhole = false },
            { $0.alert?.full = "ls\u{202E}" }, { $0.alert?.full = String(repeating: "x", count: 2_601) },
            { $0.risks = ["a\u{200B}b"] }, { $0.kind = .question },
        ]
        for change in changes { #expect(try allowing(host.shown(change)) == .inApp) }
        #expect(try allowing(Event(host.shown().head, at: 1) { $0.field("sealed", "AQ") }) == .inApp)
    }

    @Test("the line of a sealed session opens with a wrap that was kept, and with none of another device")
    func lines() throws {
        let identity = try trust.identityToJoin()
        try trust.pin(host.pin)
        let payload = try AlertPayload(
            userInfo: ["heliograph": ["session": KitHost.session.rawValue, "kind": "finished", "line": host.line("Fix it")]])
        #expect(SignedAlerts.opened(payload, trust) == nil)
        try trust.keep(KeptWraps([host.identity.id: host.wraps(for: PrivateKeys().identity)], for: identity.id))
        #expect(SignedAlerts.opened(payload, trust) == nil)
        try trust.keep(KeptWraps([host.identity.id: host.wraps(for: identity)], for: identity.id))
        #expect(SignedAlerts.opened(payload, trust) == "site · Fix it\nRunning: ls")
        var elsewhere = payload
        elsewhere.session = "claude-s2"
        #expect(SignedAlerts.opened(elsewhere, trust) == nil)
    }
}
