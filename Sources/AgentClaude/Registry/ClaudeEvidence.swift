internal import HostCore
internal import RelayProtocol

/// Evidence about one session from the session registry, and the time since which it holds.
///
/// Hooks and the registry race: either can be the first to report the same change, and a read can return content that is about to
/// be overwritten. So one read proves nothing; an entry counts once it has lasted for a while.
struct ClaudeEvidence: Equatable {
    private(set) var standing: ClaudeStanding?
    /// Monotonic time at which the present state was first seen.
    private(set) var seenAt: Int64 = .min
    /// Time at which the entry disappeared. An ending agent removes it first; its hooks are called later.
    private(set) var goneAt: Int64?
    /// Time since which the registry entry of the session's process names another session.
    private(set) var replacedAt: Int64?

    /// Takes a reading. `standing`: nil if this session has no entry. `isReplaced`: its process has the entry of another session.
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

    /// State that has lasted for `duration` both since it was first seen and since `time`.
    func lastingAlso(since time: Int64, for duration: Duration, at now: Int64) -> ClaudeStanding.Doing? {
        guard let standing, now - max(seenAt, time) >= duration.milliseconds else { return nil }
        return standing.doing
    }
}

/// States in the registry since one question was asked: of its dialog, and after it.
struct ClaudeDialog: Equatable {
    enum After: Equatable {
        /// The turn continues: a person allowed, answered, or denied with words of their own.
        case busy
        /// The turn has ended: a person denied, or interrupted it.
        case idle
    }

    /// True if the dialog was seen at least once since the question.
    private(set) var wasOpen = false
    /// True if the agent continued after the dialog, so that the allowed call was under way.
    private(set) var wentOn = false
    private var after: After?
    private var afterSince: Int64 = .max

    /// Takes a reading. `mayBeOver`: the question is older than our first look, so a dialog may have come and gone unseen.
    mutating func saw(_ doing: ClaudeStanding.Doing, mayBeOver: Bool, at now: Int64) {
        switch doing {
        case .asks:
            wasOpen = true
            (after, afterSince) = (nil, .max)
        // A menu hides whether there is a dialog, so nothing changes.
        case .menu, .unknown: break
        case .busy, .idle:
            guard wasOpen || mayBeOver else { return }
            if doing == .busy { wentOn = true }
            let next: After = doing == .busy ? .busy : .idle
            if after != next { afterSince = now }
            after = next
        }
    }

    /// The state after the dialog, once the dialog has been gone for `duration`.
    func over(for duration: Duration, at now: Int64) -> After? {
        guard let after, now >= afterSince, now - afterSince >= duration.milliseconds else { return nil }
        return after
    }
}
