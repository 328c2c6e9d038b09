/// Progress of a device's card, with the fields of that stage and no others. Fields that outlast a stage are in `Card`.
enum CardStage: Equatable {
    /// On disk, and as clients are told it.
    enum Word: String, CaseIterable {
        case none, starting, active, ended
    }

    enum Reach: Equatable {
        /// The card has no token and listens to no channel.
        case nothing
        case token(String)
        /// The broadcast channel that it listens to instead.
        case channel(String)
    }

    /// There is none. The channel was made for the one that is to be started.
    /// Becomes `starting` when it is asked for, `active` or `ended` when the app tells of one that it began.
    case none(channel: String?)
    /// Asked for by push; the app has not told of it.
    /// Becomes `active`; `unanswered` without a channel; `none` when it was not sent; `ended` when its app or its channel is gone.
    case starting(channel: String?)
    /// The app has not told of it in time. The system may show it all the same, and nobody can reach it.
    /// Becomes `active` or `ended` when the app tells of it late, `none` when the system has taken it away or the push was refused.
    case unanswered
    /// Becomes `ended`.
    case active(Reach)
    /// Nothing is sent to it any more but its end, which is owed while the service has not confirmed it, or while nobody can give it one as
    /// the app has told no token. The token is the one that it had; a channel that it does not listen to was made for the next.
    /// Becomes `starting` when another is asked for, `active` when the app tells of another or of one that nobody could end.
    case ended(isOwed: Bool, token: String?, channel: String?)

    var word: Word {
        switch self {
        case .none: .none
        case .starting, .unanswered: .starting
        case .active: .active
        case .ended: .ended
        }
    }

    var token: String? {
        switch self {
        case .active(.token(let token)): token
        case .ended(_, let token, _): token
        case .none, .starting, .unanswered, .active: nil
        }
    }

    var channel: String? {
        switch self {
        case .none(let channel), .starting(let channel), .ended(_, _, let channel): channel
        case .active(.channel(let channel)): channel
        case .unanswered, .active: nil
        }
    }

    /// True if nobody can be looking at it: there is none, or it is over.
    var isAbsent: Bool { word == .none || word == .ended }

    var isEndOwed: Bool {
        if case .ended(isOwed: true, _, _) = self { true } else { false }
    }

    // MARK: - What becomes of it

    mutating func becomeNone() {
        guard word == .starting else { preconditionFailure("only a start that was asked for comes to nothing") }
        self = .none(channel: channel)
    }

    mutating func becomeStarting() {
        guard isAbsent, !isEndOwed else { preconditionFailure("no card is started while there is another") }
        self = .starting(channel: channel)
    }

    mutating func becomeUnanswered() {
        guard word == .starting, channel == nil else { preconditionFailure("a card with a channel is reached unanswered") }
        self = .unanswered
    }

    mutating func becomeActive() { self = .active(token.map(Reach.token) ?? channel.map(Reach.channel) ?? .nothing) }

    mutating func becomeEnded(isOwed: Bool) { self = .ended(isOwed: isOwed, token: token, channel: channel) }

    /// The service has its end, or nobody tries any longer.
    mutating func settleEnd() { if isEndOwed { becomeEnded(isOwed: false) } }

    /// The app has reported the token of a card that listens to no channel.
    mutating func take(token: String) {
        guard word == .active else { preconditionFailure("only a card that is there has a new token") }
        self = .active(.token(token))
    }

    /// For the start that is to come.
    mutating func take(channel: String) {
        switch self {
        case .none: self = .none(channel: channel)
        case .ended(let isOwed, let token, _): self = .ended(isOwed: isOwed, token: token, channel: channel)
        case .starting, .unanswered, .active: preconditionFailure("a channel is made before its card is started")
        }
    }

    mutating func loseToken() {
        switch self {
        case .active(.token): self = .active(.nothing)
        case .ended(let isOwed, _, let channel): self = .ended(isOwed: isOwed, token: nil, channel: channel)
        case .none, .starting, .unanswered, .active: break
        }
    }

    mutating func loseChannel() {
        switch self {
        case .none: self = .none(channel: nil)
        case .starting: self = .starting(channel: nil)
        case .active(.channel): self = .active(.nothing)
        case .ended(let isOwed, let token, _): self = .ended(isOwed: isOwed, token: token, channel: nil)
        case .unanswered, .active: break
        }
    }

    // MARK: - On disk

    /// Fields of an older record that do not fit its stage are left out.
    init(_ word: Word, token: String?, channel: String?, isEndOwed: Bool, isUnanswered: Bool) {
        self =
            switch word {
            case .none: .none(channel: channel)
            case .starting: isUnanswered && channel == nil ? .unanswered : .starting(channel: channel)
            case .active: .active(token.map(Reach.token) ?? channel.map(Reach.channel) ?? .nothing)
            case .ended: .ended(isOwed: isEndOwed, token: token, channel: channel)
            }
    }
}
