import RelayCore
import RelayProtocol
import WebSocketEngine

/// Limits the input per second of one token, one address, or one workspace. Shared by all its connections.
final class RateLimiter {
    /// The limit that was reached, named like its setting.
    enum Limit: String, Sendable, CaseIterable {
        case messagesPerSecondPerHost, kilobytesPerSecondPerHost
        case messagesPerSecondPerClient, kilobytesPerSecondPerClient
        case messagesPerSecondPerAddress, kilobytesPerSecondPerAddress
        case messagesPerSecondPerWorkspace, kilobytesPerSecondPerWorkspace
        /// Not a rate: reading resumes when the disk has caught up.
        case uncommittedMegabytes
    }

    /// A pause in reading, and its reason.
    struct Delay: Equatable {
        /// Length of the pause, in nanoseconds.
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

    /// Counts a message. `now`: nanoseconds of a clock that never jumps. Returns the pause that is due, or nil.
    func took(_ count: Int, at now: Int64) -> Delay? {
        let (forMessages, forBytes) = buckets.take(count, at: now)
        guard max(forMessages, forBytes) > 0 else { return nil }
        return forMessages >= forBytes
            ? Delay(wait: forMessages, limit: messagesLimit) : Delay(wait: forBytes, limit: bytesLimit)
    }

    /// True if everything that was taken has been refilled.
    func isFull(at now: Int64) -> Bool { buckets.isFull(at: now) }

    /// True if a notice about the throttling should be sent now.
    func isNoticeDue(at now: Int64) -> Bool {
        if let toldAt, now - toldAt < ServerLimits.noticeInterval.components.seconds * 1_000_000_000 { return false }
        toldAt = now
        return true
    }
}

/// In one value, as both are counted with every message: with each access to a property of an object, the runtime checks that it is
/// not being changed already.
private struct Buckets {
    var messages: TokenBucket?
    var bytes: TokenBucket?

    /// Counts a message of this many bytes; returns the wait for each of the two buckets.
    mutating func take(_ count: Int, at now: Int64) -> (forMessages: Int64, forBytes: Int64) {
        (messages?.take(1, at: now) ?? 0, bytes?.take(count, at: now) ?? 0)
    }

    func isFull(at now: Int64) -> Bool { messages?.isFull(at: now) ?? true && bytes?.isFull(at: now) ?? true }
}

/// All rate limiters that apply to a connection.
struct ConnectionRates {
    let own: RateLimiter
    let ofWorkspace: RateLimiter
    /// Nil if the connection counts to no address.
    let ofAddress: RateLimiter?

    /// Counts a message with all limiters; returns the longest pause.
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

/// The rate limiters of all tokens, workspaces and addresses seen. They outlive connections, so that reconnecting does not reset a
/// limit. There are as many as tokens, and at most `ServerLimits.addressesMax` for addresses, plus those of connections.
final class RateLimiters {
    private let limits: ServerLimits
    private var ofTokens: [String: RateLimiter] = [:]
    private var ofWorkspaces: [WorkspaceID: RateLimiter] = [:]
    private var ofAddresses: [Peer: RateLimiter] = [:]

    init(_ limits: ServerLimits) { self.limits = limits }

    /// `address`: the one that the connection counts to; nil: none. `now`: as for `RateLimiter.took`.
    func rates(of token: Token, at address: Peer?, _ now: Int64) -> ConnectionRates {
        let own = ofTokens[token.id] ?? (token.role == .host ? .ofHost(limits) : .ofClient(limits))
        ofTokens[token.id] = own
        let ofWorkspace = ofWorkspaces[token.workspace] ?? .ofWorkspace(limits)
        ofWorkspaces[token.workspace] = ofWorkspace
        return ConnectionRates(own: own, ofWorkspace: ofWorkspace, ofAddress: address.map { rateLimiter(of: $0, now) })
    }

    private func rateLimiter(of address: Peer, _ now: Int64) -> RateLimiter {
        if let known = ofAddresses[address] { return known }
        // A connected peer keeps using the limiter that it has.
        if ofAddresses.count >= ServerLimits.addressesMax { ofAddresses = ofAddresses.filter { !$0.value.isFull(at: now) } }
        let rateLimiter = RateLimiter.ofAddress(limits)
        ofAddresses[address] = rateLimiter
        return rateLimiter
    }
}
