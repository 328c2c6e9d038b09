import RelayModel

/// Limits one session's input.
struct SessionRateLimiter {
    private var messages: TokenBucket?
    private var bytes: TokenBucket?

    init(_ quotas: Quotas) {
        messages = TokenBucket(limit: quotas.messagesPerSecondPerSession)
        bytes = TokenBucket(limit: quotas.kilobytesPerSecondPerSession << 10)
    }

    /// Counts a message of `count` bytes. Returns a quota that was already exhausted; the message is then not counted. `isSpare`:
    /// leaves half of the burst to other messages.
    mutating func take(_ count: Int, isSpare: Bool = false, at now: Instant) -> Quota? {
        let now = now.uptimeNanoseconds
        if isSpare, messages?.isHalfFull(at: now) == false { return .messagesPerSecondPerSession }
        if isSpare, bytes?.isHalfFull(at: now) == false { return .kilobytesPerSecondPerSession }
        if let messages, messages.wait(at: now) > 0 { return .messagesPerSecondPerSession }
        if let bytes, bytes.wait(at: now) > 0 { return .kilobytesPerSecondPerSession }
        _ = messages?.take(1, at: now)
        _ = bytes?.take(count, at: now)
        return nil
    }
}
