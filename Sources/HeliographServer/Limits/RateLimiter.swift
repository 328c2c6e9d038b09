import RelayCore
import RelayProtocol
import WebSocketEngine

/// Limits the bytes read of one token's owner, of one address, or of one workspace, a second. Shared by all its connections.
final class RateLimiter {
    /// Named after the settings.
    enum Limit: String, Sendable, CaseIterable {
        case messagesPerSecondPerHost, kilobytesPerSecondPerHost
        case messagesPerSecondPerClient, kilobytesPerSecondPerClient
        case messagesPerSecondPerAddress, kilobytesPerSecondPerAddress
        case messagesPerSecondPerWorkspace, kilobytesPerSecondPerWorkspace
        /// Not a rate: more is read when the disk has taken some.
        case uncommittedMegabytes
    }

    /// For how long to read no further, and why.
    struct Delay: Equatable {
        /// In nanoseconds.
        var wait: Int64
        var limit: Limit
    }

    private var buckets: Buckets
    private let messagesLimit: Limit
    private let bytesLimit: Limit
    private var toldAt: Int64?

    private init(_ messages: (Limit, Int), _ kilobytes: (Limit, Int)) {
        (messagesLimit, bytesLimit) = (messages.0, kilobytes.0)
        buckets = Buckets(messages: TokenBucket(limit: messages.1), bytes: TokenBucket(limit: kilobytes.1 << 10))
    }

    static func ofHost(_ limits: ServerLimits) -> RateLimiter {
        RateLimiter(
            (.messagesPerSecondPerHost, limits.messagesPerSecondPerHost),
            (.kilobytesPerSecondPerHost, limits.kilobytesPerSecondPerHost))
    }

    static func ofClient(_ limits: ServerLimits) -> RateLimiter {
        RateLimiter(
            (.messagesPerSecondPerClient, limits.messagesPerSecondPerClient),
            (.kilobytesPerSecondPerClient, limits.kilobytesPerSecondPerClient))
    }

    static func ofAddress(_ limits: ServerLimits) -> RateLimiter {
        RateLimiter(
            (.messagesPerSecondPerAddress, limits.messagesPerSecondPerAddress),
            (.kilobytesPerSecondPerAddress, limits.kilobytesPerSecondPerAddress))
    }

    static func ofWorkspace(_ limits: ServerLimits) -> RateLimiter {
        RateLimiter(
            (.messagesPerSecondPerWorkspace, limits.messagesPerSecondPerWorkspace),
            (.kilobytesPerSecondPerWorkspace, limits.kilobytesPerSecondPerWorkspace))
    }

    /// Counts a message, at a moment of a clock that never jumps, in nanoseconds. Nil: go on.
    func took(_ count: Int, at now: Int64) -> Delay? {
        let (forMessages, forBytes) = buckets.take(count, at: now)
        guard max(forMessages, forBytes) > 0 else { return nil }
        return forMessages >= forBytes
            ? Delay(wait: forMessages, limit: messagesLimit) : Delay(wait: forBytes, limit: bytesLimit)
    }

    /// Nothing was taken that is not there again.
    func isFull(at now: Int64) -> Bool { buckets.isFull(at: now) }

    /// True if its owner should be told now that it is slowed.
    func isNoticeDue(at now: Int64) -> Bool {
        if let toldAt, now - toldAt < ServerLimits.noticeInterval.components.seconds * 1_000_000_000 { return false }
        toldAt = now
        return true
    }
}

/// Together, as both are counted with every message: each time that one of an object is reached the runtime asks whether it is being
/// changed already.
private struct Buckets {
    var messages: TokenBucket?
    var bytes: TokenBucket?

    /// A message of so many bytes; how long to wait for each of the two.
    mutating func take(_ count: Int, at now: Int64) -> (forMessages: Int64, forBytes: Int64) {
        (messages?.take(1, at: now) ?? 0, bytes?.take(count, at: now) ?? 0)
    }

    func isFull(at now: Int64) -> Bool { messages?.isFull(at: now) ?? true && bytes?.isFull(at: now) ?? true }
}

/// All that a connection counts for.
struct ConnectionRates {
    let own: RateLimiter
    let ofWorkspace: RateLimiter
    /// Nil if it counts for none.
    let ofAddress: RateLimiter?

    /// Counts a message for all; the longest wait counts.
    func took(_ count: Int, at now: Int64) -> RateLimiter.Delay? {
        let longer = Self.longer(own.took(count, at: now), ofWorkspace.took(count, at: now))
        guard let ofAddress else { return longer }
        return Self.longer(longer, ofAddress.took(count, at: now))
    }

    private static func longer(_ one: RateLimiter.Delay?, _ other: RateLimiter.Delay?) -> RateLimiter.Delay? {
        guard let one, let other else { return one ?? other }
        return one.wait >= other.wait ? one : other
    }
}

/// Those of all tokens, workspaces and addresses that were seen. They outlast connections: who comes back has saved up nothing by that.
/// There are as many as tokens, and as many addresses as `ServerLimits.addressesMax` and connections.
final class RateLimiters {
    private let limits: ServerLimits
    private var ofTokens: [String: RateLimiter] = [:]
    private var ofWorkspaces: [WorkspaceID: RateLimiter] = [:]
    private var ofAddresses: [Peer: RateLimiter] = [:]

    init(_ limits: ServerLimits) { self.limits = limits }

    /// `address` is what it counts for; nil: nothing. Moments are as `RateLimiter.took` has them.
    func rates(of token: Token, at address: Peer?, _ now: Int64) -> ConnectionRates {
        let own = ofTokens[token.id] ?? (token.role == .host ? .ofHost(limits) : .ofClient(limits))
        ofTokens[token.id] = own
        let ofWorkspace = ofWorkspaces[token.workspace] ?? .ofWorkspace(limits)
        ofWorkspaces[token.workspace] = ofWorkspace
        return ConnectionRates(own: own, ofWorkspace: ofWorkspace, ofAddress: address.map { rateLimiter(of: $0, now) })
    }

    private func rateLimiter(of address: Peer, _ now: Int64) -> RateLimiter {
        if let known = ofAddresses[address] { return known }
        // A connected peer goes on with the one that it has.
        if ofAddresses.count >= ServerLimits.addressesMax { ofAddresses = ofAddresses.filter { !$0.value.isFull(at: now) } }
        let rateLimiter = RateLimiter.ofAddress(limits)
        ofAddresses[address] = rateLimiter
        return rateLimiter
    }
}
