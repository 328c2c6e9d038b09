internal import HeliographHTTP2

/// The token for one push service: one at a time, valid for half a day, used for half of that.
///
/// Pure: `Answer.sign` asks the caller to sign.
struct VAPIDTokenMachine {
    struct Token: Equatable, Sendable {
        var text: String
        /// Serial number of the token in this machine.
        var serial: Int
        var signedAt: MonotonicTime
        /// Seconds since 1970.
        var expiresAt: Int64
    }

    enum Answer: Equatable {
        case use(Token)
        /// Sign a token that expires then, then call `signed`.
        case sign(expiresAt: Int64)
        /// A token is being signed.
        case signing
    }

    /// RFC 8292 allows a day at most. A token of half that stays valid even if a clock is wrong by hours.
    static let lifetimeSeconds: Int64 = 12 * 60 * 60
    private static let use: Duration = .seconds(6 * 60 * 60)
    /// Change of a token's remaining life beyond which the clock must have been set since it was signed.
    private static let clockSkewMax: Int64 = 60 * 60
    /// Minimum interval between two tokens, as Apple asks for.
    static let renewalInterval: Duration = .seconds(60 * 60)

    /// Stands for a token if nothing is signed.
    static let none = Token(text: "", serial: 0, signedAt: MonotonicTime(nanoseconds: 0), expiresAt: 0)

    private var token: Token?
    private var serial = 0
    private var isSigning = false
    /// Expiry of the token that is being signed.
    private var expiresAt: Int64 = 0

    mutating func answer(at now: Moment) -> Answer {
        if isSigning { return .signing }
        if let token, isGood(token, now) { return .use(token) }
        isSigning = true
        expiresAt = now.unixSeconds + Self.lifetimeSeconds
        return .sign(expiresAt: expiresAt)
    }

    mutating func signed(_ text: String, at now: Moment) {
        guard isSigning else { preconditionFailure("a token was signed that nobody asked for") }
        isSigning = false
        serial += 1
        token = Token(text: text, serial: serial, signedAt: now.instant, expiresAt: expiresAt)
    }

    /// The service refused the token with this serial. Returns true if a newer one is worth another attempt.
    mutating func refused(serial: Int, at now: Moment) -> Bool {
        guard let token, token.serial == serial else { return true }
        guard token.signedAt.duration(to: now.instant) >= Self.renewalInterval else { return false }
        self.token = nil
        return true
    }

    private func isGood(_ token: Token, _ now: Moment) -> Bool {
        let age = token.signedAt.duration(to: now.instant)
        let skew = token.expiresAt - Self.lifetimeSeconds + age.components.seconds - now.unixSeconds
        return age < Self.use && abs(skew) <= Self.clockSkewMax
    }
}
