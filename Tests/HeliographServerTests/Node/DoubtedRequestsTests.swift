import Testing
import WebSocketEngine

@testable import HeliographServer

/// Requests with a token that a node does not know yet.
@Suite struct DoubtedRequestsTests {
    /// A store that is read when the test says so, at once when it is asked for.
    private final class Stage {
        var reads: [(Bool) -> Void] = []
        var answered: [UInt64] = []
        private(set) var doubted: DoubtedRequests!
        private(set) var entrants: PacedReads!

        init(_ loop: EventLoop) {
            entrants = PacedReads(loop: loop, interval: .zero) { [unowned self] in reads.append($0) }
            doubted = DoubtedRequests(entrants)
        }

        func keep(_ number: UInt64, bodyBytes: Int = 0) -> Bool {
            let request = HTTPRequest(
                method: "POST", path: "/", headers: [], body: Array(repeating: 0, count: bodyBytes), peer: .ip("127.0.0.1"))
            return doubted.keep(request, HTTPRequestID(rawValue: number)) { [unowned self] kept, _ in
                #expect(kept.body.count == bodyBytes)
                answered.append(number)
            }
        }
    }

    private func onStage(_ body: @escaping @Sendable (Stage) -> Void) async throws {
        let loop = try await TestLoop.start()
        let stage = try await loop.make { Stage($0) }
        try await loop.run { _ in body(stage.value) }
    }

    @Test func `all that wait are counted together, whichever read they wait for`() async throws {
        try await onStage { stage in
            for number in 1...UInt64(PacedReads.waitingMax) { #expect(stage.keep(number)) }
            #expect(stage.reads.count == PacedReads.waitingMax, "each waits for a read of its own")
            #expect(!stage.keep(1_000))
            stage.reads[0](true)
            #expect(stage.answered == [1] && stage.keep(1_001) && !stage.keep(1_002))
        }
    }

    @Test func `so are their bytes`() async throws {
        try await onStage { stage in
            let half = DoubtedRequests.bytesMax / 2
            // A path of one byte comes to each.
            #expect(stage.keep(1, bodyBytes: half - 1) && !stage.keep(2, bodyBytes: half) && stage.keep(3, bodyBytes: half - 1))
            #expect(!stage.keep(4))
            stage.reads[0](false)
            #expect(stage.answered == [1] && stage.keep(5, bodyBytes: half - 1))
        }
    }

    @Test func `a request whose client has gone holds nothing, and goes nowhere when the read has ended`() async throws {
        try await onStage { stage in
            #expect(stage.keep(1, bodyBytes: DoubtedRequests.bytesMax - 1) && !stage.keep(2))
            stage.doubted.drop(HTTPRequestID(rawValue: 1))
            stage.doubted.drop(HTTPRequestID(rawValue: 9))
            #expect(stage.keep(3, bodyBytes: DoubtedRequests.bytesMax - 1))
            for read in stage.reads { read(true) }
            #expect(stage.answered == [3])
        }
    }
}
