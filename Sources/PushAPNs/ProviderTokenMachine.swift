internal import HeliographHTTP2

/// The provider token of one key: one at a time, used for 45 to 50 minutes, and never a second within 20. Apple refuses tokens that
/// are older than an hour, and clients that change them too often.
///
/// Pure: `Answer.mint` asks the caller to sign.
struct ProviderTokenMachine {
    struct Token: Equatable, Sendable {
        /// The JSON Web Token.
        var text: String
        /// Serial number of the token in this machine.
        var serial: Int
        /// The key that signed it; differs after the `.p8` was replaced.
        var key: String
        var mintedAt: Moment
        /// Apple refused it as expired.
        var isExpired = false
    }

    enum Answer: Equatable {
        case use(Token)
        /// Sign a token with this `iat`, then call `minted`.
        case mint(issuedAt: Int64)
        /// A token is being signed.
        case minting
        /// Wait until then: the last token is new, and Apple refuses it.
        case wait(until: MonotonicTime)
        /// No key; a sentence for the operator.
        case noKey(String)
    }

    /// Minimum interval between two tokens. Apple refuses clients that renew more often.
    static let mintInterval: Duration = .seconds(20 * 60)
    /// Time for which a token is used, plus a random share of `lifetimeSpread`.
    static let lifetime: Duration = .seconds(45 * 60)
    static let lifetimeSpread: Duration = .seconds(5 * 60)
    /// Seconds by which the wall clock may be corrected after a token was made; its `iat` is wrong by that.
    static let skewMax: Int64 = 60
    /// Keys whose last token is remembered, so that swapping keys back and forth does not make a new token each time.
    static let keysMax = 8

    private(set) var token: Token?
    /// The key in use, by its digest; nil while none could be read.
    private(set) var key: String?
    private var trouble = "the key has not been read yet"
    private var lastMints: [(key: String, token: Token)] = []
    private var serial = 0
    private var tokenLifetime = Self.lifetime
    private var isMinting = false

    // MARK: Events

    mutating func keyRead(_ key: String) {
        guard key != self.key else { return }
        self.key = key
        isMinting = false
        token = lastMints.last { $0.key == key }?.token
    }

    /// Takes a token that the key in use signed in an earlier run of the program.
    mutating func restored(_ text: String, issuedAt: Int64, at now: Moment) {
        let age = now.unixSeconds - issuedAt
        guard let key, token == nil, !isMinting, age >= 0, .seconds(age) < Self.lifetime else { return }
        serial += 1
        let mintedAt = Moment(instant: now.instant + .seconds(-age), unixSeconds: issuedAt)
        token = Token(text: text, serial: serial, key: key, mintedAt: mintedAt)
        lastMints.append((key, token!))
    }

    /// The old key stays in use: a file that is being replaced is missing for a moment.
    mutating func keyFailed(_ sentence: String) { trouble = sentence }

    /// `dice` is random in 0..<1, and spreads the renewals.
    mutating func minted(_ text: String, at now: Moment, dice: Double) {
        guard let key, isMinting else { preconditionFailure("a token was signed that nobody asked for") }
        isMinting = false
        serial += 1
        let token = Token(text: text, serial: serial, key: key, mintedAt: now)
        self.token = token
        tokenLifetime = Self.lifetime + Self.lifetimeSpread * dice
        lastMints.removeAll { $0.key == key }
        lastMints.append((key, token))
        if lastMints.count > Self.keysMax { lastMints.removeFirst() }
    }

    /// Apple answered ExpiredProviderToken to the token with this serial.
    mutating func expired(serial: Int) {
        guard token?.serial == serial else { return }
        token?.isExpired = true
        if let token, let index = lastMints.firstIndex(where: { $0.key == token.key }) { lastMints[index].token = token }
    }

    // MARK: Question

    mutating func answer(at now: Moment) -> Answer {
        guard let key else { return .noKey(trouble) }
        if isMinting { return .minting }
        guard let token, token.key == key else { return mint(now) }
        let age = token.mintedAt.instant.duration(to: now.instant)
        let wallAge = now.unixSeconds - token.mintedAt.unixSeconds
        let skew = wallAge - age.components.seconds
        if !token.isExpired, age < tokenLifetime, abs(skew) <= Self.skewMax { return .use(token) }
        if age >= Self.mintInterval { return mint(now) }
        // A wall clock that jumped does not invalidate the token; only Apple's refusal does.
        return token.isExpired ? .wait(until: token.mintedAt.instant + Self.mintInterval) : .use(token)
    }

    private mutating func mint(_ now: Moment) -> Answer {
        isMinting = true
        return .mint(issuedAt: now.unixSeconds)
    }
}
