import RelayModel

/// How much of one session is taken in.
struct SessionRateLimiter {
    private var messages: TokenBucket?
    private var bytes: TokenBucket?

    init(_ quotas: Quotas) {
        messages = TokenBucket(limit: quotas.messagesPerSecondPerSession)
        bytes = TokenBucket(limit: quotas.kilobytesPerSecondPerSession << 10)
    }

    /// Counts a message of so many bytes. What is returned has been used up before it, and it counts for nothing.
    mutating func take(_ count: Int, at now: Instant) -> Quota? {
        let now = now.uptimeNanoseconds
        if let messages, messages.wait(at: now) > 0 { return .messagesPerSecondPerSession }
        if let bytes, bytes.wait(at: now) > 0 { return .kilobytesPerSecondPerSession }
        _ = messages?.take(1, at: now)
        _ = bytes?.take(count, at: now)
        return nil
    }
}
