import ChannelAPNs
import HeliographCrypto
import PushAPNs
import PushPlanner
import RelayCore
import RelayProtocol
import Testing

@testable import HeliographServer

/// An order on its way to APNs.
@Suite struct PushRequestTests {
    private let folder: Folder
    private let material: PushMaterial

    init() throws {
        folder = try Folder()
        material = PushMaterial(
            team: "ABCDE12345", epoch: epoch, codes: PushCodes(directory: folder.path, epoch: epoch, logger: silent), now: 2_000
        )
    }

    private func obstacle(_ order: PushIntent) -> String? {
        do throws(PushObstacleError) {
            _ = try order.request(with: material)
            return nil
        } catch { return error.sentence }
    }

    @Test func `a push to a device has everything that was planned`() throws {
        var expected = APNsRequest(
            teamID: "ABCDE12345", environment: .sandbox, target: .device(token: "0aff"),
            id: PushIntent.requestID(PushID(rawValue: 7), in: epoch))
        let order = order(7, worthUntil: 5_500)
        expected.isEnvironmentProven = true
        expected.topic = "org.heliograph.app"
        expected.pushType = "alert"
        expected.priority = 10
        expected.expiration = 5
        expected.collapseID = "a1"
        expected.payload = order.payload
        expected.tokenRegisteredAt = 7
        expected.isHarmlessToRepeat = true
        expected.patience = .milliseconds(3_500)
        #expect(try order.request(with: material) == expected)
    }

    @Test func `its id is a UUID of its own, the same each time`() {
        let id = PushIntent.requestID(PushID(rawValue: 7), in: epoch)
        #expect(id.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
        #expect(PushIntent.requestID(PushID(rawValue: 7), in: epoch) == id)
        let others = [
            PushIntent.requestID(PushID(rawValue: 8), in: epoch),
            PushIntent.requestID(PushID(rawValue: 7), in: Epoch("life2")!),
        ]
        #expect(Set(others + [id]).count == 3)
    }

    @Test func `channels are made, heard and deleted`() throws {
        var order = order(7)
        order.target = .makeChannel
        order.payload = []
        let making = try order.request(with: material)
        #expect(making.target == .createChannel(bundleID: "org.heliograph.app"))
        #expect(making.payload == Array(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#.utf8))
        #expect(making.priority == nil && !making.isHarmlessToRepeat)
        order.target = .broadcast(channel: "ab+=")
        #expect(try order.request(with: material).target == .broadcast(bundleID: "org.heliograph.app", channelID: "ab+="))
        order.target = .deleteChannel(channel: "ab+=")
        let deleting = try order.request(with: material)
        #expect(deleting.target == .deleteChannel(bundleID: "org.heliograph.app", channelID: "ab+="))
        #expect(deleting.payload.isEmpty && deleting.isHarmlessToRepeat)
    }

    @Test func `what is not worth sending is not sent`() {
        #expect(obstacle(order(7, worthUntil: 2_001)) == nil)
        #expect(obstacle(order(7, worthUntil: 2_000))?.contains("not worth") == true)
    }

    @Test func `the code takes its place`() throws {
        var order = order(7)
        order.code = PushCode(
            session: SessionID("s1")!, approval: ApprovalID("a1")!, digest: InputDigest(String(repeating: "0", count: 64))!,
            expiresAt: 9)
        let payload = try JSONDocument(parsing: order.request(with: material).payload).root
        #expect(try material.codes.push(ofCode: payload.required("heliograph").string("code")) == order.id)
        order.payload = Array(#"{"aps":{}}"#.utf8)
        #expect(obstacle(order)?.contains("no place") == true)
    }

    @Test func `only the device reads what is sealed, its code included`() throws {
        let key = Crypto.random(count: 32)
        var order = order(7)
        order.payload = Array(#"{"aps":{"mutable-content":1}}"#.utf8)
        order.seal = PushSeal(key: Crypto.base64(key), text: Array(#"{"title":"t","body":"b","code":"CODE"}"#.utf8))
        order.code = PushCode(
            session: SessionID("s1")!, approval: ApprovalID("a1")!, digest: InputDigest(String(repeating: "0", count: 64))!,
            expiresAt: 9)
        let request = try order.request(with: material)
        let payload = try JSONDocument(parsing: request.payload).root
        #expect(try payload.members().map(\.key) == ["aps", "sealed"])
        let sealed = try #require(Crypto.bytes(base64: payload.string("sealed")))
        let text = try JSONDocument(parsing: AESGCM.open(sealed, with: key)).root
        #expect(try text.string("body") == "b")
        #expect(try material.codes.push(ofCode: text.string("code")) == order.id)
        #expect(try order.request(with: material).payload != request.payload, "a nonce comes once")
        order.seal?.key = "AAAA"
        #expect(obstacle(order)?.contains("32 bytes") == true)
    }

    @Test func `every answer has its word in the core`() {
        func outcome(_ result: APNsOutcome.Result) -> PushOutcome {
            PushOutcome(APNsOutcome(result: result, environment: .production, attempts: 1))
        }
        var acceptance = APNsAcceptance(status: 201)
        acceptance.channelID = "ab+="
        #expect(outcome(.accepted(acceptance)) == .accepted(.production, channel: "ab+="))
        #expect(
            outcome(.refused(status: 410, .unregistered, text: "Unregistered", .dropToken))
                == .refused(.dropToken, text: "Unregistered"))
        let uncertainties: [APNsUncertainty] = [.timedOut, .connectionLost, .reset("CANCEL")]
        for uncertainty in uncertainties {
            let outcome = outcome(.unknown(uncertainty))
            #expect(outcome.word == "unknown" && outcome.text?.hasPrefix("it was sent, and ") == true)
        }
        let obstacles: [APNsObstacle] = [
            .patienceOver(nil), .patienceOver("no route"), .breakerOpen(nil), .breakerOpen(.invalidProviderToken), .queueFull,
            .noKey("k.p8 cannot be read"), .invalidRequest, .stopped,
        ]
        #expect(Set(obstacles.map { outcome(.notSent($0)) }.map { $0.text ?? "" }).count == obstacles.count)
        #expect(outcome(.notSent(.noKey("k.p8 cannot be read"))) == .notSent("k.p8 cannot be read"))
    }
}
