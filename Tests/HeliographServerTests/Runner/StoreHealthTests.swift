import RelayCore
import RelayProtocol
import StoreTestSupport
import Synchronization
import Testing
import WebSocketEngine

@testable import HeliographServer

/// How a relay reports that its store accepts writes.
@Suite struct StoreHealthTests {
    /// A store with room, that takes nothing until it may.
    private final class Upkeep: StoreUpkeep {
        let takes = Mutex(false)
        let asked = Mutex(0)
        var byteCount: Int64 { 0 }
        var isShortOfRoom: Bool { false }
        var takesWrites: Bool { true }
        var damagedRecords: [DamagedRecord] { [] }
        func keepRoom() -> Bool { true }
        func wouldTake(bytes: Int) -> Bool {
            asked.withLock { $0 += 1 }
            return takes.withLock { $0 }
        }
        func checkEverything() throws(LogError) -> [DamagedRecord]? { [] }
        func backUp(to file: String, replacing: Bool, with texts: [String: String]) throws(LogError) -> Int64 { 0 }
    }

    private final class Stage {
        let upkeep = Upkeep()
        let commits = CommitQueue(InMemoryStore(epoch: Epoch("e1")!, workspaces: []))
        let health: StoreHealth

        init(_ loop: EventLoop) {
            health = StoreHealth(upkeep, commits, loop, silent)
            health.start()
        }
    }

    @Test func `a batch that does not come to its end is a store that takes no writes`() async throws {
        let loop = try await TestLoop.start()
        let stage = try await loop.make { Stage($0) }
        try await loop.run { _ in
            let (health, now) = (stage.value.health, ContinuousClock.now)
            #expect(health.takesWrites && !health.isStuck(at: now))
            health.batchBegun(at: now)
            #expect(!health.isStuck(at: now + .seconds(9)))
            #expect(health.isStuck(at: now + StoreHealth.commitMax))
            health.batchBegun(at: now - StoreHealth.commitMax)
            #expect(!health.takesWrites)
            health.batchEnded()
            #expect(health.takesWrites && !health.isStuck(at: now + .seconds(3_600)))
            health.stop()
        }
    }

    @Test func `a store that was given up takes writes again once it has shown that it does`() async throws {
        let loop = try await TestLoop.start()
        let stage = try await loop.make { Stage($0) }
        try await loop.run { _ in
            stage.value.health.givenUp()
            stage.value.health.readAnew()
        }
        let (upkeep, commits) = try await loop.run { _ in (stage.value.upkeep, stage.value.commits) }
        commits.finish()
        try await loop.settle()
        #expect(upkeep.asked.withLock { $0 } == 1)
        #expect(try await loop.run { _ in !stage.value.health.takesWrites }, "what can be read cannot be written yet")
        upkeep.takes.withLock { $0 = true }
        try await loop.run { _ in stage.value.health.readAnew() }
        commits.finish()
        try await loop.settle()
        #expect(try await loop.run { _ in stage.value.health.takesWrites })
        try await loop.run { _ in stage.value.health.stop() }
    }
}
