import Foundation
import RelayProtocol
import Testing

@testable import LiveActivityKit

@Suite("Relay requests") struct RelayRequestTests {
    private func value(_ request: RelayRequest) throws -> JSONValue {
        try JSONDocument(parsing: Array(request.body)).root
    }

    @Test("a device that says everything arrives as the relay's own type has it")
    func device() throws {
        var device = registration
        device.alertToken = "00ff"
        device.startToken = "abcd"
        device.frequentPushes = true
        (device.countsRules, device.hidesCost) = (true, true)
        device.cards = .aggregate
        device.starts = .always
        device.text = .sealed
        device.sealKey = Data(repeating: 7, count: 32).base64EncodedString()
        device.kinds = [.approval, .budget]
        device.muted = ["s1", "s2"]
        device.quiet = DeviceRegistration.Quiet(from: 1_320, to: 420, timeZone: "Europe/Berlin")
        device.gather = .daily(at: 1_080, timeZone: "Europe/Berlin")
        let request = try RelayRequest(.device(device), of: "d1")
        #expect((request.method, request.path) == (.put, "/v1/devices/d1"))
        let read = try Device(from: value(request))
        #expect((read.id.rawValue, read.name, read.profile) == ("d1", "Ada's iPhone", "heliograph"))
        #expect((read.address.environment, read.system) == (.sandbox, "18.1"))
        #expect((read.address.alerts, read.address.starts, read.hasFrequentPushes) == ("00ff", "abcd", true))
        #expect((read.cards, read.starts, read.text) == (.aggregate, .always, .sealed))
        #expect(read.sealKey == device.sealKey)
        #expect(read.kinds == [.approval, .budget])
        #expect(read.muted == [SessionID("s1")!, SessionID("s2")!])
        #expect(read.quiet == QuietHours(from: 1_320, to: 420, timeZone: "Europe/Berlin"))
        #expect(read.gathering == .daily(at: 1_080, timeZone: "Europe/Berlin"))
        #expect(read.countsRules && read.hidesCost)
        device.gather = .every(minutes: 30)
        #expect(try Device(from: value(RelayRequest(.device(device), of: "d1"))).gathering == .interval(minutes: 30))
    }

    @Test("a device that says little is the relay's default")
    func defaults() throws {
        let read = try Device(from: value(try RelayRequest(.device(registration), of: "d1")))
        #expect(
            read
                == Device(
                    id: DeviceID("d1")!, name: "Ada's iPhone", profile: "heliograph", address: .apns(APNsTokens(.sandbox)),
                    system: "18.1"))
    }

    @Test("the words of both sides are the same")
    func words() {
        #expect(DeviceRegistration.Environment.allCases.map(\.rawValue) == PushEnvironment.allCases.map(\.rawValue))
        #expect(DeviceRegistration.Cards.allCases.map(\.rawValue) == CardMode.allCases.map(\.rawValue))
        #expect(DeviceRegistration.Starts.allCases.map(\.rawValue) == CardStarts.allCases.map(\.rawValue))
        #expect(DeviceRegistration.Text.allCases.map(\.rawValue) == PushText.allCases.map(\.rawValue))
        #expect(DeviceRegistration.Gather.When.allCases.map(\.rawValue) == Gathering.Word.allCases.map(\.rawValue))
        #expect(DeviceRegistration.Kind.allCases.map(\.rawValue) == AlertKind.allCases.map(\.rawValue))
        #expect(
            LiveActivityKit.CardReport.State.allCases.map(\.rawValue) == RelayProtocol.CardReport.State.allCases.map(\.rawValue)
        )
    }

    @Test("cards and farewells")
    func cards() throws {
        let id = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"
        let card = LiveActivityKit.CardReport(card: id, session: "s1", token: "aabb", state: .stale)
        let request = try RelayRequest(.card(card), of: "d1")
        #expect((request.method, request.path) == (.post, "/v1/devices/d1/cards"))
        let read = try RelayProtocol.CardReport(from: value(request))
        #expect(read == RelayProtocol.CardReport(card: CardID(id)!, session: SessionID("s1")!, token: "aabb", state: .stale))
        let forget = try RelayRequest(.forget, of: "d1")
        #expect((forget.method, forget.path, forget.body) == (.delete, "/v1/devices/d1", Data()))
        #expect(throws: LiveActivityError.self) { try RelayRequest(.forget, of: "../d2") }
    }

    @Test("decisions")
    func decisions() throws {
        func body(_ verdict: Verdict) throws -> String {
            let request = try RelayRequest(verdict, code: "7.aB-_9")
            #expect((request.method, request.path) == (.post, "/v1/decisions/7.aB-_9"))
            return String(decoding: request.body, as: UTF8.self)
        }
        #expect(try body(.allow) == #"{"decision":"allow"}"#)
        #expect(try body(.deny()) == #"{"decision":"deny"}"#)
        #expect(try body(.deny(message: "No/\"")) == #"{"decision":"deny","message":"No/\""}"#)
        let answers = [
            LiveActivityKit.Answer(question: "q1", choices: ["main"], indexes: [2]),
            .init(question: "q2", choices: [], text: "dev"),
        ]
        #expect(
            try body(.answer(answers))
                == #"{"answers":[{"choices":["main"],"indexes":[2],"question":"q1"},{"choices":[],"question":"q2","text":"dev"}]}"#
        )
    }

    @Test(
        "a code that would be another address is not sent", arguments: ["", "7", "a/b", "7.%2e", "..", "7..a", "7.a?x", "7.ä"])
    func badCodes(code: String) {
        #expect { try RelayRequest(.allow, code: code) } throws: { ($0 as? LiveActivityError)?.code == .badCode }
    }

    @Test("what the relay says of a decision")
    func replies() throws {
        func reply(_ status: Int, _ text: String) throws -> DecisionReply {
            try RelayRequest.reply(status: status, Data(text.utf8))
        }
        #expect(try reply(200, #"{"stage":"decided"}"#) == .stands(stage: "decided"))
        #expect(try reply(200, #"{"type":"reply","stage":"applied","more":1}"#).sentence == "Your decision was applied.")
        let winner = #"{"decision":"deny","by":{"client":"c1","name":"Ada's laptop"},"at":1,"command":"x"}"#
        let lost = try reply(409, #"{"error":{"code":"conflict","message":"too late","winner":"# + winner + "}}")
        #expect(lost.sentence == "Ada's laptop has already denied this.")
        #expect(try reply(410, #"{"error":{"code":"expired","message":"this is over"}}"#).sentence == "this is over.")
        for (status, code) in [(401, LiveActivityError.Code.unauthorised), (429, .busy), (503, .busy), (404, .notFound)] {
            #expect { try reply(status, "no") } throws: { ($0 as? LiveActivityError)?.code == code }
        }
        #expect {
            try reply(404, #"{"code":"notFound","message":"this code is unknown, used or too old"}"#)
        } throws: {
            ($0 as? LiveActivityError) == LiveActivityError(.notFound, "this code is unknown, used or too old")
        }
        #expect { try reply(200, "<html>") } throws: { ($0 as? LiveActivityError)?.code == .badAnswer }
    }

    @Test(
        "what the relay says of a report",
        arguments: [
            (400, .refused), (401, .unauthorised), (403, .unauthorised), (404, .notFound), (408, .busy), (413, .refused),
            (429, .busy), (500, .busy), (501, .refused), (503, .busy), (301, .badAnswer), (100, .badAnswer),
        ] as [(Int, LiveActivityError.Code)])
    func statuses(status: Int, code: LiveActivityError.Code) {
        #expect { try RelayRequest.check(status: status, Data("why".utf8)) } throws: {
            ($0 as? LiveActivityError)?.code == code
        }
        #expect(throws: Never.self) { try RelayRequest.check(status: 204, Data()) }
    }

    @Test("the token goes with every request, and only over https or to this machine")
    func reporter() async throws {
        struct Token: RelayCredentials { func token() -> String { "secret" } }
        struct Exchange: HTTPExchanging {
            func exchange(_ request: RelayRequest, relay: URL, token: String?) async throws(LiveActivityError) -> HTTPAnswer {
                guard token == "secret", relay.host() == "relay.example" else { return HTTPAnswer(status: 401, body: Data()) }
                return HTTPAnswer(status: 200, body: Data(#"{"stage":"decided"}"#.utf8))
            }
        }
        let reporter = try HTTPRelayReporter(
            relay: URL(string: "https://relay.example")!, credentials: Token(), exchange: Exchange())
        try await reporter.report(.device(registration), of: "d1")
        #expect(try await reporter.decide(.allow, code: "7.a") == .stands(stage: "decided"))
        for address in ["http://relay.example", "ftp://relay.example", "https:", "relay.example"] {
            #expect(throws: LiveActivityError.self, "\(address)") {
                try HTTPRelayReporter(relay: URL(string: address)!, credentials: Token(), exchange: Exchange())
            }
        }
        _ = try HTTPRelayReporter(relay: URL(string: "http://127.0.0.1:8787")!, credentials: Token(), exchange: Exchange())
    }
}
