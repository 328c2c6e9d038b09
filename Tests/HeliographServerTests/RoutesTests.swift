import RelayCore
import RelayProtocol
import Testing
import WebSocketEngine

@testable import HeliographServer

@Suite struct RoutesTests {
    private func command(_ method: String, _ path: String, _ body: String = "") throws -> ClientCommand? {
        try Routes.deviceCommand(HTTPRequest(method: method, path: path, body: Array(body.utf8), peer: .ip("127.0.0.1")))
    }

    private static let device = #"{"device":"d1","name":"n","profile":"p","environment":"sandbox","system":"18"}"#

    @Test func `devices over HTTP are the commands of the WebSocket`() throws {
        let device = Device(id: DeviceID("d1")!, name: "n", profile: "p", address: .apns(APNsTokens(.sandbox)), system: "18")
        #expect(try command("GET", "/v1/devices") == .devices(watches: false))
        #expect(try command("PUT", "/v1/devices/d1", Self.device) == .device(device))
        #expect(try command("DELETE", "/v1/devices/d1") == .forget(DeviceID("d1")!))
        let report = CardReport(card: CardID("k")!, session: nil, token: "0a", state: .active)
        #expect(
            try command("POST", "/v1/devices/d1/cards", #"{"card":"k","token":"0A","state":"active"}"#)
                == .card(DeviceID("d1")!, report))
        for (method, path) in [
            ("POST", "/v1/devices"), ("GET", "/v1/devices/d1"), ("POST", "/v1/devices/d1"), ("PUT", "/v1/devices/d1/cards"),
            ("POST", "/v1/devices/d1/cards/k"), ("DELETE", "/v1/devices/d1/"),
        ] {
            #expect(try command(method, path, Self.device) == nil, "\(method) \(path)")
        }
    }

    @Test(arguments: [
        ("PUT", "/v1/devices/d2", device, "$.device"), ("PUT", "/v1/devices/d1", "{}", "$.device"),
        ("PUT", "/v1/devices/d1", "", "byte 0"), ("PUT", "/v1/devices/a b", device, "path"),
        ("DELETE", "/v1/devices/", "", "path"),
        ("POST", "/v1/devices/d1/cards", #"{"card":"k"}"#, "$.state"),
    ])
    func `what is wrong with a request is named by its place`(_ method: String, _ path: String, _ body: String, _ place: String)
    {
        let error = #expect(throws: WireError.self) { try command(method, path, body) }
        #expect(error?.path == place)
    }

    @Test func `a reply becomes an answer of HTTP`() {
        #expect(HTTPResponse.reply(.done).status == 200)
        let decided = HTTPResponse.reply(.decided(.applied))
        guard case .bytes(let bytes) = decided.body else { return #expect(Bool(false), "a body of bytes") }
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"stage":"applied"}"#)
        let statuses: [(ErrorCode, UInt16)] = [
            (.notFound, 404), (.closed, 409), (.alreadyDecided, 409), (.notWhole, 409), (.tooMany, 429), (.unavailable, 503),
        ]
        for (code, status) in statuses { #expect(HTTPResponse.reply(.failed(code, "m")).status == status) }
        let bad = Notice(WireError(.badValue, at: "$.x", "m"))
        #expect(HTTPResponse.reply(.failed(bad, winner: nil)).status == 400)
    }

    @Test func `a decision is read as a notification says it`() throws {
        func verdict(_ text: String) throws(WireError) -> Decision.Verdict {
            try Decision.Verdict(from: JSONDocument(parsing: Array(text.utf8)).root)
        }
        #expect(try verdict(#"{"decision":"allow"}"#) == .allow)
        #expect(try verdict(#"{"decision":"deny","message":"no"}"#) == .deny(message: "no"))
        #expect(
            try verdict(#"{"answers":[{"question":"q","choices":["a"]}]}"#) == .answer([Answer(question: "q", choices: ["a"])]))
        for (text, place) in [
            ("{}", "$.decision"), (#"{"decision":"answer"}"#, "$.decision"), (#"{"decision":"deny","message":5}"#, "$.message"),
            (#"{"answers":[{"choices":[]}]}"#, "$.answers[0].question"), ("[]", "$"),
        ] {
            let error = #expect(throws: WireError.self) { try verdict(text) }
            #expect(error?.path == place)
        }
    }

    @Test(arguments: [
        ("https://relay.example", true), ("https://relay.example:443", true), ("https://relay.example:8443", false),
        ("http://relay.example", false), ("https://localhost", false), (nil, false),
    ])
    func `browsers keep to TLS where every port of the public name is the relay's`(_ url: String?, _ keeps: Bool) {
        #expect(Responder.transportSecurity(of: url).map(\.0) == (keeps ? ["strict-transport-security"] : []))
    }
}
