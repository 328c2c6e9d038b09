import APNsSimulator
import Testing

@Suite("A push to a token") struct PushTests {
    @Test("a good one is answered 200 without a body, with its id")
    func good() throws {
        let rig = Rig()
        let id = "0f8fad5b-d9cb-469f-a165-70867728950e"
        let response = try #require(rig.send(rig.alert().with("apns-id", id)))
        #expect(response.status == 200)
        #expect(response.body.isEmpty)
        #expect(response.header("apns-id") == id)
        #expect(response.header("apns-unique-id") != nil, "the sandbox tells one more")
        #expect(rig.lastOutcome?.what == .alerted)
    }

    @Test("an id is made where none was sent, in production without the unique one")
    func idIsMade() throws {
        let rig = Rig(Endpoint(.production)) {
            $0 = InstalledApp(bundle: Rig.bundle, environment: .production, activityTypes: [])
        }
        let response = try #require(rig.send(rig.alert()))
        #expect(response.status == 200)
        #expect(response.header("apns-id")?.count == 36)
        #expect(response.header("apns-unique-id") == nil)
    }

    /// A request with a single fault.
    struct Wrong: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let reason: Reason
        let change: @Sendable (PushRequest) -> PushRequest

        init(_ what: String, _ reason: Reason, _ change: @escaping @Sendable (PushRequest) -> PushRequest) {
            testDescription = what
            self.reason = reason
            self.change = change
        }
    }

    static let wrong: [Wrong] = [
        Wrong("a collapse id of 65 bytes", .badCollapseID) { $0.with("apns-collapse-id", String(repeating: "x", count: 65)) },
        Wrong("an empty collapse id", .badCollapseID) { $0.with("apns-collapse-id", "") },
        Wrong("a token that nobody has", .badDeviceToken) { $0.with(path: "/3/device/abcdef") },
        Wrong("a token that is not hexadecimal", .badDeviceToken) { $0.with(path: "/3/device/xyz0") },
        Wrong("an expiration that is no number", .badExpirationDate) { $0.with("apns-expiration", "soon") },
        Wrong("a negative expiration", .badExpirationDate) { $0.with("apns-expiration", "-1") },
        Wrong("a fractional expiration", .badExpirationDate) { $0.with("apns-expiration", "1795178096.5") },
        Wrong("an id that is no UUID", .badMessageID) { $0.with("apns-id", "1") },
        Wrong("an id in upper case", .badMessageID) { $0.with("apns-id", "0F8FAD5B-D9CB-469F-A165-70867728950E") },
        Wrong("priority 7", .badPriority) { $0.with("apns-priority", "7") },
        Wrong("priority 05", .badPriority) { $0.with("apns-priority", "05") },
        Wrong("a background push of priority 10", .badPriority) { $0.with("apns-push-type", "background") },
        Wrong("a background push without a priority", .badPriority) {
            $0.with("apns-push-type", "background").with("apns-priority", nil)
        },
        Wrong("the topic of a Live Activity with `alert`", .badTopic) {
            $0.with("apns-topic", Rig.bundle + ".push-type.liveactivity")
        },
        Wrong("a bare bundle id with `liveactivity`", .badTopic) { $0.with("apns-push-type", "liveactivity") },
        Wrong("nothing but the suffix", .badTopic) {
            $0.with("apns-push-type", "liveactivity").with("apns-topic", ".push-type.liveactivity")
        },
        Wrong("another app of the team", .deviceTokenNotForTopic) { $0.with("apns-topic", "com.example.silent") },
        Wrong("a Live Activity to an alert token", .deviceTokenNotForTopic) {
            $0.with("apns-push-type", "liveactivity").with("apns-topic", Rig.bundle + ".push-type.liveactivity")
        },
        Wrong("a header twice", .duplicateHeaders) {
            var twice = $0
            twice.headers.append(("apns-topic", Rig.bundle))
            return twice
        },
        Wrong("no push type", .invalidPushType) { $0.with("apns-push-type", nil) },
        Wrong("an unknown push type", .invalidPushType) { $0.with("apns-push-type", "Alert") },
        Wrong("no token in the path", .missingDeviceToken) { $0.with(path: "/3/device/") },
        Wrong("not even its slash", .missingDeviceToken) { $0.with(path: "/3/device") },
        Wrong("no topic", .missingTopic) { $0.with("apns-topic", nil) },
        Wrong("no payload", .payloadEmpty) { $0.with(body: []) },
        Wrong("an app of another team", .topicDisallowed) { $0.with("apns-topic", "com.other") },
        Wrong("an app that nobody registered", .topicDisallowed) { $0.with("apns-topic", "com.unknown") },
        Wrong("another path", .badPath) { $0.with(path: "/2/device/ab") },
        Wrong("a query", .badPath) { $0.with(path: "/3/device/ab/cd") },
        Wrong("channel management on this host", .badPath) {
            $0.with(path: "/1/apps/\(Rig.bundle)/all-channels", method: "GET")
        },
        Wrong("another method", .methodNotAllowed) { $0.with(method: "GET") },
        Wrong("one byte more than 4,096", .payloadTooLarge) { $0.with(body: [UInt8](repeating: 32, count: 4097)) },
        Wrong("no provider token", .missingProviderToken) { $0.with("authorization", nil) },
    ]

    @Test("each rule of the table refuses with its reason and status", arguments: wrong)
    func refuses(_ wrong: Wrong) throws {
        let rig = Rig()
        let response = try #require(rig.send(wrong.change(rig.alert())))
        #expect(response.reason == wrong.reason)
        #expect(response.status == wrong.reason.status)
        #expect(response.text == #"{"reason":"\#(wrong.reason.rawValue)"}"#)
        #expect(response.header("content-type") == "application/json")
        #expect(response.header("apns-id") ?? response.header("apns-request-id") != nil)
        #expect(rig.lastOutcome == nil, "what is refused reaches no device")
    }

    @Test("4,096 bytes pass, and 5,120 of them where the call is VoIP")
    func sizes() {
        let rig = Rig()
        let body = rig.alert().body
        let padded = { (count: Int) in body + [UInt8](repeating: 32, count: count - body.count) }
        #expect(rig.send(rig.alert().with(body: padded(4096)))?.status == 200)
        let voip = rig.alert().with("apns-push-type", "voip").with("apns-topic", Rig.bundle + ".voip")
        #expect(rig.send(voip.with(body: padded(5120)))?.status == 200)
        #expect(rig.send(voip.with(body: padded(5121)))?.status == 413)
    }

    @Test("a Live Activity knows priorities 5 and 10 only")
    func activityPriority() {
        let rig = Rig()
        let request = rig.request(to: rig.token(.pushToStart), type: "liveactivity", priority: "1", body: rig.start())
        #expect(rig.send(request)?.reason == .badPriority)
        #expect(rig.send(request.with("apns-priority", "5"))?.status == 200)
    }

    @Test("a dead token is answered 410 with since when, in milliseconds", arguments: [true, false])
    func gone(unregistered: Bool) throws {
        let rig = Rig()
        let token = rig.token(.alert)
        let request = rig.alert()
        rig.simulator.setState(unregistered ? .unregistered(since: 1_795_000_000_123) : .expired(since: 7), of: token)
        let response = try #require(rig.send(request))
        #expect(response.status == 410)
        let reason = unregistered ? "Unregistered" : "ExpiredToken"
        #expect(response.text == #"{"reason":"\#(reason)","timestamp":\#(unregistered ? "1795000000123" : "7")}"#)
    }

    @Test("a bad token is 400, and one that died silently is 200 and reaches nobody")
    func badAndSilent() {
        let rig = Rig()
        let request = rig.alert()
        let token = rig.token(.alert)
        rig.simulator.setState(.bad, of: token)
        #expect(rig.send(request)?.reason == .badDeviceToken)
        rig.simulator.setState(.silentlyDead, of: token)
        #expect(rig.send(request)?.status == 200)
        #expect(rig.lastOutcome == nil)
    }

    @Test("a token of the other environment is bad")
    func environment() {
        let rig = Rig()
        let request = rig.alert()
        rig.reconnect(Endpoint(.production))
        #expect(rig.send(request)?.reason == .badDeviceToken)
    }

    @Test("digits of a token mean the same in any case")
    func upperCase() {
        let rig = Rig()
        #expect(rig.send(rig.alert().with(path: "/3/device/\(rig.token(.alert).uppercased())"))?.status == 200)
    }

    @Test("a burst to one token is 429 until it has refilled")
    func burst() {
        var configuration = APNsSimulator.Configuration()
        configuration.tokenBurst = (2, 1000)
        let rig = Rig(configuration: configuration)
        #expect(rig.send(rig.alert())?.status == 200)
        #expect(rig.send(rig.alert())?.status == 200)
        #expect(rig.send(rig.alert())?.reason == .tooManyRequests)
        rig.now += 1000
        #expect(rig.send(rig.alert())?.status == 200)
    }

    @Test("every reason can be scripted, with its own status", arguments: Reason.allCases)
    func scripted(reason: Reason) throws {
        let rig = Rig()
        rig.simulator.script = try FaultScript(
            parsing: Array(#"{"rules":[{"request":1,"do":"answer","reason":"\#(reason.rawValue)","retryAfter":3}]}"#.utf8))
        let response = try #require(rig.send(rig.alert()))
        #expect(response.reason == reason)
        #expect(response.status == reason.status)
        #expect(response.header("retry-after") == "3")
        #expect(rig.lastOutcome == nil)
        #expect(rig.send(rig.alert())?.status == 200, "a rule applies once")
    }
}
