import Foundation
import HeliographCrypto
import HeliographHTTP2
import HeliographTestSupport
import Testing

@testable import PushWeb

@Suite("How push services know us")
struct VAPIDTests {
    @Test(arguments: [
        "https://relay.example.org", "https://relay.example.org:8443/about", "https://laptop.tail1234.ts.net",
        "mailto:me@example.org",
        "mailto:first.last+relay@mail.example.co.uk", "https://example.org/contact?who=me",
    ])
    func `a contact that can be reached is taken`(text: String) throws { #expect(try VAPIDContact(text).text == text) }

    @Test(arguments: [
        ("", "neither"), ("relay.example.org", "neither"), ("http://relay.example.org", "neither"), ("tel:+441234", "neither"),
        ("https://localhost:8787", "own network"), ("https://relay", "own network"), ("mailto:me@localhost", "own network"),
        ("https://relay.local", ".local"), ("mailto:x@relay.invalid", ".invalid"), ("https://relay.internal", ".internal"),
        ("https://relay.home.arpa", ".arpa"), ("https://x.test", ".test"), ("https://a.onion", ".onion"),
        ("https://127.0.0.1:8787", "not a name"), ("https://[::1]", "not a name"), ("https://192.168.1.7", "not a name"),
        ("https://2130706433", "not a name"), ("https://Relay.example.org", "lower case"),
        ("https://relay.example.org.", "not a name"),
        ("https://user@relay.example.org", "user"), ("https://", "not a name"), ("mailto:", "mail address"),
        ("mailto:a@b.org,c@d.org", "characters"), ("mailto:a@b@c.org", "mail address"), ("mailto:@example.org", "mail address"),
        ("mailto:me@example.org?subject=x", "mail address"), ("mailto: me@example.org", "characters"),
        ("mailto:<me@example.org>", "characters"), ("https://relay.example.org/\"},", "characters"),
        ("https://relay.example.org/\n", "characters"), ("mailto:mé@example.org", "characters"),
        ("https://\(String(repeating: "a.", count: 300))org", "characters"),
    ])
    func `one that cannot is refused with the reason`(text: String, reason: String) {
        let error = #expect(throws: WebPushError.self) { try VAPIDContact(text) }
        #expect(error?.code == .invalidContact && error?.message.contains(reason) ?? false, "\(error?.message ?? "")")
    }

    @Test func `a token is one that a library of another make takes, and names its service`() async throws {
        let key = VAPIDKey()
        let contact = try VAPIDContact("mailto:me@example.org")
        let expiresAt = Int64(Date().timeIntervalSince1970) + VAPIDTokenMachine.lifetimeSeconds
        let python = try Python("verify_tokens")
        for origin in [
            WebPushOrigin(host: "web.push.apple.com", port: 443), WebPushOrigin(host: "push.example.org", port: 8_443),
        ] {
            let token = key.token(for: origin, expiresAt: expiresAt, contact: contact)
            let asked = ["token": token, "key": key.publicText, "pem": key.pem]
            python.tell(String(decoding: try JSONEncoder().encode(asked), as: UTF8.self))
            let claims = try await python.next()
            #expect(claims["aud"]?.string == "\(origin)" && claims["sub"]?.string == contact.text)
            #expect(claims["exp"]?.int == Int(expiresAt))
            let head = try #require(claims["head"]?.string.flatMap { Crypto.bytes(base64URL: $0) })
            #expect(String(decoding: head, as: UTF8.self) == #"{"typ":"JWT","alg":"ES256"}"#)
        }
        #expect(Crypto.bytes(base64URL: key.publicText)?.count == 65)
    }

    // MARK: The file

    @Test func `the key is made once, for its owner's eyes alone`() throws {
        let folder = try TemporaryFolders.make()
        let path = folder.appending(path: "push-key.pem").path
        let made = try VAPIDKeyFile.open(path)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try VAPIDKeyFile.open(path).publicText == made.publicText)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["push-key.pem"])
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("-----BEGIN PRIVATE KEY-----"))
    }

    @Test func `of many that make it at once all get the same`() async throws {
        let path = try TemporaryFolders.make().appending(path: "push-key.pem").path
        let keys = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 { group.addTask { try VAPIDKeyFile.open(path).publicText } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(keys.count == 1)
    }

    @Test func `a file that others can read, or that is no key, is refused and kept`() throws {
        let folder = try TemporaryFolders.make()
        let path = folder.appending(path: "push-key.pem").path
        for (content, mode) in [(VAPIDKey().pem, 0o640), ("", 0o600), ("no key", 0o600), (VAPIDKey().pem, 0o604)] {
            try? FileManager.default.removeItem(atPath: path)
            _ = FileManager.default.createFile(
                atPath: path, contents: Data(content.utf8), attributes: [.posixPermissions: mode])
            let error = #expect(throws: WebPushError.self) { try VAPIDKeyFile.open(path) }
            #expect(error?.code == .keyUnusable)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == content)
        }
        for path in [folder.path, folder.appending(path: "missing/push-key.pem").path] {
            let error = #expect(throws: WebPushError.self) { try VAPIDKeyFile.open(path) }
            #expect(error?.code == .keyUnusable && error?.message.contains(path) ?? false)
        }
    }
}

/// A machine and a clock that the test turns.
private struct TokenTranscript {
    private var machine = VAPIDTokenMachine()
    private var now = Moment(instant: MonotonicTime(nanoseconds: 0), unixSeconds: 1_795_178_096)

    mutating func pass(_ seconds: Int64, wall: Int64? = nil) {
        now.instant = now.instant + .seconds(seconds)
        now.unixSeconds += wall ?? seconds
    }

    /// The serial of the token that is used; a new one is signed if the machine orders that.
    mutating func use() -> Int {
        switch machine.answer(at: now) {
        case .use(let token): return token.serial
        case .sign(let expiresAt):
            #expect(expiresAt == now.unixSeconds + 43_200 && machine.answer(at: now) == .signing)
            machine.signed("token", at: now)
            return use()
        case .signing: return -1
        }
    }

    mutating func refused(_ serial: Int) -> Bool { machine.refused(serial: serial, at: now) }
}

@Suite("One token for a push service")
struct VAPIDTokenMachineTests {
    @Test func `it is good for half a day and renewed after half of that`() {
        var transcript = TokenTranscript()
        #expect(transcript.use() == 1)
        transcript.pass(6 * 3_600 - 1)
        #expect(transcript.use() == 1)
        transcript.pass(1)
        #expect(transcript.use() == 2)
    }

    @Test(arguments: [-90_000, -3_601, 3_601, 90_000] as [Int64])
    func `where the clock was set it is made anew`(jump: Int64) {
        var transcript = TokenTranscript()
        #expect(transcript.use() == 1)
        transcript.pass(60, wall: 60 + jump)
        #expect(transcript.use() == 2)
        #expect(transcript.use() == 2)
    }

    @Test func `one that is refused is renewed once an hour at most`() {
        var transcript = TokenTranscript()
        #expect(transcript.use() == 1)
        transcript.pass(3_599)
        #expect(transcript.refused(1) == false)
        #expect(transcript.use() == 1)
        transcript.pass(1)
        #expect(transcript.refused(1) == true)
        #expect(transcript.use() == 2)
        // An answer that was on its way: the newer one has not been refused.
        #expect(transcript.refused(1) == true)
        #expect(transcript.use() == 2)
        #expect(transcript.refused(2) == false)
    }
}
