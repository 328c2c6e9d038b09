import Testing
import WebSocketEngine

@testable import HeliographServer

/// Codes from addresses that guess, as opposed to right ones.
@Suite struct OpenPairingCodesTests {
    private final class Stage {
        /// Reads of the store that have not ended.
        var reads: [(Set<[UInt8]>?) -> Void] = []
        var answers: [Bool] = []
        private(set) var codes: OpenPairingCodes!

        init(_ loop: EventLoop, interval: Duration = .seconds(3_600)) {
            codes = OpenPairingCodes(loop: loop, interval: interval) { [unowned self] in reads.append($0) }
        }

        func show(_ code: UInt8) { codes.take([code]) { self.answers.append($0) } }
    }

    @Test func `a thousand guesses are one read, and a right code among them is found`() async throws {
        let loop = try await TestLoop.start()
        let stage = try await loop.make { Stage($0) }
        try await loop.run { _ in
            let stage = stage.value
            stage.show(7)
            #expect(stage.reads.count == 1 && stage.answers.isEmpty)
            stage.reads[0]([[7], [8]])
            #expect(stage.answers == [true])
            // A code that was read stays known, however many others are guessed.
            for _ in 0..<1_000 { stage.show(9) }
            stage.show(8)
            #expect(stage.reads.count == 1)
            #expect(stage.answers.count { $0 } == 2)
        }
    }

    @Test func `a code that was shown counts again only when the codes have been read again`() async throws {
        let loop = try await TestLoop.start()
        let stage = try await loop.make { Stage($0) }
        try await loop.run { _ in
            let stage = stage.value
            stage.show(9)
            stage.reads[0]([[7]])
            for _ in 0..<3 { stage.show(7) }
            #expect(stage.reads.count == 1)
            #expect(stage.answers == [false, true], "the others wait for the next read")
        }
    }

    @Test func `where the codes cannot be read, none is taken for open`() async throws {
        let loop = try await TestLoop.start()
        let stage = try await loop.make { Stage($0) }
        try await loop.run { _ in
            let stage = stage.value
            stage.show(7)
            stage.reads[0](nil)
            #expect(stage.answers == [false])
        }
    }
}
