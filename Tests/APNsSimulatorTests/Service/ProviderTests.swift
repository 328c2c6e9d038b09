import APNsSimulator
import Testing

@Suite("A provider token") struct ProviderTests {
    static let malformed: [String] = [
        "bearer", "bearer a.b", "bearer a.b.c", "basic " + Rig.token().dropFirst(7),
        Rig.token(algorithm: "HS256"), Rig.token(signature: "forged"), Rig.token(key: "UNKNOWN"),
        // The key is another team's.
        Rig.token(team: "OTHERTEAM"),
        // A string in place of a number, a fraction, and a missing value.
        Rig.token(claims: #"{"iss":"TEAM","iat":"1795178096"}"#), Rig.token(claims: #"{"iss":"TEAM","iat":1795178096.5}"#),
        Rig.token(claims: #"{"iss":"TEAM"}"#),
        // Further in the future than a clock may be wrong.
        Rig.token(issuedAt: Rig.moment / 1000 + 61),
    ]

    @Test("what is not a good token is invalid", arguments: malformed)
    func invalid(authorization: String) {
        let rig = Rig()
        #expect(rig.send(rig.alert().with("authorization", authorization))?.reason == .invalidProviderToken)
    }

    @Test("an iat that is a string passes only where that is switched on")
    func textIssuedAt() {
        var configuration = APNsSimulator.Configuration()
        configuration.takesTextIssuedAt = true
        let rig = Rig(configuration: configuration)
        let token = Rig.token(claims: #"{"iss":"TEAM","iat":"1795178096"}"#)
        #expect(rig.send(rig.alert().with("authorization", token))?.status == 200)
    }

    @Test("one hour is good, a second more is expired, and wedges the connection for every token")
    func expiry() {
        let rig = Rig()
        #expect(rig.send(rig.alert())?.status == 200)
        rig.now += 3_600_000
        #expect(rig.send(rig.alert())?.status == 200)
        rig.now += 1000
        #expect(rig.send(rig.alert())?.reason == .expiredProviderToken)
        let fresh = rig.alert().with("authorization", Rig.token(issuedAt: rig.seconds))
        #expect(rig.send(fresh)?.reason == .expiredProviderToken)
        rig.reconnect()
        #expect(rig.send(fresh)?.status == 200)
    }

    @Test("a new token is welcome after 20 minutes, and not before")
    func updates() {
        let rig = Rig()
        let second = Rig.token(issuedAt: Rig.moment / 1000 + 1)
        rig.send(rig.alert())
        rig.now += 20 * 60_000 - 1
        #expect(rig.send(rig.alert().with("authorization", second))?.reason == .tooManyProviderTokenUpdates)
        #expect(rig.send(rig.alert())?.reason == .tooManyProviderTokenUpdates, "the old one is refused for a while too")
        rig.now += 1
        #expect(rig.send(rig.alert().with("authorization", second))?.status == 200)
    }

    @Test("the same claims signed once more are a new token")
    func signedAgain() {
        struct AnySignature: TokenVerifier {
            func isValid(_ signature: [UInt8], of message: [UInt8], publicKey: String) -> Bool { true }
        }
        let rig = Rig()
        var simulator = APNsSimulator(verifier: AnySignature())
        simulator.register(ProviderKey(id: "KEY1", team: "TEAM", publicKey: "1"))
        simulator.register(app: Rig.bundle, .init(team: "TEAM"))
        simulator.register(DeviceToken("ab", .alert, bundle: Rig.bundle, environment: .sandbox))
        _ = simulator.connected(ConnectionNumber(1), to: Endpoint(.sandbox), at: rig.now)
        rig.simulator = simulator
        let request = rig.alert().with(path: "/3/device/ab")
        #expect(rig.send(request)?.status == 200)
        let again = request.with("authorization", Rig.token(signature: "another"))
        #expect(rig.send(again)?.reason == .tooManyProviderTokenUpdates)
    }

    @Test("another connection may bring another token, unless the rule is set to the whole team")
    func scope() {
        for scope in [APNsSimulator.TokenUpdateScope.connection, .team] {
            var configuration = APNsSimulator.Configuration()
            configuration.tokenUpdateScope = scope
            let rig = Rig(configuration: configuration)
            rig.send(rig.alert())
            rig.reconnect()
            let second = rig.alert().with("authorization", Rig.token(issuedAt: Rig.moment / 1000 - 5))
            #expect(rig.send(second)?.reason == (scope == .team ? .tooManyProviderTokenUpdates : nil))
            rig.reconnect()
            #expect(rig.send(rig.alert())?.status == 200 || scope == .connection)
        }
    }

    @Test("a key of the other environment")
    func environment() {
        let rig = Rig()
        rig.simulator.register(ProviderKey(id: "LIVE", team: "TEAM", publicKey: "1", environments: [.production]))
        let request = rig.alert().with("authorization", Rig.token(key: "LIVE"))
        #expect(rig.send(request)?.reason == .badEnvironmentKeyIDInToken)
    }

    @Test("one connection is one team's, and keys that are for other topics do not mix on it")
    func mixing() {
        let rig = Rig()
        rig.simulator.register(ProviderKey(id: "THEIRS", team: "OTHERTEAM", publicKey: "1"))
        rig.simulator.register(ProviderKey(id: "NARROW", team: "TEAM", publicKey: "1", topics: [Rig.bundle]))
        rig.simulator.register(ProviderKey(id: "KEY2", team: "TEAM", publicKey: "1"))
        rig.send(rig.alert())
        let theirs = Rig.token(key: "THEIRS", team: "OTHERTEAM")
        #expect(rig.send(rig.alert().with("authorization", theirs))?.reason == .invalidProviderToken)
        #expect(rig.send(rig.alert().with("authorization", Rig.token(key: "NARROW")))?.reason == .unrelatedKeyIDInToken)
        rig.now += 20 * 60_000
        #expect(rig.send(rig.alert().with("authorization", Rig.token(key: "KEY2")))?.status == 200, "keys are rotated so")
    }

    @Test("a key for certain topics sends to no other")
    func topics() {
        let rig = Rig()
        rig.simulator.register(ProviderKey(id: "NARROW", team: "TEAM", publicKey: "1", topics: ["com.example.silent"]))
        #expect(rig.send(rig.alert().with("authorization", Rig.token(key: "NARROW")))?.reason == .topicDisallowed)
    }

    @Test("an app that is registered later needs a new connection")
    func laterApp() {
        let rig = Rig()
        rig.send(rig.alert())
        rig.simulator.register(app: "com.example.late", .init(team: "TEAM"))
        rig.simulator.register(DeviceToken("cd", .alert, bundle: "com.example.late", environment: .sandbox))
        let request = rig.alert().with("apns-topic", "com.example.late").with(path: "/3/device/cd")
        #expect(rig.send(request)?.reason == .topicDisallowed)
        rig.reconnect()
        #expect(rig.send(request)?.status == 200)
    }

    @Test("a revoked key opens nothing, also where it did before")
    func revoked() {
        let rig = Rig()
        rig.send(rig.alert())
        rig.simulator.revokeKey("KEY1")
        #expect(rig.send(rig.alert())?.reason == .invalidProviderToken)
    }

    @Test("one stream until the first request that proved who it is, many after it")
    func streams() {
        let rig = Rig()
        #expect(rig.opens(1))
        #expect(!rig.opens(3))
        rig.simulator.closed(stream: 1, on: rig.connection)
        rig.stream = 3
        let refused = rig.orders(of: rig.alert().with("authorization", nil))
        #expect(!refused.contains { if case .limitStreams = $0 { true } else { false } })
        // Refused for another reason, but authenticated.
        let bad = rig.orders(of: rig.alert().with("apns-topic", nil))
        #expect(bad.contains { if case .limitStreams(1000) = $0 { true } else { false } })
        for stream in stride(from: Int32(11), to: 2011, by: 2) {
            #expect(rig.opens(stream))
        }
        #expect(!rig.opens(2011))
    }

    @Test("a connection that is idle for too long is shown out with the reason")
    func idle() {
        var configuration = APNsSimulator.Configuration()
        configuration.idleMillisecondsMax = 60_000
        let rig = Rig(configuration: configuration)
        rig.send(rig.alert())
        #expect(rig.simulator.nextDeadline == rig.now + 60_000)
        #expect(rig.pass(to: rig.now + 59_999).isEmpty)
        let orders = rig.pass(to: rig.now + 60_000)
        guard case .goAway(.all, .idleTimeout, true)? = orders.first?.1 else {
            Issue.record("expected a GOAWAY, got \(orders)")
            return
        }
    }
}

@Suite("A sender of refused pushes") struct RefusalPointTests {
    @Test("is given fewer streams, then shown out; bad device tokens count four times")
    func shownOut() {
        let rig = Rig()
        rig.send(rig.alert())
        let bad = rig.alert().with(path: "/3/device/abcdef")
        let orders = (1...20).map { _ in FaultTests.names(rig.orders(of: bad)) }
        #expect(orders[8] == ["answer 400 after 0"])
        #expect(orders[9] == ["answer 400 after 0", "limit 100"])
        #expect(orders[18] == ["answer 400 after 0"])
        #expect(orders[19] == ["answer 400 after 0", "goAway all - true"])
    }

    @Test("410 counts nothing, and what is taken makes up for what is refused")
    func forgiven() {
        let rig = Rig()
        let request = rig.alert()
        let gone = rig.token(.alert)
        rig.simulator.setState(.unregistered(since: 1), of: gone)
        for _ in 0..<100 { #expect(rig.orders(of: request).count <= 2) }
        rig.simulator.setState(.live, of: gone)
        for _ in 0..<100 {
            #expect(rig.send(request)?.status == 200)
            #expect(FaultTests.names(rig.orders(of: request.with("apns-topic", nil))) == ["answer 400 after 0"])
        }
    }
}
