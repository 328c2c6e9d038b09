import Consent
import ConsentKeys
import DeviceConsent
import Foundation
import HeliographLink
import LiveActivityKit
import RelayProtocol
import Synchronization

@testable import HeliographKit

/// A host that takes only signed decisions, and a relay's messages about it.
struct KitHost {
    static let session = SessionID("claude-s1")!

    let keys = PrivateKeys()
    let epoch = EpochKey.random()
    var identity: ConsentIdentity { keys.identity }
    var pin: HostPin { HostPin(sign: identity.sign, box: identity.box, name: "laptop", since: 1, .openSSL) }

    /// An approval request as the host sent it.
    func shown(_ change: (inout ApprovalRequest) -> Void = { _ in }) -> Event {
        var request = ApprovalRequest(
            approval: ApprovalID("a1")!, kind: .tool, tool: "Bash", title: "Run: ls",
            digest: InputDigest(String(repeating: "ab", count: 32))!)
        request.alert = RequestWords(full: "ls", summary: "ls", isWhole: true)
        change(&request)
        let event = Event(.approvalRequested(request), at: 1) { body in
            body.object("input") { $0.field("command", "ls") }
        }
        var gate = ConsentGate(host: identity.id, .openSSL)
        return gate.requested(event, in: Self.session, salt: .random())!.event
    }

    func approval(_ event: Event) -> Approval {
        guard case .approvalRequested(let request) = event.head else { preconditionFailure("it is a request") }
        return Approval(session: Self.session, request: request, requestBytes: event.bytes, requestedAt: 1, seq: 1)
    }

    var summary: Summary {
        var summary = Summary(
            session: Self.session, host: Named(id: HostID("h1")!, name: "laptop"), hostIsConnected: true,
            agentName: "claude-code", startedAt: 1)
        summary.steering = SteeringOffer(actions: [.prompt])
        summary.steering?.consent = HostKeyID(identity.id)
        return summary
    }

    /// The sealed line of its summary; the epoch's key is in `wraps(for:)`.
    func line(_ title: String) -> String {
        var line = SessionLine()
        (line.title, line.project, line.operation) = (title, "site", "Running: ls")
        let seal = SessionSeal(of: Self.session, host: identity.id, epoch, epoch: 1, .openSSL)
        return seal.seal(line.bytes, as: .line, number: 1, nonce: .random()).text
    }

    func wraps(for device: ConsentIdentity) -> [KeyWrap] {
        let key = WrapKey(of: identity, with: device.id, box: device.box, .openSSL)!
        let wrap = Base64URL.text(key.wrap(epoch, of: 1, nonce: .random()))
        return [KeyWrap(epoch: 1, device: HostKeyID(device.id), wrap: wrap)!]
    }
}

/// A vault in memory, in place of a keychain.
final class FakeVault: TrustVault {
    private let keys = Mutex<PrivateKeys?>(nil)
    private let files = Mutex<[TrustItem: Data]>([:])
    private let fault = Mutex<LiveActivityError?>(nil)

    func fail(_ error: LiveActivityError?) { fault.withLock { $0 = error } }

    func identity() throws(LiveActivityError) -> ConsentIdentity? {
        try check()
        return keys.withLock { $0?.identity }
    }

    func makeIdentity() throws(LiveActivityError) -> ConsentIdentity {
        try check()
        return keys.withLock { keys in
            let made = PrivateKeys()
            keys = made
            return made.identity
        }
    }

    func read(_ item: TrustItem) throws(LiveActivityError) -> Data? {
        try check()
        return files.withLock { $0[item] }
    }

    func write(_ data: Data, _ item: TrustItem) throws(LiveActivityError) {
        try check()
        files.withLock { $0[item] = data }
    }

    func removeAll() throws(LiveActivityError) {
        try check()
        keys.withLock { $0 = nil }
        files.withLock { $0 = [:] }
    }

    private func check() throws(LiveActivityError) { if let fault = fault.withLock({ $0 }) { throw fault } }
}
