import Testing
import WebSocketEngine

@testable import HeliographServer

/// Reads of the store that many ask for.
@Suite struct PacedReadsTests {
    /// A store that is read when the test says so.
    private final class Store {
        var reads: [(Bool) -> Void] = []
        var answered: [Int] = []
        /// Who asked for each reading that failed.
        var unread: [Int] = []
    }

    private final class Stage {
        let store = Store()
        let reads: PacedReads

        init(_ loop: EventLoop, interval: Duration) {
            let store = store
            reads = PacedReads(loop: loop, interval: interval) { store.reads.append($0) }
        }

        func ask(_ number: Int) {
            reads.askInTime { [store] wasRead in
                store.answered.append(number)
                if !wasRead { store.unread.append(number) }
            }
        }
    }

    @Test func `what many ask for within a second is one read, and each is answered by one that began after it`() async throws {
        let loop = try await TestLoop.start()
        let stage = try await loop.make { Stage($0, interval: .seconds(3_600)) }
        try await loop.run { _ in
            let (stage, store) = (stage.value, stage.value.store)
            stage.ask(0)
            #expect(store.reads.count == 1, "nobody has asked before")
            for number in 1...20 { stage.ask(number) }
            stage.reads.askInTime()
            #expect(store.reads.count == 1)
            store.reads[0](true)
            #expect(store.answered == [0])
            // The database says that something changed.
            stage.reads.readNow()
            #expect(store.reads.count == 2)
            store.reads[1](false)
            #expect(store.answered == Array(0...20))
            #expect(store.unread == Array(1...20), "that the store could not be read is told")
        }
    }

    @Test func `who waits is answered when the time is over, without anybody else`() async throws {
        let loop = try await TestLoop.start()
        let stage = try await loop.make { loop in
            let stage = Stage(loop, interval: .milliseconds(20))
            stage.ask(0)
            stage.ask(1)
            #expect(stage.store.reads.count == 1)
            return stage
        }
        while try await loop.run({ _ in stage.value.store.reads.count }) < 2 { try await Task.sleep(for: .milliseconds(5)) }
        try await loop.run { _ in
            stage.value.store.reads[1](true)
            #expect(stage.value.store.answered == [1], "the first read has not ended")
        }
    }

    @Test func `no more wait than may, and those above are answered at once`() async throws {
        let loop = try await TestLoop.start()
        let stage = try await loop.make { Stage($0, interval: .seconds(3_600)) }
        try await loop.run { _ in
            let stage = stage.value
            stage.reads.readNow()
            for number in 0...PacedReads.waitingMax { stage.ask(number) }
            #expect(stage.store.answered == [PacedReads.waitingMax] && stage.store.unread == stage.store.answered)
        }
    }

    @Test func `those who wait for reads under way count, too, however long these take`() async throws {
        let loop = try await TestLoop.start()
        let stage = try await loop.make { Stage($0, interval: .seconds(3_600)) }
        try await loop.run { _ in
            let (stage, store) = (stage.value, stage.value.store)
            for number in 0..<PacedReads.waitingMax {
                stage.ask(number)
                // Reads at once, as when the database reports a change.
                if number.isMultiple(of: 64) { stage.reads.readNow() }
            }
            #expect(store.answered.isEmpty)
            stage.ask(1_000)
            #expect(store.answered == [1_000] && store.unread == [1_000], "there is no place before one of them has ended")
            store.reads[0](true)
            #expect(store.answered == [1_000, 0])
            stage.ask(1_001)
            stage.ask(1_002)
            #expect(store.answered == [1_000, 0, 1_002], "one place became free")
        }
    }

    @Test func `a store that could not be read is read again, though nobody asks`() async throws {
        let loop = try await TestLoop.start()
        let stage = try await loop.make { loop in
            let stage = Stage(loop, interval: .milliseconds(20))
            stage.reads.readNow()
            stage.store.reads[0](false)
            #expect(stage.store.reads.count == 1, "not at once")
            return stage
        }
        while try await loop.run({ _ in stage.value.store.reads.count }) < 2 { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test func `only requests that change who may come in are followed by a read`() {
        func changes(_ method: String, _ path: String) -> Bool {
            Routes.changesEntrants(HTTPRequest(method: method, path: path, headers: [], body: [], peer: .ip("127.0.0.1")))
        }
        #expect(changes("POST", "/v1/pair") && changes("POST", "/v1/logout") && changes("POST", "/v1/admin/reload"))
        #expect(changes("POST", "/v1/tokens/t_1/revoke") && changes("POST", "/v1/tokens/t_1/rename"))
        #expect(!changes("POST", "/v1/decisions/a1") && !changes("PUT", "/v1/devices/d1") && !changes("GET", "/v1/tokens"))
        #expect(!changes("POST", "/v1/pictures") && !changes("POST", "/v1/admin/push"))
    }
}
