import ChannelAPNs
import HeliographHTTP2
import RelayProtocol
import Testing

@testable import PushAPNs

@Suite("Requests as HTTP")
struct APNsRequestTests {
    private func message(_ target: APNsRequest.Target, change: (inout APNsRequest) -> Void = { _ in }) -> HTTP2Message {
        var request = APNsRequest(teamID: "TEAM567890", environment: .production, target: target, id: "the-id")
        change(&request)
        return request.message(authority: "host.example", authorization: "bearer token")
    }

    @Test(arguments: [
        (APNsRequest.Target.device(token: "abcd"), APNsService.devices, "POST", "/3/device/abcd"),
        (.broadcast(bundleID: "dev.app", channelID: "c+/="), .broadcasts, "POST", "/4/broadcasts/apps/dev.app"),
        (.createChannel(bundleID: "dev.app"), .channels, "POST", "/1/apps/dev.app/channels"),
        (.deleteChannel(bundleID: "dev.app", channelID: "c+/="), .channels, "DELETE", "/1/apps/dev.app/channels"),
    ])
    func `each target has its service, method and path`(
        target: APNsRequest.Target, service: APNsService, method: String, path: String
    ) {
        let message = message(target)
        #expect(APNsRequest(teamID: "T", environment: .sandbox, target: target, id: "i").service == service)
        #expect(message[":method"] == method && message[":path"] == path)
        #expect(message[":scheme"] == "https" && message[":authority"] == "host.example")
        #expect(message["authorization"] == "bearer token")
        // Channels name their requests otherwise than pushes.
        #expect(message[service == .channels ? "apns-request-id" : "apns-id"] == "the-id")
        #expect(message[service == .channels ? "apns-id" : "apns-request-id"] == nil)
        switch target {
        case .broadcast, .deleteChannel: #expect(message["apns-channel-id"] == "c+/=")
        case .device, .createChannel: #expect(message["apns-channel-id"] == nil)
        }
    }

    @Test func `what is not set is not sent, and what differs each time stays out of the compressor's table`() {
        #expect(message(.device(token: "ab")).headers.count == 6)
        let full = message(.device(token: "ab")) {
            ($0.topic, $0.pushType, $0.priority, $0.expiration, $0.collapseID) = ("t", "alert", 5, 1_795_178_096, "c")
        }
        #expect(full.headers.count == 11)
        #expect(
            Set(full.headers.filter(\.isVolatile).map(\.name)) == [":path", "apns-id", "apns-expiration", "apns-collapse-id"])
    }

    @Test func `an answer is read whatever it holds`() {
        let dead = APNsAnswer(
            HTTP2Message(status: 410, body: Array(#"{"reason":"Unregistered","timestamp":1795178096123}"#.utf8)))
        #expect(dead.reason == .unregistered && dead.timestamp == 1_795_178_096_123)
        for body in ["", "<html>", "{}", #"{"reason":7}"#, #"{"timestamp":1e400}"#, #"{"reason":"X","timestamp":1e300}"#] {
            let answer = APNsAnswer(HTTP2Message(status: 410, body: Array(body.utf8)))
            #expect(answer.reason == nil && answer.timestamp == nil && answer.remedy == .dropTokenIfOlder)
        }
        let made = APNsAnswer(HTTP2Message(status: 201, headers: [HTTP2Header("apns-channel-id", "c")]))
        #expect(made.acceptance.channelID == "c" && made.acceptance.status == 201)
        #expect(APNsAnswer(HTTP2Message(headers: [HTTP2Header(":status", "odd")])).remedy == .fixRequest)
        #expect(APNsAnswer.reasonText(ofGoAway: Array(#"{"reason":"Shutdown"}"#.utf8)) == "Shutdown")
        #expect(APNsAnswer.reasonText(ofGoAway: [0xFF]) == nil)
    }
}
