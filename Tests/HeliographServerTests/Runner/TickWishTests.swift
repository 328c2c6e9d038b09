import Testing

@testable import HeliographServer

@Suite("Whether the tick that many cores share is put off") struct TickWishTests {
    private let idle = TickWish()
    private let now = TickWish(tick: .now)
    private let later = TickWish(tick: .later)
    private let crowd = TickWish(tick: .later, waitsForCrowd: true)
    private let idleForCrowd = TickWish(waitsForCrowd: true)

    @Test("it is where all that have something would rather wait")
    func common() {
        #expect(TickWish.isLater([later]))
        #expect(TickWish.isLater([idle, later, later]))
        #expect(TickWish.isLater([crowd, idle, crowd]))
        #expect(!TickWish.isLater([later, now]))
        #expect(!TickWish.isLater([crowd, now]))
    }

    @Test("it is not where nobody has anything")
    func nothing() {
        #expect(!TickWish.isLater([]))
        #expect(!TickWish.isLater([idle, idle]))
        #expect(!TickWish.isLater([idleForCrowd]))
    }

    @Test("nobody waits for the hosts of another workspace, whether they have said something yet or not")
    func others() {
        #expect(!TickWish.isLater([crowd, later]))
        #expect(!TickWish.isLater([later, idleForCrowd]))
        #expect(TickWish.isLater([crowd, idleForCrowd]))
    }
}
