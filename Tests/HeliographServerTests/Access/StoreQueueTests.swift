import Dispatch
import Synchronization
import Testing
import WebSocketEngine

@testable import HeliographServer

/// A store that takes as long as the test wants.
private final class SlowStore: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let log = Mutex<[String]>([])

    var done: [String] { log.withLock { $0 } }

    func open(_ times: Int = 1) { for _ in 0..<times { gate.signal() } }

    func ask(_ name: String) -> String {
        gate.wait()
        log.withLock { $0.append(name) }
        return name
    }
}

private final class Answers: Sendable {
    private let list = Mutex<[String]>([])
    private let (stream, continuation) = AsyncStream<String>.makeStream()

    var all: [String] { list.withLock { $0 } }

    func note(_ text: String) {
        list.withLock { $0.append(text) }
        continuation.yield(text)
    }

    func note(_ result: Result<String, any Error>) {
        switch result {
        case .success(let name): note(name)
        case .failure(let error): note("\(error)")
        }
    }

    /// Waits until there are `count` events.
    func wait(for count: Int) async {
        guard all.count < count else { return }
        for await _ in stream where all.count >= count { return }
    }
}

@Suite struct StoreQueueTests {
    private let store = SlowStore()
    private let answers = Answers()

    @Test func `a store that hangs holds up those who ask it, so many of each caller, and not the loop`() async throws {
        let loop = try await TestLoop.start()
        let queue = try await loop.make { StoreQueue(loop: $0) }
        let (store, answers) = (store, answers)
        let waitingMax = StoreQueue.Turns.perCallerMax
        try await loop.run { _ in
            // The first is under way, and what is one too many is refused.
            for number in 0...waitingMax + 1 {
                queue.value.perform(.list, for: .address("192.0.2.1"), { store.ask("\(number)") }) { answers.note($0) }
            }
            queue.value.perform(.change, for: .address("192.0.2.2"), { store.ask("another's") }) { answers.note($0) }
        }
        #expect(answers.all == ["tooMany"])
        store.open(waitingMax + 2)
        await answers.wait(for: waitingMax + 3)
        #expect(answers.all.dropFirst() == ["0", "another's", "1", "2", "3", "4"])
    }

    @Test func `who waits too long is told whether it was begun, and what has not begun never is`() async throws {
        let loop = try await TestLoop.start()
        let queue = try await loop.make { StoreQueue(loop: $0, patience: .milliseconds(20)) }
        let (store, answers) = (store, answers)
        try await loop.run { _ in
            for name in ["first", "second"] {
                queue.value.perform(
                    .change, for: .relay, { store.ask(name) }, ended: { answers.note($0.map { "ended " + $0 }) }
                ) { answers.note($0) }
            }
        }
        await answers.wait(for: 2)
        #expect(answers.all == ["unknown", "late"])
        store.open()
        await answers.wait(for: 4)
        #expect(answers.all == ["unknown", "late", "ended first", "late"])
        #expect(store.done == ["first"])
    }

    @Test func `the end waits for what is under way, and not for ever`() async throws {
        let loop = try await TestLoop.start()
        let queue = try await loop.make { StoreQueue(loop: $0) }
        let (store, answers) = (store, answers)
        let isHeld = try await loop.run { _ in
            queue.value.perform(.change, for: .relay, { store.ask("first") }) { answers.note($0) }
            return !queue.value.finish { _ = store.ask("last") }
        }
        #expect(isHeld && store.done.isEmpty)
        store.open(3)
        #expect(try await loop.run { _ in queue.value.finish { _ = store.ask("again") } })
        #expect(store.done == ["first", "last", "again"])
    }
}
