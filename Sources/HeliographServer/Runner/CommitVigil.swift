import Foundation
import RelayCore

/// For how long the loop looks for the end of a commit instead of sleeping.
///
/// A person or an agent waits for a step of an approval, and for a command. Where a disk takes these in a fraction of a millisecond, waking a processor
/// that sleeps is a tenth of that; where it takes longer, it is nothing that counts. So the loop stays awake for such a commit, for as long as the last of
/// its kind lets expect, and only where that was short. Whatever comes meanwhile is served as always. A processor spends half a millisecond more on a
/// decision at the most.
struct CommitVigil {
    /// The disk's thread needs one of its own.
    private let hasProcessors: Bool
    /// Somebody waits for the commit under way.
    private var isAwaited = false
    /// What the last that somebody waited for took; nil: there was none.
    private var lastNanoseconds: Int64?

    init(processors: Int = ProcessInfo.processInfo.activeProcessorCount) { hasProcessors = processors > 1 }

    /// A commit begins. For how many nanoseconds to stay awake at most.
    mutating func begins(isAwaited: Bool) -> Int64 {
        self.isAwaited = isAwaited
        guard isAwaited, hasProcessors, let lastNanoseconds, lastNanoseconds <= Self.nanosecondsMax else { return 0 }
        return min(2 * lastNanoseconds, Self.nanosecondsMax)
    }

    /// It has ended, either way.
    mutating func ended(in nanoseconds: Int64) {
        if isAwaited { lastNanoseconds = max(0, nanoseconds) }
        isAwaited = false
    }

    /// Longer is not waited for.
    static let nanosecondsMax: Int64 = 500_000
}

extension LogBatch {
    /// A person or an agent waits for it: it holds a step of an approval, or a command.
    var isAwaited: Bool { !commands.isEmpty || appends.contains { !$0.approvals.isEmpty } }
}
