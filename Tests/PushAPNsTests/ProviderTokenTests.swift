import ChannelAPNs
import HeliographCrypto
import Foundation
import HeliographHTTP2
import HeliographTestSupport
import Testing

@testable import PushAPNs

@Suite("The provider token")
struct ProviderTokenTests {
    private var machine = ProviderTokenMachine()
    private let start = Moment(instant: .now, unixSeconds: 1_795_178_096)

    private func after(_ seconds: Int, wallSkew: Int64 = 0) -> Moment {
        Moment(instant: start.instant + .seconds(seconds), unixSeconds: start.unixSeconds + Int64(seconds) + wallSkew)
    }

    private mutating func mint(_ text: String, at now: Moment, dice: Double = 0) {
        #expect(machine.answer(at: now) == .mint(issuedAt: now.unixSeconds))
        #expect(machine.answer(at: now) == .minting, "one at a time")
        machine.minted(text, at: now, dice: dice)
    }

    private mutating func inUse(at now: Moment) -> String? {
        if case .use(let token) = machine.answer(at: now) { token.text } else { nil }
    }

    @Test(arguments: [0.0, 0.5, 0.999]) mutating func `it is used for 45 to 50 minutes`(dice: Double) {
        machine.keyRead("key")
        mint("one", at: start, dice: dice)
        let lifetime = 45 * 60 + Int(dice * 300)
        #expect(inUse(at: after(lifetime - 1)) == "one")
        mint("two", at: after(lifetime + 1))
        #expect(inUse(at: after(lifetime + 2)) == "two")
    }

    @Test mutating func `a wall clock that jumps makes a new one, but not within 20 minutes`() {
        machine.keyRead("key")
        mint("one", at: start)
        #expect(inUse(at: after(60, wallSkew: 7_200)) == "one")
        #expect(inUse(at: after(1_199, wallSkew: -7_200)) == "one")
        mint("two", at: after(1_200, wallSkew: -7_200))
        #expect(inUse(at: after(1_300, wallSkew: -7_200)) == "two")
    }

    @Test mutating func `once Apple calls it expired it is not used again, nor replaced within 20 minutes`() {
        machine.keyRead("key")
        mint("one", at: start)
        machine.expired(serial: 1)
        #expect(machine.answer(at: after(1)) == .wait(until: start.instant + .seconds(1_200)))
        mint("two", at: after(1_200))
        // An answer to the old one comes late.
        machine.expired(serial: 1)
        #expect(inUse(at: after(1_201)) == "two")
    }

    @Test mutating func `a key that is replaced and taken back has its old token again`() {
        machine.keyRead("key")
        mint("one", at: start)
        machine.keyRead("other")
        mint("two", at: after(10))
        machine.keyRead("key")
        #expect(inUse(at: after(20)) == "one")
        machine.keyFailed("the file is gone")
        #expect(inUse(at: after(30)) == "one")
    }

    @Test mutating func `one of an earlier run goes on as if there had been no restart`() {
        machine.keyRead("key")
        machine.restored("old", issuedAt: start.unixSeconds - 1_000, at: start)
        #expect(inUse(at: after(1)) == "old")
        machine.expired(serial: 1)
        #expect(machine.answer(at: after(2)) == .wait(until: start.instant + .seconds(200)))
        mint("new", at: after(200))
        for issuedAt in [start.unixSeconds + 1, start.unixSeconds - 45 * 60] {
            machine = ProviderTokenMachine()
            machine.keyRead("key")
            machine.restored("from the future, or too old", issuedAt: issuedAt, at: start)
            mint("new", at: start)
        }
    }

    @Test mutating func `without a key it says why`() {
        machine.keyFailed("no such file")
        #expect(machine.answer(at: start) == .noKey("no such file"))
    }

    @Test func `it is a JSON Web Token that the public key verifies`() throws {
        let path = try TemporaryFolders.make().appending(path: "AuthKey.p8").path
        let key = ES256PrivateKey()
        var file = KeyFile(APNsKey(teamID: "TEAM567890", keyID: "KEY4567890", file: path))
        guard case .failed = file.look() else { throw TestFailure("a file that does not exist was read") }
        try key.pem.write(toFile: path, atomically: true, encoding: .utf8)
        guard case .read(let digest) = file.look() else { throw TestFailure("the key was not read") }
        #expect(file.look() == .none)
        let parts = file.token(issuedAt: 1_795_178_096).split(separator: ".").map(String.init)
        #expect(parts.count == 3)
        let head = try #require(Crypto.bytes(base64URL: parts[0]))
        let claims = try #require(Crypto.bytes(base64URL: parts[1]))
        #expect(String(decoding: head, as: UTF8.self) == #"{"alg":"ES256","kid":"KEY4567890"}"#)
        #expect(String(decoding: claims, as: UTF8.self) == #"{"iss":"TEAM567890","iat":1795178096}"#)
        let signature = try #require(Crypto.bytes(base64URL: parts[2]))
        #expect(signature.count == 64)
        #expect(key.publicKey.isSignature(signature, of: Array("\(parts[0]).\(parts[1])".utf8)))

        try ES256PrivateKey().pem.write(toFile: path, atomically: true, encoding: .utf8)
        guard case .read(let other) = file.look() else { throw TestFailure("the new key was not read") }
        #expect(other != digest)
        try "no key".write(toFile: path, atomically: true, encoding: .utf8)
        guard case .failed = file.look() else { throw TestFailure("this is no key") }
        #expect(file.key != nil, "the last good key stays")
    }
}
