import HeliographTestSupport
import RelayProtocol
import Testing

@Suite("The stages of an approval")
struct ApprovalStageTests {
    private static let decision = Fixtures.decision(.deny(message: "no"))
    private static let given = ApprovalStage.Given(decision)
    private static let delivered = ApprovalStage.Given(decision, deliveredAt: 7_500)

    /// Each with what follows the request in the bytes of old.
    private static let golden: [(stage: ApprovalStage, tail: String)] = [
        (.pending, ""),
        (.decided(decision), spelled),
        (.delivered(decision, at: 7_500), spelled + #","deliveredAt":7500"#),
        (.applied(given, .denied, at: 8_000), spelled + #","resolvedAt":8000,"outcome":"denied""#),
        (
            .applied(delivered, .denied, at: 8_000),
            spelled + #","deliveredAt":7500,"resolvedAt":8000,"outcome":"denied""#
        ),
        (.expired(nil, at: 8_000), #","resolvedAt":8000"#),
        (.expired(decision, at: 8_000), spelled + #","resolvedAt":8000"#),
        (.cancelled(nil, reason: "turnEnded", at: 8_000), #","resolvedAt":8000,"reason":"turnEnded""#),
        (.cancelled(given, reason: "turnEnded", at: 8_000), spelled + #","resolvedAt":8000,"reason":"turnEnded""#),
        (
            .cancelled(delivered, reason: "turnEnded", at: 8_000),
            spelled + #","deliveredAt":7500,"resolvedAt":8000,"reason":"turnEnded""#
        ),
        (.stale(nil, reason: "tooMany", at: 8_000), #","resolvedAt":8000,"reason":"tooMany""#),
        (.stale(given, reason: "tooMany", at: 8_000), spelled + #","resolvedAt":8000,"reason":"tooMany""#),
        (
            .stale(delivered, reason: "tooMany", at: 8_000),
            spelled + #","deliveredAt":7500,"resolvedAt":8000,"reason":"tooMany""#
        ),
    ]

    private static let spelled =
        #","decision":{"decision":"deny","message":"no","by":{"client":"client-2","name":"Ada's laptop"},"at":7000,"command":"x-1"}"#

    private static func bytes(_ word: String, _ tail: String) -> [UInt8] {
        let start = #"{"approval":"appr-1","session":"sess-1","seq":3,"stage":"\#(word)","requestedAt":5000,"request":"#
        return Array(start.utf8) + Fixtures.approval().requestBytes + Array("\(tail)}".utf8)
    }

    private static func read(_ word: String, _ tail: String) throws(WireError) -> ApprovalStage {
        try Approval(from: JSONDocument(parsing: bytes(word, tail)).root).stage
    }

    @Test("are written to the byte as before, and read again", arguments: golden.indices)
    func bytes(_ index: Int) throws {
        let (stage, tail) = Self.golden[index]
        var approval = Fixtures.approval()
        approval.stage = stage
        let bytes = Self.bytes(stage.word.rawValue, tail)
        #expect(String(decoding: approval.bytes, as: UTF8.self) == String(decoding: bytes, as: UTF8.self))
        #expect(try Self.read(stage.word.rawValue, tail) == stage)
    }

    @Test("leave out what a record says besides")
    func stray() throws {
        let all = Self.spelled + #","deliveredAt":7500,"resolvedAt":8000,"outcome":"denied","reason":"tooMany""#
        #expect(try Self.read("pending", all) == .pending)
        #expect(try Self.read("decided", all) == .decided(Self.decision))
        #expect(try Self.read("delivered", all) == .delivered(Self.decision, at: 7_500))
        #expect(try Self.read("expired", all) == .expired(Self.decision, at: 8_000))
        let undecided = #","deliveredAt":7500,"resolvedAt":8000,"reason":"tooMany""#
        #expect(try Self.read("stale", undecided) == .stale(nil, reason: "tooMany", at: 8_000))
    }

    /// The steps, in the order of life, and the stages that each may follow.
    private static let steps:
        [(name: String, step: @Sendable (inout ApprovalStage) -> Bool, follows: Set<ApprovalStage.Word>)] = [
            ("decided", { $0.becomeDecided(decision) }, [.pending]),
            ("delivered", { $0.becomeDelivered(at: 7_500) }, [.decided]),
            ("applied", { $0.becomeApplied(.denied, at: 8_000) }, [.decided, .delivered]),
            ("expired", { $0.becomeExpired(at: 8_000) }, [.pending, .decided]),
            ("cancelled", { $0.becomeCancelled(reason: "turnEnded", at: 8_000) }, [.pending, .decided, .delivered]),
            ("stale", { $0.becomeStale(reason: "tooMany", at: 8_000) }, [.pending, .decided, .delivered]),
        ]

    @Test("become what follows from them, with what was decided, and nothing else", arguments: steps.indices)
    func transitions(_ index: Int) {
        let (name, step, follows) = Self.steps[index]
        for (before, _) in Self.golden {
            var after = before
            #expect(step(&after) == follows.contains(before.word), "\(before.word) \(name)")
            guard follows.contains(before.word) else {
                #expect(after == before)
                continue
            }
            #expect(after.word.rawValue == name)
            if let given = before.given { #expect(after.given?.decision == given.decision) }
            if name != "delivered" { #expect(after.given?.deliveredAt == before.given?.deliveredAt) }
            #expect((after.resolvedAt != nil) == after.isFinal)
        }
    }
}
