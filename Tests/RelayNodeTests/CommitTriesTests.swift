import RelayCore
import RelayNode
import Testing

/// Results of a batch's attempts, given the store's errors.
@Suite struct CommitTriesTests {
    /// Fails with one error after the other, each after the ordered wait, or 250 ms.
    private func end(_ codes: [LogError.Code]) -> String {
        var now: Int64 = 7
        var tries = CommitTries(at: now)
        for code in codes {
            switch tries.failed(LogError(code, "no"), at: now) {
            case .again(let wait): now += wait
            case .ended(.committed): return "committed"
            case .ended(.refused(let reason)): return "refused: \(reason)"
            case .ended(.unknown(let reason)): return "unknown: \(reason)"
            }
        }
        return "tried until \(now)"
    }

    @Test(
        arguments: [.full, .unfit, .damaged(.record), .unreachable(isPassing: true), .unreachable(isPassing: false)]
            as [LogError.Code])
    func `a batch of which nothing was written is refused`(_ code: LogError.Code) {
        #expect(end([code]) == "refused: no")
    }

    @Test(arguments: [.full, .unfit, .damaged(.store), .unreachable(isPassing: false)] as [LogError.Code])
    func `after a doubt nothing is refused: an earlier attempt may have written it`(_ code: LogError.Code) {
        #expect(end([.inDoubt, code]) == "unknown: no")
    }

    @Test(arguments: [.conflict, .fenced] as [LogError.Code])
    func `a contradiction leaves the store's content unknown at once`(_ code: LogError.Code) {
        #expect(end([code]) == "unknown: no")
        #expect(end([.inDoubt, code]) == "unknown: no")
    }

    @Test func `a doubt is tried again, also when the store is away for a moment`() {
        #expect(end([.inDoubt]) == "tried until 257")
        #expect(end([.inDoubt, .unreachable(isPassing: true), .inDoubt]) == "tried until 757")
    }

    @Test func `a store that stays in doubt is given up after two seconds`() {
        let tries = Int(CommitTries.patience / CommitTries.interval)
        #expect(end(Array(repeating: .inDoubt, count: tries)) == "tried until 2007")
        #expect(end(Array(repeating: .inDoubt, count: tries + 1)) == "unknown: no")
    }
}
