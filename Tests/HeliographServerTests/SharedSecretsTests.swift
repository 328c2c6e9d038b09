import PushPlanner
import PushWeb
import RelayCore
import Synchronization
import Testing

@testable import HeliographServer

/// Secrets shared by several relays.
private final class Rows: SecretStore {
    private let rows = Mutex<[String: [UInt8]]>([:])

    func secret(_ name: String) -> [UInt8]? { rows.withLock { $0[name] } }

    func keep(_ secret: [UInt8], as name: String) -> [UInt8] {
        rows.withLock { rows in
            let kept = rows[name] ?? secret
            rows[name] = kept
            return kept
        }
    }

    func spoil(_ name: String) { rows.withLock { $0[name] = [1, 2, 3] } }
}

@Suite struct SharedSecretsTests {
    private let rows = Rows()
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func secrets() throws -> SharedSecrets { try SharedSecrets(rows, adoptingFrom: folder.path) }

    private func codes(_ secrets: SharedSecrets) -> PushCodes {
        PushCodes(directory: folder.path, secret: secrets.codes, epoch: epoch, logger: silent)
    }

    private func pushes(_ secrets: SharedSecrets) -> WebPushes {
        WebPushes(
            WebPushIdentity(directory: folder.path, contact: "mailto:ada@example.org", publicURL: nil), shared: secrets,
            services: WebPushServices(), logger: silent)
    }

    @Test func `a relay honours the codes of another, and no file has their secret`() throws {
        let code = try codes(secrets()).code(of: PushID(rawValue: 7))
        #expect(try codes(secrets()).push(ofCode: code) == PushID(rawValue: 7))
        #expect(PushCodes.kept(in: folder.path) == nil)
    }

    @Test func `the key for browsers is made when one asks, and is that of every relay`() throws {
        let (first, second) = (pushes(try secrets()), pushes(try secrets()))
        #expect(!first.isUsed)
        var made: [String] = []
        for pushes in [first, second] {
            guard case .toMake(let secrets) = try pushes.publicKey() else { return #expect(Bool(false), "it was never made") }
            made.append(pushes.use(try secrets.makeBrowsersKey()))
        }
        #expect(made[0] == made[1] && first.isUsed)
        let next = pushes(try secrets())
        guard case .there(let text) = try next.publicKey() else { return #expect(Bool(false), "it was made") }
        #expect(text == made[0] && next.isUsed)
        #expect(try WebPushIdentity.storedKey(in: folder.path) == nil)
    }

    @Test func `what a folder has from before comes in, where the store has none`() throws {
        let code = try PushCodes(directory: folder.path, epoch: epoch, logger: silent).code(of: PushID(rawValue: 7))
        let key = VAPIDKey()
        try WebPushIdentity.restore(key.pem, in: folder.path)
        let adopted = try secrets()
        #expect(try codes(adopted).push(ofCode: code) == PushID(rawValue: 7))
        #expect(adopted.browsersKey?.publicText == key.publicText)
        // The keys of another folder come too late.
        try WebPushIdentity.restore(VAPIDKey().pem, in: folder.path)
        #expect(try secrets().browsersKey?.publicText == key.publicText)
    }

    @Test(arguments: ["push-secret", "web-push-key"]) func `a row that is damaged is named, not replaced`(_ name: String) throws
    {
        _ = try secrets()
        rows.spoil(name)
        let error = #expect(throws: ServerError.self) { try secrets() }
        #expect(error?.code == .push && error?.description.contains(name) == true)
    }
}
