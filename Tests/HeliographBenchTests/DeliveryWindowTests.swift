import Testing

@testable import HeliographBench

@Suite struct DeliveryWindowTests {
    @Test func theSlowestSubscriberHoldsTheWindow() {
        var window = DeliveryWindow(size: 4, subscribers: 2, from: 1)
        window.send(4)
        #expect(window.room == 0)
        window.move(from: 1, to: 5)
        #expect(window.room == 0, "the other one has nothing yet")
        window.move(from: 1, to: 3)
        #expect(window.slowest == 3)
        #expect(window.room == 2)
        window.send(2)
        window.move(from: 3, to: 4)
        #expect(window.room == 1)
    }

    @Test func itGoesRoundManyTimes() {
        var window = DeliveryWindow(size: 3, subscribers: 1, from: 0)
        for position in stride(from: Int64(0), to: 3_000, by: 3) {
            window.send(3)
            window.move(from: position, to: position + 1)
            window.move(from: position + 1, to: position + 3)
            #expect(window.room == 3)
        }
        #expect(window.slowest == 3_000)
    }
}
