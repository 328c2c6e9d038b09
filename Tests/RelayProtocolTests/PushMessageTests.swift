import RelayProtocol
import Testing

/// A sample of every message about pushes.
enum PushSample {
    static let device: Device = {
        var device = Device(
            id: DeviceID("d1")!, name: "Ada's phone", profile: "heliograph", address: .apns(APNsTokens(.sandbox)),
            system: "18.1")
        device.address.alerts = "0aff"
        device.address.starts = "00"
        device.hasFrequentPushes = true
        device.cards = .aggregate
        device.starts = .always
        device.text = .sealed
        device.sealKey = String(repeating: "A", count: 43) + "="
        device.kinds = [.approval, .budget]
        device.muted = [SessionID("s1")!, SessionID("s2")!]
        device.mutedUntil = [
            SessionID("s3")!: TimedMute(until: 1_700_000_000_000),
            SessionID("s4")!: TimedMute(until: 0, asked: [ApprovalID("a1")!, ApprovalID("a2")!]),
        ]
        device.mutedProjects = [HostProject(host: HostID("h1")!, project: "webshop")]
        device.quiet = QuietHours(from: 1_380, to: 420, timeZone: "Europe/Berlin", exceptRisks: true)
        device.gathering = .interval(minutes: 30)
        (device.countsRules, device.hidesCost) = (true, true)
        device.language = "de-AT"
        return device
    }()

    static let browser: Device = {
        var device = Device(
            id: DeviceID("d3")!, name: "Ada's laptop", profile: "web", address: .web(subscription), system: "Firefox on Linux")
        (device.cards, device.starts, device.text, device.allowsOnLockScreen) = (.off, .never, .full, true)
        device.gathering = .daily(at: 1_080, timeZone: "Europe/Berlin")
        device.language = "fr"
        return device
    }()
    static let subscription = WebSubscription(
        endpoint: "https://updates.push.services.mozilla.com/wpush/v2/secret",
        p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        auth: "BTBZMqHH6r4Tts7J_aSIgg")

    static let plain = Device(
        id: DeviceID("d2")!, name: "n", profile: "p", address: .apns(APNsTokens(.production)), system: "17")
    static let cards = CardReport.State.allCases.map {
        CardReport(card: CardID("k1")!, session: SessionID("s1")!, token: "0aff", state: $0)
    }
    static let budgets = [
        Budget(scope: .session(SessionID("s1")!), microUSD: 5_000_000, levels: [10, 100, 1_000], holds: true),
        Budget(scope: .everySession, microUSD: 1), Budget(scope: .day, microUSD: 0, levels: []),
        Budget(scope: .workspace, microUSD: 2),
    ]

    static let commands: [ClientCommand] =
        [
            .presence(isForeground: true, session: SessionID("s1")!, device: DeviceID("d1")!),
            .presence(isForeground: false, session: nil, device: nil), .seen(SessionID("s1")!, ApprovalID("a1")!),
            .device(device), .device(plain), .device(browser), .deviceChoices(DeviceID("d1")!, device.choices),
            .deviceChoices(DeviceID("d3")!, browser.choices),
            .card(DeviceID("d1")!, CardReport(card: CardID("k1")!, session: nil, token: nil, state: .active)),
            .forget(DeviceID("d1")!), .devices(watches: true), .devices(watches: false), .testPush(DeviceID("d1")!), .budgets,
        ] + cards.map { .card(DeviceID("d1")!, $0) } + budgets.map { .budget($0) }

    /// A device in a message, with one field replaced.
    static func device(_ field: String, _ value: String?) -> [UInt8] {
        var fields = [
            "device": #""d1""#, "name": #""n""#, "profile": #""p""#, "environment": #""sandbox""#, "system": #""18.1""#,
        ]
        fields[field] = value
        let body = fields.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
        return Array(#"{"type":"device","id":"k1","device":{\#(body)}}"#.utf8)
    }
}

@Suite("Messages about pushes")
struct PushMessageTests {
    private func refusal(_ bytes: [UInt8]) -> WireError? {
        do throws(ClientMessageError) {
            _ = try ClientMessage(parsing: bytes)
            return nil
        } catch {
            #expect(error.command == CommandID("k1"))
            return error.error
        }
    }

    @Test("what a device leaves out has its default")
    func defaults() throws {
        #expect(refusal(PushSample.device("name", #""n""#)) == nil)
        let read = try Device(from: JSONDocument(parsing: PushSample.plain.bytes).root)
        #expect(read.kinds == Set(AlertKind.allCases))
        #expect(read.cards == .perSession && read.starts == .whenNeeded && read.text == .summary)
        #expect(
            !read.hasFrequentPushes && read.muted.isEmpty && read.mutedProjects.isEmpty && read.quiet == nil
                && read.address.alerts == nil)
    }

    @Test("quiet hours of a record from before they had an exception have none")
    func olderQuietHours() throws {
        let bytes = PushSample.device("quiet", #"{"from":1380,"to":420,"timeZone":"UTC"}"#)
        let read = try Device(from: JSONDocument(parsing: bytes).root.required("device"))
        #expect(read.quiet == QuietHours(from: 1_380, to: 420, timeZone: "UTC", exceptRisks: false))
    }

    @Test("whoever lists devices sees that there are tokens, and no secret")
    func shown() throws {
        let shown = try JSONDocument(parsing: PushSample.device.bytesWithoutSecrets).root
        #expect(try shown.flag("alertToken") && shown.flag("startToken"))
        #expect(shown.optional("sealKey") == nil)
        #expect(try JSONDocument(parsing: PushSample.plain.bytesWithoutSecrets).root.optional("alertToken") == nil)
        #expect(PushSample.plain.bytesWithoutSecrets == PushSample.plain.bytes)
    }

    @Test("a browser's record is read as it was written, with a subscription and without")
    func browser() throws {
        for address in [DeviceAddress.web(PushSample.subscription), .web(nil)] {
            var device = PushSample.browser
            device.address = address
            #expect(try Device(from: JSONDocument(parsing: device.bytes).root) == device)
        }
    }

    @Test("of a browser's subscription others see where its push service is, and nothing says more")
    func browserShown() throws {
        let shown = String(decoding: PushSample.browser.bytesWithoutSecrets, as: UTF8.self)
        #expect(shown.contains(#""web":{"service":"updates.push.services.mozilla.com"}"#))
        #expect(shown.contains(#""profile":"web""#))
        var spoken = ""
        dump(PushSample.browser, to: &spoken)
        for text in [shown, spoken, "\(PushSample.browser)", String(reflecting: PushSample.browser)] {
            for secret in ["wpush", PushSample.subscription.p256dh, PushSample.subscription.auth] {
                #expect(!text.contains(secret), "\(text)")
            }
        }
        var gone = PushSample.browser
        gone.address.drop(PushSample.subscription.place)
        #expect(String(decoding: gone.bytesWithoutSecrets, as: UTF8.self).contains(#""web":{}"#))
    }

    @Test("one endpoint belongs to one browser, whatever keys come with it")
    func yields() {
        var address = DeviceAddress.web(PushSample.subscription)
        address.yield(to: .apns(APNsTokens(.production, alerts: PushSample.subscription.place)))
        #expect(address == .web(PushSample.subscription))
        address.yield(to: .web(WebSubscription(endpoint: PushSample.subscription.endpoint, p256dh: "B", auth: "A")))
        #expect(address == .web(nil))
    }

    @Test(
        "every bad field of a browser is refused by its place",
        arguments: [
            ("web", "5", "web", .wrongType), ("web", #"{"endpoint":"https://a.example/b"}"#, "web.p256dh", .missingField),
            ("web", #"{"endpoint":"https://a.example/a b"}"#, "web.endpoint", .badValue),
            ("web", #"{"endpoint":"\#(String(repeating: "x", count: 2_049))"}"#, "web.endpoint", .badValue),
            ("text", #""sealed""#, "text", .badValue), ("allowOnLockScreen", "1", "allowOnLockScreen", .wrongType),
            ("kinds", #"["noise"]"#, "kinds[0]", .badValue), ("system", nil, "system", .missingField),
        ] as [(String, String?, String, WireError.Code)])
    func badBrowsers(_ field: String, _ value: String?, _ place: String, _ code: WireError.Code) {
        var fields = ["device": #""d1""#, "name": #""n""#, "system": #""Firefox on Linux""#, "web": "{}"]
        fields[field] = value
        let body = fields.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
        let error = refusal(Array(#"{"type":"device","id":"k1","device":{\#(body)}}"#.utf8))
        #expect(error?.code == code)
        #expect(error?.path == "$.device.\(place)")
    }

    private static let topic = NtfyTopic(server: "https://ntfy.sh", topic: "secret-topic", token: "tk_secret")

    @Test("a topic's record is read as it was written, and others see its server alone")
    func topic() throws {
        for address in [DeviceAddress.ntfy(Self.topic), .ntfy(NtfyTopic(server: "http://a.lan:80", topic: "t")), .ntfy(nil)] {
            var device = Device(id: DeviceID("d1")!, name: "n", profile: "ntfy", address: address, system: "ntfy")
            (device.cards, device.starts, device.text, device.allowsOnLockScreen) = (.off, .never, .full, true)
            #expect(try Device(from: JSONDocument(parsing: device.bytes).root) == device)
            #expect(DeviceAddress.ntfy(address.alerts.flatMap(NtfyTopic.init(place:))) == address)
            var spoken = ""
            dump(device, to: &spoken)
            let shown = String(decoding: device.bytesWithoutSecrets, as: UTF8.self)
            for text in [shown, spoken, "\(device)", String(reflecting: device)] { #expect(!text.contains("secret")) }
            #expect(shown.contains(#""profile":"ntfy""#))
        }
    }

    @Test("one topic belongs to one device, whatever token comes with it")
    func yieldsTopic() {
        var address = DeviceAddress.ntfy(Self.topic)
        address.yield(to: .ntfy(NtfyTopic(server: "https://ntfy.example", topic: "secret-topic")))
        address.yield(to: .web(WebSubscription(endpoint: "https://ntfy.sh/secret-topic", p256dh: "B", auth: "A")))
        #expect(address == .ntfy(Self.topic))
        address.yield(to: .ntfy(NtfyTopic(server: "https://ntfy.sh", topic: "secret-topic")))
        #expect(address == .ntfy(nil))
    }

    @Test(
        "a topic is pasted as a link",
        arguments: [
            ("https://ntfy.sh/topic", "https://ntfy.sh", "topic"),
            ("http://192.168.1.5:8080/a-b_C", "http://192.168.1.5:8080", "a-b_C"),
            ("https://NTFY.sh/Topic", "https://ntfy.sh", "Topic"),
        ])
    func link(_ text: String, _ server: String, _ topic: String) {
        #expect(NtfyTopic(link: text) == NtfyTopic(server: server, topic: topic))
        for bad in ["\(text)/json", "\(text)?x", String(text.dropLast(topic.count)), "x\(text)", "\(text) "] {
            #expect(NtfyTopic(link: bad) == nil, "\(bad)")
        }
        #expect(NtfyTopic(link: text, token: "a b") == nil)
    }

    @Test(
        "every bad field of a topic is refused by its place",
        arguments: [
            ("5", "ntfy", .wrongType), (#"{"server":"https://ntfy.sh"}"#, "ntfy.topic", .missingField),
            (#"{"server":"ntfy.sh","topic":"t"}"#, "ntfy.server", .badValue),
            (#"{"server":"https://NTFY.sh","topic":"t"}"#, "ntfy.server", .badValue),
            (#"{"server":"https://ntfy.sh/","topic":"t"}"#, "ntfy.server", .badValue),
            (#"{"server":"https://ntfy.sh:x","topic":"t"}"#, "ntfy.server", .badValue),
            (#"{"server":"https://ntfy.sh","topic":"a/b"}"#, "ntfy.topic", .badValue),
            (#"{"server":"https://ntfy.sh","topic":""}"#, "ntfy.topic", .badValue),
            (#"{"server":"https://ntfy.sh","topic":"t","token":"a b"}"#, "ntfy.token", .badValue),
        ] as [(String, String, WireError.Code)])
    func badTopics(_ value: String, _ place: String, _ code: WireError.Code) {
        let error = refusal(Array(#"{"type":"device","id":"k1","device":{"device":"d1","name":"n","ntfy":\#(value)}}"#.utf8))
        #expect(error?.code == code && error?.path == "$.device.\(place)")
    }

    @Test("a receiver's record is read as it was written, and any number of devices may name it")
    func receiver() throws {
        for address in [DeviceAddress.receiver(Receiver("mail")), .receiver(nil)] {
            var device = Device(id: DeviceID("d1")!, name: "n", profile: "receiver", address: address, system: "receiver")
            (device.cards, device.starts, device.text, device.allowsOnLockScreen) = (.off, .never, .full, true)
            #expect(try Device(from: JSONDocument(parsing: device.bytes).root) == device)
            #expect(DeviceAddress.receiver(address.alerts.map(Receiver.init)) == address)
            var other = address
            other.yield(to: address)
            #expect(other == address)
        }
        for bad in [#""""#, #""A""#, #""a/b""#, #""a b""#, #""\#(String(repeating: "a", count: 33))""#] {
            let error = refusal(
                Array(#"{"type":"device","id":"k1","device":{"device":"d1","name":"n","receiver":{"name":\#(bad)}}}"#.utf8))
            #expect(error?.code == .badValue && error?.path == "$.device.receiver.name", "\(bad)")
        }
    }

    @Test("tokens are read in any case")
    func tokens() throws {
        guard case .command(_, .device(let device)) = try ClientMessage(parsing: PushSample.device("alertToken", #""0AfF""#))
        else {
            Issue.record("not a device")
            return
        }
        #expect(device.address.alerts == "0aff")
    }

    @Test(
        "every bad field of a device is refused by its place",
        arguments: [
            ("device", nil, "", .missingField), ("device", #""a b""#, "", .badValue), ("name", "5", "", .wrongType),
            ("name", #""\#(String(repeating: "x", count: 257))""#, "", .outOfRange), ("profile", nil, "", .missingField),
            ("environment", #""moon""#, "", .badValue), ("environment", nil, "", .missingField),
            ("system", "18.1", "", .wrongType),
            ("alertToken", #""abc""#, "", .badValue), ("alertToken", #""zz""#, "", .badValue),
            ("alertToken", #""""#, "", .badValue),
            ("startToken", #""\#(String(repeating: "a", count: 1_026))""#, "", .outOfRange),
            ("startToken", "7", "", .wrongType),
            ("frequentPushes", #""yes""#, "", .wrongType), ("cards", #""many""#, "", .badValue),
            ("starts", #""often""#, "", .badValue),
            ("language", #""d""#, "", .badValue), ("language", #""de_AT""#, "", .badValue),
            ("language", #""de-""#, "", .badValue),
            ("language", #""1a""#, "", .badValue), ("language", #""de-a-b-c-d-e""#, "", .badValue),
            ("text", #""loud""#, "", .badValue), ("sealKey", #""AAAA""#, "", .badValue),
            ("sealKey", #""\#(String(repeating: "A", count: 42))B=""#, "", .badValue),
            ("sealKey", #""\#(String(repeating: "A", count: 42))-=""#, "", .badValue),
            ("kinds", #""approval""#, "", .wrongType), ("kinds", #"["approval","noise"]"#, "[1]", .badValue),
            ("kinds", "[1]", "[0]", .wrongType),
            ("kinds", #"["error","error","error","error","error","error"]"#, "", .outOfRange),
            ("muted", #"["s1","a b"]"#, "[1]", .badValue), ("mutedUntil", "5", "", .wrongType),
            ("mutedUntil", "[5]", "[0]", .wrongType), ("mutedUntil", #"[{"until":1}]"#, "[0].session", .missingField),
            ("mutedUntil", #"[{"session":"s1","until":-1}]"#, "[0].until", .outOfRange),
            ("mutedUntil", #"[{"session":"s1","until":1,"asked":["a b"]}]"#, "[0].asked[0]", .badValue),
            ("quiet", "5", "", .wrongType),
            ("quiet", #"{"to":1,"timeZone":"UTC"}"#, ".from", .missingField),
            ("quiet", #"{"from":1440,"to":1,"timeZone":"UTC"}"#, ".from", .outOfRange),
            ("quiet", #"{"from":1,"to":-1,"timeZone":"UTC"}"#, ".to", .outOfRange),
            ("quiet", #"{"from":1,"to":1}"#, ".timeZone", .missingField), ("gather", "5", "", .wrongType),
            ("gather", #"{"when":"never"}"#, ".when", .badValue),
            ("gather", #"{"when":"interval"}"#, ".minutes", .missingField),
            ("gather", #"{"when":"interval","minutes":4}"#, ".minutes", .outOfRange),
            ("gather", #"{"when":"daily","at":1440,"timeZone":"UTC"}"#, ".at", .outOfRange),
            ("gather", #"{"when":"daily","at":0}"#, ".timeZone", .missingField),
        ] as [(String, String?, String, WireError.Code)])
    func badDevices(_ field: String, _ value: String?, _ place: String, _ code: WireError.Code) {
        let error = refusal(PushSample.device(field, value))
        #expect(error?.code == code)
        #expect(error?.path == "$.device.\(field)\(place)")
    }

    @Test("sealed text needs a key")
    func sealedWithoutKey() {
        let error = refusal(PushSample.device("text", #""sealed""#))
        #expect(error?.code == .missingField)
        #expect(error?.path == "$.device.sealKey")
    }

    @Test(
        "every other bad field is refused by its place",
        arguments: [
            (#""presence""#, "", "$.foreground", .missingField),
            (#""presence""#, #","foreground":1"#, "$.foreground", .wrongType),
            (#""presence""#, #","foreground":true,"session":"a b""#, "$.session", .badValue),
            (#""presence""#, #","foreground":true,"device":5"#, "$.device", .wrongType),
            (#""seen""#, #","session":"s1""#, "$.approval", .missingField),
            (#""device""#, #","device":"d1""#, "$.device", .wrongType),
            (#""card""#, #","device":"d1""#, "$.card", .missingField),
            (#""card""#, #","device":"d1","card":{"state":"active"}"#, "$.card.card", .missingField),
            (#""card""#, #","device":"d1","card":{"card":"k","state":"torn"}"#, "$.card.state", .badValue),
            (#""card""#, #","device":"d1","card":{"card":"k","state":"active","token":"0"}"#, "$.card.token", .badValue),
            (#""card""#, #","device":"d1","card":{"card":"k","state":"active","session":""}"#, "$.card.session", .badValue),
            (#""forget""#, "", "$.device", .missingField), (#""devices""#, #","watch":1"#, "$.watch", .wrongType),
            (#""testPush""#, #","device":null"#, "$.device", .missingField), (#""budget""#, "", "$.budget", .missingField),
            (#""budget""#, #","budget":{"scope":"month","microUSD":1}"#, "$.budget.scope", .badValue),
            (#""budget""#, #","budget":{"scope":"session","microUSD":1}"#, "$.budget.session", .missingField),
            (#""budget""#, #","budget":{"scope":"day"}"#, "$.budget.microUSD", .missingField),
            (#""budget""#, #","budget":{"scope":"day","microUSD":-1}"#, "$.budget.microUSD", .outOfRange),
            (#""budget""#, #","budget":{"scope":"day","microUSD":1,"levels":[50,50]}"#, "$.budget.levels[1]", .badValue),
            (#""budget""#, #","budget":{"scope":"day","microUSD":1,"levels":[0]}"#, "$.budget.levels[0]", .outOfRange),
            (
                #""budget""#, #","budget":{"scope":"day","microUSD":1,"levels":[1,2,3,4,5,6,7,8,9,10,11]}"#, "$.budget.levels",
                .outOfRange
            ),
            (#""budget""#, #","budget":{"scope":"day","microUSD":1,"hold":"yes"}"#, "$.budget.hold", .wrongType),
        ] as [(String, String, String, WireError.Code)])
    func badFields(_ type: String, _ fields: String, _ path: String, _ code: WireError.Code) {
        let error = refusal(Array(#"{"type":\#(type),"id":"k1"\#(fields)}"#.utf8))
        #expect(error?.code == code)
        #expect(error?.path == path)
    }

    @Test("lists of devices and budgets, and a push, are carried byte for byte")
    func replies() throws {
        let entries = [Array(#"{"a": 1.50}"#.utf8), Array("{}".utf8)]
        for reply in [Reply.devices(entries), .devices([]), .budgets(entries), .budgets([])] {
            guard
                case .reply(CommandID("k1")!, let read) = try MessageToClient(
                    parsing: MessageToClient.reply(CommandID("k1")!, reply).bytes)
            else {
                Issue.record("not a reply")
                continue
            }
            #expect(read == reply)
        }
        guard case .push(let push) = try MessageToClient(parsing: MessageToClient.push(entries[0]).bytes) else {
            Issue.record("not a push")
            return
        }
        #expect(push == entries[0])
    }
}
