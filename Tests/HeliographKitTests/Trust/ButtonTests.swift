import Consent
import ConsentKeys
import Foundation
import HeliographLink
import LiveActivityKit
import RelayProtocol
import Testing

@testable import HeliographKit

@Suite("What a button of an alert may do, by what the relay says then")
struct ButtonTests {
    private let host = KitHost()
    private let trust = DeviceTrust(FakeVault(), .openSSL)
    private let shown = ShownAlert(title: "Allow Bash? · laptop", subtitle: "", body: "ls")

    private struct Token: RelayCredentials {
        func token() -> String { "t" }
    }

    /// A relay that sends these messages and then hangs up; nil: it cannot be reached.
    private struct FakeRelay: RelayTransport, RelaySocket {
        var messages: [[UInt8]]?
        private let sent = Locked(0)

        init(_ messages: [[UInt8]]?) { self.messages = messages }

        func open(
            _ url: URL, subprotocol: String, token: String, messageBytesMax: Int
        ) async throws(SocketEndError) -> any RelaySocket {
            guard messages != nil else { throw .failed("nobody is there") }
            return self
        }

        func send(_ text: Data) async throws(SocketEndError) {}

        func receive() async throws(SocketEndError) -> Data {
            let place = sent.get()
            sent.set(place + 1)
            guard let messages, place < messages.count else { throw .closed(code: 1000, reason: "") }
            return Data(messages[place])
        }

        func close() {}
    }

    private func alerts(_ event: Event?, isReachable: Bool = true) throws -> SignedAlerts {
        let welcome = MessageToClient.welcome(
            Welcome(
                software: "relay", epoch: Epoch("e1")!, heartbeat: Heartbeat(pingSeconds: 15, hangUpSeconds: 30)),
            client: Named(id: ClientID("c1")!, name: "phone"), workspace: Named(id: WorkspaceID("w1")!, name: "home"),
            may: [])
        let snapshot = MessageToClient.workspaceSnapshot(
            sessions: [host.summary], approvals: event.map { [host.approval($0)] } ?? [], more: false)
        let relay = FakeRelay(isReachable ? [welcome.bytes, snapshot.bytes] : nil)
        return try SignedAlerts(relay: URL(string: "http://localhost:1")!, credentials: Token(), trust: trust, transport: relay)
    }

    private func proof(_ event: Event?, _ shown: ShownAlert?, _ verdict: Verdict = .allow, isReachable: Bool = true)
        async throws -> DecisionProof
    {
        try await alerts(event, isReachable: isReachable).proof(of: verdict, approval: "a1", shown: shown)
    }

    @Test("before a host is trusted nothing is asked, and a denial never is")
    func unneeded() async throws {
        #expect(try await proof(nil, nil, isReachable: false) == .notNeeded)
        _ = try trust.identityToJoin()
        try trust.pin(host.pin)
        #expect(try await proof(nil, nil, .deny(), isReachable: false) == .notNeeded)
        #expect(try await proof(nil, shown, isReachable: false) == .needsApp)
    }

    @Test("it signs if the alert said exactly what the host showed, whatever rang before")
    func signed() async throws {
        _ = try trust.identityToJoin()
        try trust.pin(host.pin)
        guard case .signed(let text) = try await proof(host.shown(), shown) else { return #expect(Bool(false)) }
        #expect(try SignatureText(parsing: text).device == trust.identity()?.id)
        let german = ShownAlert(title: "Bash erlauben? · laptop", subtitle: "", body: "ls")
        #expect(try await proof(host.shown(), german) != .needsApp, "the app's language may have been changed since")
        for other in [
            nil, ShownAlert(title: shown.title, subtitle: "", body: "rm"), ShownAlert(title: "x", subtitle: "", body: "ls"),
        ] {
            #expect(try await proof(host.shown(), other) == .needsApp)
        }
        #expect(try await proof(host.shown { $0.alert?.full = "rm -rf /" }, shown) == .needsApp)
        #expect(try await proof(nil, shown) == .needsApp)
        #expect(try await proof(host.shown(), shown, .deny(message: "no")) == .needsApp)
    }

    @Test("a notification service shows the host's words, or takes the offer to allow back")
    func readings() async throws {
        _ = try trust.identityToJoin()
        try trust.pin(host.pin)
        let payload = try AlertPayload(userInfo: ["heliograph": ["session": "claude-s1", "approval": "a1", "kind": "approval"]])
        let lie = ShownAlert(title: "Allow Bash?", subtitle: "", body: "harmless")
        #expect(try await alerts(host.shown()).reading(of: payload, offersAllow: true, came: lie) == .words(shown))
        #expect(try await alerts(host.shown { $0.isCut = true }).reading(of: payload, offersAllow: true, came: lie) == .review)
        #expect(try await alerts(nil, isReachable: false).reading(of: payload, offersAllow: true, came: lie) == .review)
        #expect(try await alerts(nil, isReachable: false).reading(of: payload, offersAllow: false, came: lie) == .asItCame)
    }
}
