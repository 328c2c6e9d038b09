internal import HeliographHTTP2

/// The provider token of one key: one at a time, used for 45 to 50 minutes, and never two within 20, whatever happens. Apple
/// refuses tokens that are older than an hour, and clients that change them too often.
///
/// Pure: who signs is told by `Answer.mint`.
struct ProviderTokenMachine {
    struct Token: Equatable, Sendable {
        /// The JSON Web Token.
        var text: String
        /// Counts the tokens of this machine.
        var serial: Int
        /// The key that signed it; differs after the `.p8` was replaced.
        var key: String
        var mintedAt: Moment
        /// Apple said that it is too old.
        var isExpired = false
    }

    enum Answer: Equatable {
        case use(Token)
        /// Sign one with this `iat`, then call `minted`.
        case mint(issuedAt: Int64)
        /// One is being signed.
        case minting
        /// Not before then: the last one was made just now, and Apple does not take it.
        case wait(until: MonotonicTime)
        /// A sentence for the operator.
        case noKey(String)
    }

    /// Shorter than the age at which Apple complains of too many.
    static let mintInterval: Duration = .seconds(20 * 60)
    /// Used for so long and `lifetimeSpread` of a random share; older than the sum never.
    static let lifetime: Duration = .seconds(45 * 60)
    static let lifetimeSpread: Duration = .seconds(5 * 60)
    /// The wall clock may be corrected by this much since the token was made; `iat` is wrong by it.
    static let skewMax: Int64 = 60
    /// Keys whose last mint is remembered: replacing a key and taking it back must not make a new token each time.
    static let keysMax = 8

    private(set) var token: Token?
    /// A name of the key in use, its digest; nil while none can be read.
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

    /// A token that was signed by the key in use, in an earlier run of the program.
    mutating func restored(_ text: String, issuedAt: Int64, at now: Moment) {
        let age = now.unixSeconds - issuedAt
        guard let key, token == nil, !isMinting, age >= 0, .seconds(age) < Self.lifetime else { return }
        serial += 1
        let mintedAt = Moment(instant: now.instant + .seconds(-age), unixSeconds: issuedAt)
        token = Token(text: text, serial: serial, key: key, mintedAt: mintedAt)
        lastMints.append((key, token!))
    }

    /// An old key stays in use: a file that is being replaced is not there for a moment.
    mutating func keyFailed(_ sentence: String) { trouble = sentence }

    /// `dice` in 0..<1 spreads the renewals.
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

    /// Apple said ExpiredProviderToken to the token of that serial.
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
        // A clock that jumped does not prove that Apple minds; Apple's word does.
        return token.isExpired ? .wait(until: token.mintedAt.instant + Self.mintInterval) : .use(token)
    }

    private mutating func mint(_ now: Moment) -> Answer {
        isMinting = true
        return .mint(issuedAt: now.unixSeconds)
    }
}
