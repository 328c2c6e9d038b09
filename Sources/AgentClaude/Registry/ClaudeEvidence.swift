internal import HostCore
internal import RelayProtocol

/// Evidence about one session from the session registry, and since when it holds.
///
/// Hooks and the registry race: either can be the first to report the same change, and a read can return what is about to be
/// overwritten. So nothing follows from one read; an entry counts once it has lasted for a while.
struct ClaudeEvidence: Equatable {
    private(set) var standing: ClaudeStanding?
    /// Monotonic time at which the present state was first seen.
    private(set) var seenAt: Int64 = .min
    /// Time at which the entry disappeared: the agent removes it first when it ends, and its hooks learn of that later.
    private(set) var goneAt: Int64?
    /// Time since which the entry of its process names another session.
    private(set) var replacedAt: Int64?

    /// `standing` is nil if this session has no entry; `isReplaced`: the process has one, of another session.
    mutating func saw(_ standing: ClaudeStanding?, isReplaced: Bool = false, at now: Int64) {
        replacedAt = isReplaced ? replacedAt ?? now : nil
        guard let standing else {
            if self.standing != nil { goneAt = now }
            self.standing = nil
            return
        }
        goneAt = nil
        guard standing != self.standing else { return }
        self.standing = standing
        seenAt = now
    }

    /// State that has lasted for `duration` and was first seen no earlier than `since`, the time of the last report by hooks.
    func lasting(for duration: Duration, since: Int64 = .min, at now: Int64) -> ClaudeStanding.Doing? {
        guard let standing, seenAt >= since, now - seenAt >= duration.milliseconds else { return nil }
        return standing.doing
    }
}

/// States in the registry since one question was asked: its dialog, and what came after it.
struct ClaudeDialog: Equatable {
    enum After: Equatable {
        /// The turn goes on: a person allowed, answered, or denied with words of their own.
        case busy
        /// The turn has ended: a person denied, or interrupted it.
        case idle
    }

    /// The dialog was seen at least once since the question.
    private(set) var wasOpen = false
    /// After the dialog the agent went on: what was decided then was under way.
    private(set) var wentOn = false
    private var after: After?
    private var afterSince: Int64 = .max

    /// `mayBeOver`: it was asked before we could look, so that a dialog that we never saw may have been there.
    mutating func saw(_ doing: ClaudeStanding.Doing, mayBeOver: Bool, at now: Int64) {
        switch doing {
        case .asks:
            wasOpen = true
            (after, afterSince) = (nil, .max)
        // A menu over a dialog, or none: as it was.
        case .menu, .unknown: break
        case .busy, .idle:
            guard wasOpen || mayBeOver else { return }
            if doing == .busy { wentOn = true }
            let next: After = doing == .busy ? .busy : .idle
            if after != next { afterSince = now }
            after = next
        }
    }

    /// State that followed the dialog, once it has been gone for `duration`.
    func over(for duration: Duration, at now: Int64) -> After? {
        guard let after, now >= afterSince, now - afterSince >= duration.milliseconds else { return nil }
        return after
    }
}
