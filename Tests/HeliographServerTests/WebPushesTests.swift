import Foundation
import PushPlanner
import RelayCore
import RelayProtocol
import Synchronization
import Testing

@testable import HeliographServer
@testable import PushWeb

private final class FakeWebSender: WebPushSender {
    private let taken = Mutex<[WebPushRequest]>([])
    let result: WebPushOutcome.Result

    init(_ result: WebPushOutcome.Result) { self.result = result }

    var requests: [WebPushRequest] { taken.withLock { $0 } }

    func submit(_ request: WebPushRequest, then completion: @escaping @Sendable (WebPushOutcome) -> Void) {
        taken.withLock { $0.append(request) }
        completion(WebPushOutcome(result, attempts: 1))
    }

    func withdraw(_ id: String) {}
    func origins() async -> [WebPushOriginState] { [] }
    func stop() {}
}

@Suite struct WebPushesTests {
    private let folder: Folder
    private let codes: PushCodes

    init() throws {
        folder = try Folder()
        codes = PushCodes(directory: folder.path, epoch: epoch, logger: silent)
    }

    private static let subscription = WebSubscription(
        endpoint: "https://updates.push.services.mozilla.com/wpush/v2/a",
        p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        auth: "BTBZMqHH6r4Tts7J_aSIgg")

    private func pushes(
        contact: String? = "mailto:ada@example.org", publicURL: String? = nil,
        _ sender: FakeWebSender = FakeWebSender(.accepted(status: 201))
    ) -> WebPushes {
        WebPushes(
            WebPushIdentity(directory: folder.path, contact: contact, publicURL: publicURL), services: WebPushServices(),
            logger: silent
        ) { _ in sender }
    }

    private func publicText() throws -> String? {
        if case .there(let text) = try pushes().publicKey() { text } else { nil }
    }

    private static func intent(_ change: (inout PushIntent) -> Void = { _ in }) -> PushIntent {
        var intent = order(7, worthUntil: 62_000)
        (intent.service, intent.target) = (.web, .device(token: subscription.place))
        intent.code = PushCode(
            session: SessionID("s1")!, approval: ApprovalID("a1")!, digest: InputDigest(String(repeating: "a", count: 64))!,
            expiresAt: 62_000)
        change(&intent)
        return intent
    }

    private func outcome(of intent: PushIntent, _ sender: FakeWebSender) throws -> PushOutcome? {
        let heard = Mutex<PushOutcome?>(nil)
        try pushes(sender).send(intent, codes, at: 2_000) { outcome in heard.withLock { $0 = outcome } }
        return heard.withLock { $0 }
    }

    @Test func `an intent becomes a request with its code, what it replaces, and for how long it is worth reading`() throws {
        let sender = FakeWebSender(.accepted(status: 201))
        #expect(try outcome(of: Self.intent(), sender) == .accepted(.production, channel: nil))
        let request = try #require(sender.requests.first)
        #expect(request.endpoint.secretText == Self.subscription.endpoint)
        #expect(request.message.secondsToLive == 60 && request.patience == .seconds(60))
        #expect(request.message.urgency == .high && request.message.topic == WebPushTopic(["a1"]))
        let code = try JSONDocument(parsing: request.message.text).root.required("heliograph").string("code")
        #expect(try codes.push(ofCode: code) == PushID(rawValue: 7))
    }

    @Test func `urgent is what a person is waited for, and a test; what is settled need wake nobody`() throws {
        func urgency(_ change: (inout PushIntent) -> Void) throws -> WebPushMessage.Urgency? {
            let sender = FakeWebSender(.accepted(status: 201))
            _ = try outcome(of: Self.intent(change), sender)
            return sender.requests.first?.message.urgency
        }
        #expect(try urgency { $0.code = nil } == .normal)
        #expect(try urgency { ($0.code, $0.session) = (nil, nil) } == .high)
        #expect(try urgency { ($0.code, $0.urgency) = (nil, .whenConvenient) } == .low)
    }

    @Test(
        arguments: [
            (.dropSubscription, .dropToken), (.keepSubscription, .keepToken), (.subscribeAnew, .quarantineToken),
            (.fixRequest, .fixRequest), (.fixCredentials, .fixCredentials), (.sendLater, .sendLater),
        ] as [(WebPushAdvice, PushAdvice)])
    func `what a service advises is put into the planner's words`(_ said: WebPushAdvice, _ heard: PushAdvice) throws {
        let sender = FakeWebSender(.refused(WebPushRefusal(status: 410, text: "Gone", retryAfter: nil), said))
        #expect(try outcome(of: Self.intent(), sender) == .refused(heard, text: "410 Gone"))
    }

    @Test func `what cannot be sent says why, and names no endpoint`() throws {
        func obstacle(_ change: (inout PushIntent) -> Void) -> String? {
            do throws(PushObstacleError) {
                try pushes().send(Self.intent(change), codes, at: 2_000) { _ in }
                return nil
            } catch { return error.sentence }
        }
        #expect(obstacle { $0.worthUntil = 1_000 } == "it was not worth sending any more")
        #expect(obstacle { $0.target = .device(token: "0aff") } == "it is for no browser")
        let elsewhere = WebSubscription(
            endpoint: "https://push.evil.example/secret", p256dh: Self.subscription.p256dh, auth: Self.subscription.auth)
        let sentence = try #require(obstacle { $0.target = .device(token: elsewhere.place) })
        #expect(sentence.contains("push.evil.example") && !sentence.contains("secret"))
        #expect(
            obstacle {
                $0.payload = Array(repeating: 0x78, count: 2_700); $0.code = nil
            } != nil)
    }

    @Test func `the key is made when it is first asked for, for its owner alone, and is the same ever after`() throws {
        let path = "\(folder.path)/\(WebPushIdentity.fileName)"
        #expect(!pushes().isUsed && !FileManager.default.fileExists(atPath: path))
        let key = try publicText()
        #expect(try publicText() == key && key?.utf8.count == 87 && pushes().isUsed)
        #expect(try folder.mode(WebPushIdentity.fileName) == 0o600)
        let stored = try #require(try WebPushIdentity.storedKey(in: folder.path))
        try FileManager.default.removeItem(atPath: path)
        #expect(try publicText() != key)
        try WebPushIdentity.restore(stored, in: folder.path)
        #expect(try publicText() == key)
        #expect(FileManager.default.fileExists(atPath: path + ".before"), "the other key may be the one that is wanted")
    }

    @Test(
        arguments: [
            (nil, nil, "--push-contact"), (nil, "http://relay.example.com", "https"), (nil, "https://relay.local", ".local"),
            (nil, "https://192.168.1.5:8787", "192.168.1.5"), ("mailto:a@localhost", "https://relay.example.com", "localhost"),
        ] as [(String?, String?, String)])
    func `without an address that can be reached nothing is sent, the reason is said, and no key is made`(
        _ contact: String?, _ publicURL: String?, _ word: String
    ) {
        let pushes = pushes(contact: contact, publicURL: publicURL)
        let error = #expect(throws: PushObstacleError.self) { try pushes.publicKey() }
        #expect(error?.sentence.contains(word) == true && error?.sentence.contains(WebPushIdentity.mend) == true)
        #expect(pushes.trouble == error?.sentence && !pushes.isUsed)
    }

    @Test func `a public address of the page is address enough`() throws {
        #expect(pushes(contact: nil, publicURL: "https://relay.example.com").trouble == nil)
    }
}
