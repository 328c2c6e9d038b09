import PushPlanner
import RelayCore
import RelayProtocol
import Testing

@testable import HeliographServer

/// Pushes where others push to the same apps: none leaves before it is certain whose the app is.
@Suite struct PushAddressTests {
    /// An update of a card, for a device with this token.
    private func update(_ number: Int64, card: String, device: String) -> PushIntent {
        var update = order(number)
        (update.purpose, update.target) = (.update, .device(token: card))
        update.deviceAddress = PushAddress(.apns, place: device)
        return update
    }

    @Test func `what goes to an app of this workspace is sent once that is certain, in its order`() async throws {
        let addresses = FakeAddresses(isGated: true)
        let rig = try await PushRig(addresses: addresses)
        for number in 1...3 { try await rig.push(order(Int64(number))) }
        try await rig.listen { addresses.asked.count == 1 }
        #expect(rig.senders[0].requests.isEmpty)
        #expect(try await rig.way { $0.underWay } == 3)
        addresses.letThrough()
        try await rig.listen { addresses.asked.count == 2 }
        #expect(rig.senders[0].requests.count == 1)
        addresses.letThrough()
        try await rig.listen { rig.senders[0].requests.count == 3 }
        #expect(addresses.asked == [["0aff"], ["0aff", "0aff"]], "what came meanwhile is one question")
        try await rig.answer()
        #expect(rig.outcomes == ["1 accepted ", "2 accepted ", "3 accepted "])
    }

    @Test func `what has moved is not sent, and the core hears which address it was: the push's own, or its device's`()
        async throws
    {
        let addresses = FakeAddresses()
        addresses.move("moved")
        let rig = try await PushRig(addresses: addresses)
        var alert = order(1)
        alert.target = .device(token: "moved")
        try await rig.push(
            alert, update(2, card: "c1", device: "moved"), update(3, card: "moved", device: "d"),
            update(4, card: "0aff", device: "d"))
        try await rig.listen { rig.outcomes.count == 3 && rig.senders[0].requests.count == 1 }
        #expect(rig.outcomes == ["1 moved moved", "2 moved moved", "3 moved moved"])
        try await rig.answer()
        #expect(rig.outcomes.last == "4 accepted ")
        let status = try JSONDocument(parsing: await rig.status()).root
        #expect(try status.array("outcomes").last?.string("text") == PushWay.movedSentence)
        #expect(try await rig.way { $0.isIdle })
    }

    @Test func `while nobody says whose an app is nothing is sent to it, and what is of channels goes on`() async throws {
        let addresses = FakeAddresses()
        addresses.goAway()
        let rig = try await PushRig(addresses: addresses)
        var deletion = order(2)
        (deletion.purpose, deletion.target) = (.channel, .deleteChannel(channel: "ch"))
        try await rig.push(order(1), deletion)
        try await rig.listen { rig.outcomes.count == 1 }
        #expect(rig.outcomes[0].hasPrefix("1 notSent the database does not say"))
        #expect(rig.senders[0].requests.count == 1)
        try await rig.answer()
        #expect(rig.outcomes.last == "2 accepted ")
    }

    @Test func `a core that ends while it is asked sends nothing more, and its next life gets what it asks again`() async throws
    {
        let addresses = FakeAddresses(isGated: true)
        let rig = try await PushRig(addresses: addresses)
        try await rig.push(order(1))
        try await rig.run { runner in
            runner.suspend()
            runner.push(order(1))
        }
        addresses.letThrough()
        try await rig.listen { rig.senders[0].requests.count == 1 }
        try await rig.answer()
        #expect(rig.outcomes == ["1 accepted "] && addresses.asked.count == 1)

        try await rig.push(order(2))
        try await rig.run { $0.end() }
        addresses.letThrough()
        while try await !rig.way({ $0.isIdle }) {}
        #expect(rig.senders[0].requests.isEmpty && rig.outcomes.count == 1)
    }
}
