import Consent
import ConsentKeys
import Foundation
import LiveActivityKit
import RelayProtocol
import Testing

@testable import HeliographKit

@Suite("What an app keeps of the hosts that trust it")
struct DeviceTrustTests {
    private let vault = FakeVault()
    private let host = KitHost()

    @Test("keys are made once, and hosts and counts outlive the process")
    func keeps() throws {
        let trust = DeviceTrust(vault, .openSSL)
        #expect(try trust.code() == nil && trust.hosts().isEmpty)
        let identity = try trust.identityToJoin()
        #expect(try trust.identityToJoin().id == identity.id && trust.code() == identity.id.shortCode)
        try trust.pin(host.pin)
        #expect(try (trust.nextCount(), trust.nextCount()) == (1, 2))
        try trust.remember(host.identity.id, sealsAs: "h1", in: 3)

        let later = DeviceTrust(vault, .openSSL)
        #expect(try later.hosts().map(\.name) == ["laptop"] && later.hosts()[0].seals && later.code() == identity.id.shortCode)
        #expect(try later.nextCount() == 3)
        try later.forget(later.hosts()[0])
        #expect(try later.hosts().isEmpty)
        try later.removeAll()
        #expect(try later.code() == nil)
    }

    @Test("what cannot be read is never taken for empty, and nothing is signed with it")
    func unreadable() throws {
        let trust = DeviceTrust(vault, .openSSL)
        _ = try trust.identityToJoin()
        try vault.write(Data("{".utf8), .hosts)
        #expect { try DeviceTrust(vault, .openSSL).hosts() } throws: { ($0 as? LiveActivityError)?.code == .storage }
        vault.fail(LiveActivityError(.keychain, "locked"))
        #expect { try DeviceTrust(vault, .openSSL).nextCount() } throws: { ($0 as? LiveActivityError)?.code == .keychain }
    }

    @Test("a decision is signed for exactly the text of a host that trusts this device")
    func signs() throws {
        let trust = DeviceTrust(vault, .openSSL)
        let identity = try trust.identityToJoin()
        let event = host.shown()
        let text = try #require(ShownText.text(inEvent: event.bytes))
        #expect { try trust.signature(.allow, for: text) } throws: { ($0 as? LiveActivityError)?.code == .refused }
        try trust.pin(host.pin)
        let signature = try SignatureText(parsing: trust.signature(.allow, for: text))
        let shown = try ShownText(parsing: text)
        func statement(_ verdict: Decision.Verdict, _ text: String) -> DecisionStatement {
            DecisionStatement(
                host: host.identity.id, session: KitHost.session, approval: ApprovalID("a1")!,
                shown: ShownText.hash(of: text, .openSSL), digest: shown.request.digest, verdict: verdict,
                issuedAt: signature.number, device: identity.id, .openSSL)
        }
        #expect(statement(.allow, text).isSigned(signature, by: identity.sign, .openSSL))
        #expect(!statement(.deny(message: nil), text).isSigned(signature, by: identity.sign, .openSSL))
        #expect(!statement(.allow, text + " ").isSigned(signature, by: identity.sign, .openSSL))
    }

    @Test("a key that cannot be used now signs nothing")
    func locked() {
        let identity = PrivateKeys().identity
        let locked = ConsentIdentity(sign: identity.sign, box: identity.box, .openSSL) { _ in
            []
        } agreement: { _ in
            nil
        }
        let statement = Distrust(host: identity.id, distrusted: identity.id, count: 1, device: identity.id)
        #expect { try locked.signed(statement) } throws: { ($0 as? LiveActivityError)?.code == .keychain }
    }

    @Test("a link carries its secret behind the #, however much stands around it")
    func links() throws {
        let secret = TrustSecret(.machine, secret: .random())
        for text in [
            secret.text, " \(secret.text)\n", "https://relay.example/#k=\(secret.text)",
            "https://relay.example/#pair=CODE&k=\(secret.text)",
        ] { #expect(try TrustLink(text).secret == secret) }
        #expect(try TrustLink(ifIn: "https://relay.example/#pair=CODE") == nil)
        for text in ["", "https://relay.example/#pair=CODE", "https://relay.example/#k=AAAA"] {
            #expect { try TrustLink(text) } throws: { ($0 as? LiveActivityError)?.code == .badLink }
        }
    }

    @Test("wraps and devices that were read of are spelled as they were; the newest epochs are kept")
    func files() throws {
        let device = PrivateKeys().identity
        var offers = host.wraps(for: device)
        for epoch in 2...9 { offers.append(KeyWrap(epoch: Int64(epoch), device: offers[0].device, wrap: offers[0].wrap)!) }
        offers += host.wraps(for: PrivateKeys().identity)
        let kept = KeptWraps([host.identity.id: offers], for: device.id)
        #expect(kept.hosts[host.identity.id]?.map(\.epoch) == [9, 8, 7, 6])
        #expect(try KeptWraps(parsing: kept.bytes) == kept)
        let known = KnownDevices([host.identity.id: [device.id]])
        #expect(try KnownDevices(parsing: known.bytes) == known)
        for bad in ["{}", #"{"version":2,"hosts":[]}"#, #"{"version":1,"hosts":[{"id":"x"}]}"#] {
            #expect(throws: ConsentError.self) { try KeptWraps(parsing: Array(bad.utf8)) }
            #expect(throws: ConsentError.self) { try KnownDevices(parsing: Array(bad.utf8)) }
        }
    }
}
