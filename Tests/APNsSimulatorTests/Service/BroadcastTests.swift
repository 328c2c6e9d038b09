import APNsSimulator
import Testing

@Suite("Broadcast channels") struct BroadcastTests {
    /// A request to the management host.
    static func manage(_ method: String = "POST", _ last: String = "channels", of bundle: String = Rig.bundle) -> PushRequest {
        PushRequest(
            method: method, path: "/1/apps/\(bundle)/\(last)", headers: [("authorization", Rig.token())],
            body: method == "POST" ? Array(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#.utf8) : [])
    }

    static func publish(_ channel: String, _ body: String) -> PushRequest {
        PushRequest(
            path: "/4/broadcasts/apps/\(Rig.bundle)",
            headers: [
                ("authorization", Rig.token()), ("apns-channel-id", channel), ("apns-push-type", "liveactivity"),
                ("apns-expiration", "0"),
            ], body: Array(body.utf8))
    }

    /// Makes a channel and connects the rig to the endpoint for publishing.
    static func channel(policy: Int = 1, on rig: Rig) -> String {
        rig.reconnect(Endpoint(.sandbox, .management))
        let body = #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#
        let id = rig.send(manage().with(body: Array(body.utf8)))?.header("apns-channel-id") ?? ""
        rig.reconnect()
        return id
    }

    @Test("create 201, read 200, list 200, delete 204, and then it is gone")
    func life() throws {
        let rig = Rig(Endpoint(.sandbox, .management))
        let created = try #require(rig.send(Self.manage()))
        #expect(created.status == 201)
        #expect(created.body.isEmpty)
        #expect(created.header("apns-request-id") != nil)
        let id = try #require(created.header("apns-channel-id"))
        let read = try #require(rig.send(Self.manage("GET").with("apns-channel-id", id)))
        #expect(read.text == #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
        #expect(rig.send(Self.manage("GET", "all-channels"))?.text == #"{"channels":["\#(id)"]}"#)
        #expect(rig.send(Self.manage("DELETE").with("apns-channel-id", id))?.status == 204)
        #expect(rig.send(Self.manage("DELETE").with("apns-channel-id", id))?.reason == .channelNotRegistered)
    }

    @Test("management refuses what its table names")
    func refusals() {
        let rig = Rig(Endpoint(.sandbox, .management))
        let create = Self.manage()
        let cases: [(PushRequest, Reason)] = [
            (create.with(body: Array("[]".utf8)), .badRequestPayload),
            (create.with(body: Array(#"{"push-type":"LiveActivity"}"#.utf8)), .badRequestPayload),
            (create.with(body: Array(#"{"message-storage-policy":2,"push-type":"LiveActivity"}"#.utf8)), .badRequestPayload),
            (create.with(body: Array(#"{"message-storage-policy":1}"#.utf8)), .missingPushType),
            (create.with(body: Array(#"{"message-storage-policy":1,"push-type":"liveactivity"}"#.utf8)), .invalidPushType),
            (create.with("apns-request-id", "1"), .badRequestParams),
            (create.with("authorization", nil), .missingProviderToken),
            (Self.manage(of: "com.example.silent"), .featureNotEnabled),
            (Self.manage(of: "com.other"), .topicMismatch),
            (Self.manage(of: "com.unknown"), .topicMismatch),
            (Self.manage("GET"), .missingChannelID),
            (Self.manage("GET").with("apns-channel-id", "no base64!"), .badChannelID),
            (Self.manage("GET").with("apns-channel-id", "AAAA"), .channelNotRegistered),
            (Self.manage("PUT"), .methodNotAllowed),
            (Self.manage("POST", "all-channels"), .methodNotAllowed),
            (Self.manage("GET", "channels/AAAA"), .badPath),
            (Self.publish("AAAA", "{}"), .badPath),
        ]
        for (request, reason) in cases {
            #expect(rig.send(request)?.reason == reason, "\(request.method) \(request.path) \(request.headers)")
        }
    }

    @Test("an app has ten thousand channels in an environment, and no more")
    func full() {
        var configuration = APNsSimulator.Configuration()
        #expect(configuration.channelsMax == 10_000)
        configuration.channelsMax = 3
        let rig = Rig(Endpoint(.sandbox, .management), configuration: configuration)
        for _ in 0..<3 { #expect(rig.send(Self.manage())?.status == 201) }
        #expect(rig.send(Self.manage())?.reason == .cannotCreateChannelConfig)
    }

    @Test("publishing refuses what its table names")
    func publishRefusals() {
        let rig = Rig()
        let stored = Self.channel(on: rig)
        let fleeting = Self.channel(policy: 0, on: rig)
        let body = rig.change()
        let good = Self.publish(stored, body)
        let cases: [(PushRequest, Reason?)] = [
            (good, nil),
            (good.with("apns-channel-id", nil), .missingChannelID),
            (good.with("apns-channel-id", "?"), .badChannelID),
            (good.with("apns-channel-id", "AAAA"), .channelNotRegistered),
            (good.with("apns-push-type", nil), .missingPushType),
            (good.with("apns-push-type", "alert"), .invalidPushType),
            (good.with("apns-expiration", nil), .badExpirationDate),
            (good.with("apns-expiration", "x"), .badExpirationDate),
            (good.with("apns-expiration", "1795180000"), nil),
            (good.with("apns-channel-id", fleeting).with("apns-expiration", "1795180000"), .badExpirationDate),
            (good.with("apns-priority", "1"), .badPriority),
            (good.with(body: []), .payloadEmpty),
            (good.with(body: [UInt8](repeating: 32, count: 5120)), nil),
            (good.with(body: [UInt8](repeating: 32, count: 5121)), .payloadTooLarge),
            (good.with(method: "GET"), .methodNotAllowed),
            (good.with(path: "/4/broadcasts/apps/com.example.silent"), .featureNotEnabled),
            (good.with(path: "/4/broadcasts/apps/com.other"), .topicMismatch),
        ]
        for (request, reason) in cases {
            #expect(rig.send(request)?.reason == reason, "\(request.path) \(request.headers)")
        }
    }

    @Test("a channel of the other environment is not registered here")
    func environments() {
        let rig = Rig()
        let id = Self.channel(on: rig)
        rig.reconnect(Endpoint(.production))
        #expect(rig.send(Self.publish(id, rig.change()))?.reason == .channelNotRegistered)
    }

    @Test("a channel belongs to one app, also among those of one team")
    func otherApp() {
        let rig = Rig()
        rig.simulator.register(app: "com.example.twin", .init(team: "TEAM", hasBroadcast: true))
        let id = Self.channel(on: rig)
        let twin = Self.publish(id, rig.change()).with(path: "/4/broadcasts/apps/com.example.twin")
        #expect(rig.send(twin)?.reason == .topicMismatch)
    }

    @Test("a card that was started on a channel hears what is published there, and has no token")
    func delivery() {
        let rig = Rig()
        let id = Self.channel(on: rig)
        let tokens = rig.simulator.allTokens.count
        let started = rig.push(.pushToStart, rig.start(extra: #","alert":{"title":"t"},"input-push-channel":"\#(id)""#))
        #expect(started?.what == .started)
        #expect(rig.simulator.allTokens.count == tokens)
        rig.now += 1000
        rig.send(Self.publish(id, rig.change(state: #"{"status":"completed","elapsedSeconds":1}"#)))
        #expect(rig.lastOutcome?.what == .updated)
        #expect(rig.device.activities.values.first?.face.status == "Completed")
        rig.now += 1000
        rig.send(Self.publish(id, rig.start()))
        #expect(rig.lastOutcome?.what == .dropped(.eventNotForToken), "a broadcast cannot start anything")
    }

    @Test("a device that was away hears the latest of a channel that stores it, and nothing of one that does not")
    func stored() {
        for policy in [0, 1] {
            let rig = Rig()
            let id = Self.channel(policy: policy, on: rig)
            _ = rig.push(.pushToStart, rig.start(extra: #","alert":{"title":"t"},"input-push-channel":"\#(id)""#))
            rig.onPhone { $0.goOffline(at: $1) }
            for status in ["awaitingAnswer", "completed"] {
                rig.now += 1000
                let body = rig.change(state: #"{"status":"\#(status)","elapsedSeconds":1}"#)
                rig.send(Self.publish(id, body).with("apns-expiration", policy == 1 ? "1795181696" : "0"))
                #expect(rig.lastOutcome?.what == .dropped(.offline))
            }
            rig.simulator.goOnline(Rig.phone, at: rig.now)
            #expect(rig.device.activities.values.first?.face.status == (policy == 1 ? "Completed" : "Processing"))
        }
    }
}
