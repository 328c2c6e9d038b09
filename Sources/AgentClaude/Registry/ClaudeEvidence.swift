internal import HostCore
internal import RelayProtocol

/// What the session registry has shown of one session, and since when.
///
/// Hooks and the registry race: either can be the first to tell of the same change, and a read can find what is about to be
/// written over. So nothing follows from one look; what was read counts once it has stood for a while.
struct ClaudeEvidence: Equatable {
    private(set) var standing: ClaudeStanding?
    /// By the clock that never jumps: when the present state was first seen.
    private(set) var seenAt: Int64 = .min
    /// When the entry went away: the agent removes it as the first thing when it ends, and its hooks hear of that later.
    private(set) var goneAt: Int64?
    /// Since when the entry of its process has named another session.
    private(set) var replacedAt: Int64?

    /// Nil where there is no entry of this session; `isReplaced`: there is one, of another.
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

    /// What has stood for so long, and is no older than `since`, which hooks told.
    func lasting(for duration: Duration, since: Int64 = .min, at now: Int64) -> ClaudeStanding.Doing? {
        guard let standing, seenAt >= since, now - seenAt >= duration.milliseconds else { return nil }
        return standing.doing
    }
}

/// What the registry has shown since one question was asked: its dialog, and what came after it.
struct ClaudeDialog: Equatable {
    enum After: Equatable {
        /// The turn goes on: somebody said yes, answered, or said no with words of their own.
        case busy
        /// The turn is over: somebody said no, or interrupted it.
        case idle
    }

    /// At least once since it was asked.
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

    /// What followed the dialog, once it has been gone for so long.
    func over(for duration: Duration, at now: Int64) -> After? {
        guard let after, now >= afterSince, now - afterSince >= duration.milliseconds else { return nil }
        return after
    }
}
