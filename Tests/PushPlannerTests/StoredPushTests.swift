import HeliographTestSupport
import RelayProtocol
import Testing

@testable import PushPlanner

/// The planner's stored records, checked against their table.
@Suite("Stored records of pushes and what reads and writes them") struct StoredPushTests {
    /// Fields that are passed through, omitted if unreadable, or implied by the absence of others.
    private static let unread: Set<String> = [
        "push $.order.payload", "push $.order.seal.text", "push $.order.code", "push $.order.code.digest",
        "push $.order.makeChannel", "push $.outcome.result", "card $.face",
    ]

    private func expect(_ name: String, _ table: WireObject, _ codec: @escaping FieldCheck.Codec) throws {
        let faults = try FieldCheck(name, codec).faults(ofStored: table, isUnread: Self.unread.contains)
        #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
    }

    @Test("a device is kept with the fields of the table, and no other")
    func devices() throws {
        try expect("device", StoredPushTable.device) { bytes throws(WireError) in
            ((), try RegisteredDevice(stored: bytes).bytes)
        }
    }

    @Test("a card is kept with the fields of its stage, and no other", arguments: StoredPushTable.cards)
    func cards(table: WireObject) throws {
        try expect("card", table) { bytes throws(WireError) in
            let value = try JSONDocument(parsing: bytes).root.object()
            let device = DeviceKey(workspace: PlannerStage.home.id, device: try value.identifier("device"))
            let key = CardKey(device: device, session: try value.optionalIdentifier("session"))
            return ((), try Card(stored: value).bytes(of: key))
        }
    }

    @Test("a record of before, in which a stage kept what is not its own, is read as what its card can be")
    func strayFields() {
        func read(_ word: CardStage.Word, channel: String? = nil) -> CardStage {
            CardStage(word, token: "t", channel: channel, isEndOwed: true, isUnanswered: true)
        }
        #expect(read(.none, channel: "c") == .none(channel: "c"))
        #expect(read(.starting) == .unanswered)
        #expect(read(.starting, channel: "c") == .starting(channel: "c"))
        #expect(read(.active, channel: "c") == .active(.token("t")))
        #expect(read(.ended, channel: "c") == .ended(isOwed: true, token: "t", channel: "c"))
    }

    @Test("a broadcast channel is kept with the fields of the table, and no other")
    func channels() throws {
        try expect("channel", StoredPushTable.channel) { bytes throws(WireError) in
            ((), try Channel(stored: bytes, in: PlannerStage.home.id).bytes)
        }
    }

    @Test("the last number is kept with the field of the table, and no other")
    func lastNumbers() throws {
        try expect("last", StoredPushTable.lastNumber) { bytes throws(WireError) in
            ((), try LastNumber(stored: bytes).bytes)
        }
    }

    @Test(
        "a push is kept with the fields of the table and its channel's words, and no other", arguments: StoredPushTable.targets)
    func pushes(target: WireField) throws {
        let words: [WireField] = [.required("urgency", .words("high", "low")), .optional("topic", .anyText)]
        try expect("push", StoredPushTable.push(to: target, words)) { bytes throws(WireError) in
            let push = try PlannedPush(stored: bytes, in: PlannerStage.home.id, [.apns: PlainChannel()])
            return ((), push.bytes(by: PlainChannel()))
        }
    }
}
