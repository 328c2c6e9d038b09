import APNsSimulator
import RelayProtocol
import Testing

@Suite("Commands") struct AdminTests {
    static func perform(_ command: String, on rig: Rig) throws -> JSONValue {
        try JSONDocument(parsing: try rig.simulator.perform(try JSONDocument(parsing: command).root, at: rig.now)).root
    }

    @Test("a whole phone is set up by commands, and its state can be read")
    func setUp() throws {
        let rig = Rig()
        for command in [
            #"{"do":"app","bundle":"com.example.epic","team":"TEAM","broadcast":true}"#,
            #"{"do":"key","id":"KEY9","team":"TEAM","publicKey":"1","environments":["production"],"topics":["com.example.epic"]}"#,
            #"{"do":"device","device":"ipad","ios":"17.2","holding":5000,"updates":{"count":1,"refill":1000}}"#,
            #"{"do":"install","device":"ipad","bundle":"com.example.epic","app":"epic","environment":"production","#
                + #""categories":{"approval":["Deny","Approve"]},"updateTokens":90000}"#,
            #"{"do":"behave","device":"ipad","bundle":"com.example.epic","notifications":false,"updateTokens":"never"}"#,
            #"{"do":"focus","device":"ipad","on":true}"#, #"{"do":"online","device":"ipad"}"#,
            #"{"do":"foreground","device":"ipad","bundle":"com.example.epic"}"#,
            #"{"do":"frequentUpdates","device":"ipad","bundle":"com.example.epic","on":true}"#,
            #"{"do":"token","token":"ABCD","kind":"alert","bundle":"com.example.epic","environment":"sandbox"}"#,
            #"{"do":"tokenState","token":"abcd","state":"unregistered","since":5}"#,
            #"{"do":"script","rules":[{"do":"hang"}]}"#, #"{"do":"revokeKey","id":"KEY1"}"#,
        ] {
            #expect(try Self.perform(command, on: rig).flag("ok"), "\(command)")
        }
        let device = try #require(rig.simulator.devices[DeviceID("ipad")])
        let app = try #require(device.apps["com.example.epic"])
        #expect(device.systemVersion == Device.SystemVersion(17, 2))
        #expect(device.limits.holding == 5000)
        #expect(!app.allowsNotifications && app.frequentUpdates && app.updateTokens == .never)
        #expect(app.categories == ["approval": ["Deny", "Approve"]])
        #expect(rig.simulator.token("abcd")?.state == .unregistered(since: 5))
        #expect(rig.simulator.script.rules.count == 1)
        let state = try Self.perform(#"{"do":"device?","device":"ipad"}"#, on: rig).required("device")
        #expect(try state.bool("hasFocus") && !state.bool("isOnline"))
        #expect(try state.string("foreground") == "com.example.epic")
        #expect(try Self.perform(#"{"do":"tokens?"}"#, on: rig).array("tokens").count == 5)
        #expect(try Self.perform(#"{"do":"uninstall","device":"ipad","bundle":"com.example.epic"}"#, on: rig).flag("ok"))
        #expect(rig.simulator.devices[DeviceID("ipad")]?.apps.isEmpty == true)
    }

    @Test("a card is started, seen, given another token and dismissed")
    func card() throws {
        let rig = Rig()
        let started = try Self.perform(
            #"{"do":"startActivity","device":"phone","bundle":"\#(Rig.bundle)","type":"CodingBridgeActivityAttributes","#
                + #""attributes":\#(Rig.attributes),"contentState":\#(Rig.working)}"#, on: rig)
        let activity = try started.string("activity")
        #expect(try started.string("outcome") == "started")
        let old = rig.token(.activityUpdate)
        _ = try Self.perform(#"{"do":"rotateToken","device":"phone","activity":"\#(activity)"}"#, on: rig)
        #expect(rig.token(.activityUpdate) != old)
        let screen = try Self.perform(#"{"do":"screen?","device":"phone"}"#, on: rig).required("screen")
        #expect(try screen.array("island").first?.string("kind") == "compact")
        _ = try Self.perform(#"{"do":"dismiss","device":"phone","activity":"\#(activity)"}"#, on: rig)
        #expect(rig.device.activities.isEmpty)
        rig.send(rig.alert())
        _ = try Self.perform(#"{"do":"clear","device":"phone"}"#, on: rig)
        #expect(rig.device.notifications.isEmpty)
    }

    @Test("an app that nobody built in is described by its fields: what it could not decode is dropped, with the place")
    func described() throws {
        let rig = Rig()
        _ = try Self.perform(
            #"{"do":"install","device":"phone","bundle":"com.example.food","type":{"name":"Order","attributes":{"order":"integer"},"#
                + #""contentState":{"stage":["cooking","on its way"],"eta?":"date","items":{"list":{"fields":{"name":"string"}}}}}}"#,
            on: rig)
        func start(_ attributes: String, _ state: String) throws -> JSONValue {
            try Self.perform(
                #"{"do":"startActivity","device":"phone","bundle":"com.example.food","type":"Order","attributes":\#(attributes),"#
                    + #""contentState":\#(state)}"#, on: rig)
        }
        let good = #"{"stage":"cooking","items":[{"name":"soup"}],"more":1}"#
        #expect(try start(#"{"order":7}"#, good).string("outcome") == "started")
        for (attributes, state, place) in [
            (#"{}"#, good, "order"), (#"{"order":"7"}"#, good, "order"),
            (#"{"order":7}"#, #"{"stage":"eaten","items":[]}"#, "stage"),
            (#"{"order":7}"#, #"{"stage":"cooking","items":[{}]}"#, "name"),
            (#"{"order":7}"#, #"{"stage":"cooking","items":[],"eta":"noon"}"#, "eta"),
        ] {
            let outcome = try start(attributes, state)
            let text = String(decoding: outcome.bytes, as: UTF8.self)
            #expect(text.contains("undecodable") && text.contains(place), "\(text)")
        }
    }

    @Test(
        "a command that makes no sense changes nothing and says where it is wrong",
        arguments: [
            (#"{}"#, "$.do"), (#"{"do":"dance"}"#, "$.do"), (#"{"do":"app","bundle":"a"}"#, "$.team"),
            (#"{"do":"clear","device":"watch"}"#, "$.device"), (#"{"do":"device","device":"x","ios":"new"}"#, "$.ios"),
            (#"{"do":"install","device":"phone","bundle":"a","app":"pong"}"#, "$.app"),
            (
                #"{"do":"install","device":"phone","bundle":"a","type":{"name":"A","contentState":{"at":"moment"}}}"#,
                "$.type.contentState.at"
            ),
            (#"{"do":"behave","device":"phone","bundle":"a","updateTokens":"later"}"#, "$.updateTokens"),
            (#"{"do":"tokenState","token":"none","state":"live"}"#, "$.token"),
            (#"{"do":"key","id":"a","team":"b","publicKey":"c","environments":["test"]}"#, "$.environments[0]"),
        ])
    func refused(command: String, path: String) {
        let rig = Rig()
        let error = #expect(throws: WireError.self) { try Self.perform(command, on: rig) }
        #expect(error?.path == path)
    }
}

extension JSONValue {
    fileprivate func bool(_ key: StaticString) throws -> Bool { try required(key).bool() }
}
