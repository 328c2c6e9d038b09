import RelayProtocol
import Testing

@testable import HeliographClient

@Suite struct DeviceEntryTests {
    private static func entry(_ id: String, pushes: String = "") -> [UInt8] {
        Array(
            #"""
            {"device":{"device":"\#(id)","name":"n","profile":"heliograph","environment":"sandbox","system":"18.1","alertToken":true},
             "client":{"id":"c1","name":"Ada's phone"},"present":false,
             "cards":[{"card":"k","session":"s1","state":"active","updatedAt":5,"hasToken":true}],"trouble":"t","pushes":[\#(pushes)]}
            """#.utf8)
    }

    @Test func `a device is read as the relay lists it`() throws {
        let pushes = #"""
            {"push":9,"device":"d1","purpose":"alert","priority":10,"plannedAt":7},
            {"push":8,"device":"d1","session":"s1","purpose":"update","priority":5,"plannedAt":6,"answeredAt":8,
             "outcome":{"result":"refused","text":"BadDeviceToken"},"payload":{}}
            """#
        let device = try #require(try DeviceEntry.list([Self.entry("d1", pushes: pushes)]).first)
        #expect(device.hasAlertToken && !device.hasStartToken && !device.isPresent)
        #expect(device.clientName == "Ada's phone" && device.trouble == "t")
        #expect(device.cards.map(\.session) == ["s1"])
        #expect(device.pushes.map(\.sentence) == ["planned", "APNs refused it: BadDeviceToken"])
        #expect(device.pushes.map(\.number) == [9, 8])
    }

    @Test func `a browser is shown with where its push service is`() throws {
        func entry(_ web: String) -> [UInt8] {
            Array(
                #"""
                {"device":{"device":"d1","name":"n","profile":"web","system":"Firefox on Linux","web":\#(web),"text":"full"},
                 "client":{"id":"c1","name":"Ada"},"present":false,"cards":[],"pushes":
                 [{"push":9,"device":"d1","purpose":"alert","priority":10,"plannedAt":7,"outcome":{"result":"accepted"}}]}
                """#.utf8)
        }
        let device = try #require(try DeviceEntry.list([entry(#"{"service":"web.push.apple.com"}"#)]).first)
        #expect(device.isReachable && device.kind == "Firefox on Linux, by web.push.apple.com")
        #expect(device.says == "notifications there offer Deny, never Allow")
        #expect(device.pushes.map(\.sentence) == ["accepted by its push service"])
        #expect(try DeviceEntry.list([entry("{}")]).first?.isReachable == false)
    }

    @Test func `when it is told of what needs no answer stands beside what it says`() throws {
        func says(_ gather: String) throws -> String? {
            let entry = String(decoding: Self.entry("d1"), as: UTF8.self)
                .replacing(#""system""#, with: #""text":"full","gather":\#(gather),"system""#)
            return try DeviceEntry.list([Array(entry.utf8)]).first?.says
        }
        let what = "errors, finished runs and budgets in one notification, "
        #expect(try says(#"{"when":"interval","minutes":45}"#) == what + "45 minutes after the first")
        #expect(try says(#"{"when":"daily","at":425,"timeZone":"Asia/Tokyo"}"#) == what + "at 7:05, Asia/Tokyo")
    }

    @Test func `a result of a later version is shown as it is`() throws {
        let push = #"{"push":9,"device":"d1","purpose":"alert","plannedAt":7,"outcome":{"result":"postponed"}}"#
        #expect(try DeviceEntry.list([Self.entry("d1", pushes: push)]).first?.pushes.map(\.sentence) == ["postponed"])
    }

    @Test func `what is no device is a fault of the program, not of the person`() {
        let fault = #expect(throws: ClientError.self) { try DeviceEntry.list([Array("{}".utf8)]) }
        #expect(fault?.exit == .failed)
    }

    @Test func `a device is found by its id or the beginning of it`() throws {
        let devices = try DeviceEntry.list(["phone", "phone2", "pad"].map { Self.entry($0) })
        #expect(try DeviceEntry.find("pa", in: devices).id.rawValue == "pad")
        #expect(try DeviceEntry.find("phone", in: devices).id.rawValue == "phone")
        for (text, exit) in [("x", ClientExit.notFound), ("p", .usage)] {
            let fault = #expect(throws: ClientError.self) { try DeviceEntry.find(text, in: devices) }
            #expect(fault?.exit == exit)
        }
    }

    @Test func `a refusal says which kind`() {
        for (code, exit) in [(ErrorCode.notFound, ClientExit.notFound), (.tooMany, .refused)] {
            let fault = #expect(throws: ClientError.self) { try DeviceReply.check(.failed(code, "m")) }
            #expect(fault?.exit == exit && fault?.message == "m")
        }
    }
}
