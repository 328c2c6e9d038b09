import ChannelAPNs
import Foundation
import RelayProtocol
import Testing

@testable import PushPlanner

/// `Fixtures/push-records.jsonl` was written by a relay from before channels: a push of every kind in the simulation.
@Suite("Pushes that a relay without channels has on disk") struct EarlierRecordTests {
    private static let records: [String] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let text = try! String(contentsOf: folder.appending(path: "Fixtures/push-records.jsonl"), encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
    }()

    @Test("are read, and written again to the byte", arguments: records)
    func same(record: String) throws {
        let push = try PlannedPush(stored: Array(record.utf8), in: WorkspaceID("home")!, [.apns: APNsChannel()])
        #expect(String(decoding: push.bytes(by: APNsChannel()), as: UTF8.self) == record)
    }

    @Test("ask Apple for what they did", arguments: records)
    func request(record: String) throws {
        let order = try JSONDocument(parsing: Array(record.utf8)).root.required("order")
        let intent = try PlannedPush(stored: Array(record.utf8), in: WorkspaceID("home")!, [.apns: APNsChannel()]).intent
        let request = APNsRequest(intent, teamID: "ABCDE12345", id: "id", payload: intent.payload, at: intent.plannedAt)
        #expect(try request.topic == order.optionalString("topic"))
        #expect(try request.pushType == order.optionalString("pushType"))
        #expect(try request.expiration == order.optionalInteger("expiration"))
        #expect(try request.collapseID == order.optionalString("collapse"))
        #expect(try request.priority.map(Int64.init) == (intent.purpose == .channel ? nil : order.integer("priority")))
        #expect(try request.isEnvironmentProven == order.flag("proven"))
        #expect(request.payload.isEmpty == (order.optional("deleteChannel") != nil))
    }
}
