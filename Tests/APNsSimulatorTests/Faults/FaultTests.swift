import APNsSimulator
import RelayProtocol
import Testing

@Suite("The fault script") struct FaultTests {
    static func script(_ rules: String...) -> FaultScript {
        try! FaultScript(parsing: Array(#"{"rules":[\#(rules.joined(separator: ","))]}"#.utf8))
    }

    static func names(_ orders: [Order]) -> [String] {
        orders.compactMap { order in
            switch order {
            case .answer(let response, let after): "answer \(response.status) after \(after)"
            case .limitStreams(let limit): "limit \(limit)"
            case .reset(let code): "reset \(code)"
            case .goAway(let last, let reason, let closes): "goAway \(last) \(reason?.rawValue ?? "-") \(closes)"
            case .cut(let response, let cut): "cut \(response.status) \(cut)"
            case .close(let resets): "close \(resets)"
            case .blackHole: "blackHole"
            case .starveWindow: "starve"
            }
        }
    }

    /// A rule, the resulting orders, and true if the device has the push.
    static let cases: [(String, [String], Bool)] = [
        (#"{"do":"late","delay":250}"#, ["limit 1000", "answer 200 after 250"], true),
        (#"{"do":"hang"}"#, ["limit 1000"], true),
        (#"{"do":"hang","processed":false}"#, [], false),
        (#"{"do":"answer","status":503}"#, ["answer 503 after 0"], false),
        (#"{"do":"answer","reason":"Unregistered","timestamp":5,"delay":9}"#, ["answer 410 after 9"], false),
        (#"{"do":"reset"}"#, ["limit 1000", "reset 2"], true),
        (#"{"do":"reset","code":7}"#, ["reset 7"], false),
        (#"{"do":"goAway","reason":"Shutdown"}"#, ["goAway all Shutdown false", "limit 1000", "answer 200 after 0"], true),
        (#"{"do":"goAway","closes":true}"#, ["goAway all - true", "limit 1000"], true),
        (#"{"do":"goAway","lastStream":"before","closes":true}"#, ["goAway before - true"], false),
        (
            #"{"do":"goAway","lastStream":9}"#, ["goAway number(9) - false", "limit 1000", "answer 200 after 0"], true
        ),
        (#"{"do":"cut"}"#, ["limit 1000", "cut 200 afterHeaders"], true),
        (#"{"do":"cut","at":"insideHeaders"}"#, ["limit 1000", "cut 200 insideHeaders"], true),
        (#"{"do":"close","resets":true}"#, ["close true"], true),
        (#"{"do":"close","processed":false}"#, ["close false"], false),
        (#"{"do":"blackHole"}"#, ["blackHole"], false),
        (#"{"do":"starveWindow"}"#, ["starve", "limit 1000", "answer 200 after 0"], true),
        (#"{"do":"limitStreams","count":3}"#, ["limit 1000", "answer 200 after 0", "limit 3"], true),
    ]

    @Test("each fault gives its orders, and says whether the push was taken", arguments: cases)
    func orders(rule: String, orders: [String], isDelivered: Bool) {
        let rig = Rig()
        rig.simulator.script = Self.script(rule)
        #expect(Self.names(rig.orders(of: rig.alert())) == orders)
        #expect((rig.lastOutcome != nil) == isDelivered)
        #expect(rig.lastRequest?.fault != nil)
        #expect(rig.send(rig.alert())?.status == 200, "once")
    }

    @Test("a duplicate reaches the device twice: the second alert rings again, the second update is not newer")
    func duplicates() {
        let rig = Rig()
        rig.startCard()
        rig.simulator.script = Self.script(#"{"do":"duplicate","times":0}"#)
        rig.send(rig.alert())
        #expect(rig.lastRequest?.devices.map(\.outcome.what) == [.alerted, .alerted])
        _ = rig.push(.activityUpdate, rig.change())
        #expect(rig.lastRequest?.devices.map(\.outcome.what) == [.updated, .dropped(.notNewer)])
    }

    @Test("rules match by number, by every n-th, by token, by path and by push type; the first that is left applies")
    func matching() {
        let rig = Rig()
        let token = rig.token(.alert)
        rig.simulator.script = Self.script(
            #"{"request":2,"do":"answer","status":500}"#, #"{"every":3,"times":0,"do":"answer","status":503}"#,
            #"{"token":"\#(token)","times":2,"do":"answer","status":429}"#,
            #"{"pushType":"voip","do":"answer","status":400}"#, #"{"path":"/3/device/ff","do":"answer","status":410}"#)
        let statuses = (1...7).map { _ in rig.send(rig.alert())?.status }
        #expect(statuses == [429, 500, 503, 429, 200, 503, 200])
        #expect(rig.send(rig.alert().with(path: "/3/device/ff00"))?.status == 410)
    }

    @Test("a lowered limit refuses the streams above it")
    func lowered() {
        let rig = Rig()
        rig.simulator.script = Self.script(#"{"do":"limitStreams","count":2}"#)
        rig.send(rig.alert())
        #expect(rig.opens(101))
        #expect(rig.opens(103))
        #expect(!rig.opens(105))
        rig.simulator.closed(stream: 103, on: rig.connection)
        #expect(Self.names(rig.orders(of: rig.alert())) == ["answer 200 after 0"], "it is not raised again")
    }

    @Test(
        "a script that cannot mean anything is refused where it is wrong",
        arguments: [
            (#"{"do":"explode"}"#, "$.rules[0].do"), (#"{"request":0,"do":"hang"}"#, "$.rules[0].request"),
            (#"{"do":"answer"}"#, "$.rules[0].status"), (#"{"do":"answer","reason":"Nope"}"#, "$.rules[0].reason"),
            (#"{"do":"hang","dealy":5}"#, "$.rules[0].dealy"), (#"{"request":1}"#, "$.rules[0].do"),
            (#"{"do":"goAway","lastStream":"this"}"#, "$.rules[0].lastStream"),
            (#"{"do":"answer","status":503,"processed":true}"#, "$.rules[0].processed"),
        ])
    func refused(rule: String, path: String) {
        let error = #expect(throws: WireError.self) {
            try FaultScript(parsing: Array(#"{"rules":[\#(rule)]}"#.utf8))
        }
        #expect(error?.path == path)
    }
}

@Suite("The journal") struct JournalTests {
    @Test("a line tells what came, what was answered and what the device made of it, and no secret")
    func line() throws {
        let rig = Rig()
        rig.send(rig.alert(#"{"alert":"a","# + "\n" + #" "category":"approval"}"#).with("apns-collapse-id", "req_91"))
        let lines = rig.journal.map(\.line)
        for line in lines {
            _ = try JSONDocument(parsing: line)
            #expect(!line.contains(UInt8(ascii: "\n")))
        }
        let line = try JSONDocument(parsing: try #require(lines.last)).root
        #expect(try line.string("kind") == "request")
        #expect(try line.integer("status") == 200)
        #expect(try line.required("headers").string("apns-collapse-id") == "req_91")
        #expect(try line.required("provider").string("key") == "KEY1")
        #expect(try line.required("body").required("aps").string("category") == "approval")
        #expect(try line.array("devices").first?.string("outcome") == "alerted")
        #expect(!String(decoding: lines.joined(), as: UTF8.self).contains(Rig.token().dropFirst(7)))
    }

    @Test("a body that is no JSON stands as base 64")
    func badBody() throws {
        let rig = Rig()
        rig.send(rig.alert().with(body: Array("{".utf8)))
        let line = try JSONDocument(parsing: try #require(rig.journal.last?.line)).root
        #expect(try line.string("bodyBase64") == "ew==")
        #expect(try line.array("devices").first?.string("why") == "badJSON")
    }

    @Test("refused streams, connections and tokens have their lines")
    func others() {
        let rig = Rig()
        _ = rig.opens(1)
        _ = rig.opens(3)
        rig.simulator.disconnected(rig.connection, at: rig.now)
        let text = String(decoding: rig.simulator.takeJournal().map(\.line).joined(), as: UTF8.self)
        for kind in ["token", "connected", "refusedStream", "disconnected"] { #expect(text.contains(#""kind":"\#(kind)""#)) }
    }

    @Test("the same seed tells the same story")
    func deterministic() {
        let stories = (0..<2).map { _ in
            let rig = Rig()
            rig.startCard()
            _ = rig.push(.activityUpdate, rig.change())
            return rig.journal.map(\.line)
        }
        #expect(stories[0] == stories[1])
    }
}
