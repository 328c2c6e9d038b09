import RelayProtocol
import Testing

/// One of everything that is said about pushes.
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
        device.quiet = QuietHours(from: 1_380, to: 420, timeZone: "Europe/Berlin")
        device.hidesCost = true
        return device
    }()

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
            .device(device), .device(plain),
            .card(DeviceID("d1")!, CardReport(card: CardID("k1")!, session: nil, token: nil, state: .active)),
            .forget(DeviceID("d1")!), .devices(watches: true), .devices(watches: false), .testPush(DeviceID("d1")!), .budgets,
        ] + cards.map { .card(DeviceID("d1")!, $0) } + budgets.map { .budget($0) }

    /// A device as a message has it, with this in place of what it says there.
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
        #expect(!read.hasFrequentPushes && read.muted.isEmpty && read.quiet == nil && read.address.alerts == nil)
    }

    @Test("whoever lists devices sees that there are tokens, and no secret")
    func shown() throws {
        let shown = try JSONDocument(parsing: PushSample.device.bytesWithoutSecrets).root
        #expect(try shown.flag("alertToken") && shown.flag("startToken"))
        #expect(shown.optional("sealKey") == nil)
        #expect(try JSONDocument(parsing: PushSample.plain.bytesWithoutSecrets).root.optional("alertToken") == nil)
        #expect(PushSample.plain.bytesWithoutSecrets == PushSample.plain.bytes)
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
            ("text", #""loud""#, "", .badValue), ("sealKey", #""AAAA""#, "", .badValue),
            ("sealKey", #""\#(String(repeating: "A", count: 42))B=""#, "", .badValue),
            ("sealKey", #""\#(String(repeating: "A", count: 42))-=""#, "", .badValue),
            ("kinds", #""approval""#, "", .wrongType), ("kinds", #"["approval","noise"]"#, "[1]", .badValue),
            ("kinds", "[1]", "[0]", .wrongType),
            ("kinds", #"["error","error","error","error","error","error"]"#, "", .outOfRange),
            ("muted", #"["s1","a b"]"#, "[1]", .badValue), ("quiet", "5", "", .wrongType),
            ("quiet", #"{"to":1,"timeZone":"UTC"}"#, ".from", .missingField),
            ("quiet", #"{"from":1440,"to":1,"timeZone":"UTC"}"#, ".from", .outOfRange),
            ("quiet", #"{"from":1,"to":-1,"timeZone":"UTC"}"#, ".to", .outOfRange),
            ("quiet", #"{"from":1,"to":1}"#, ".timeZone", .missingField),
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
