/// Stage of a device's card, with the fields of that stage only. Fields that outlast a stage are in `Card`.
enum CardStage: Equatable {
    /// The stage's name on disk and for clients.
    enum Word: String, CaseIterable {
        case none, starting, active, ended
    }

    enum Reach: Equatable {
        /// The card has no token and listens to no channel.
        case nothing
        case token(String)
        /// The broadcast channel that it listens to instead of a token.
        case channel(String)
    }

    /// There is no card. `channel` was made for the next one. Becomes `starting` when it is requested, `active` or `ended` when the
    /// app reports a card that it began.
    case none(channel: String?)
    /// Requested by push, not yet reported by the app. Becomes `active`; `unanswered` without a channel; `none` if it was not sent;
    /// `ended` if its app or its channel is gone.
    case starting(channel: String?)
    /// Not reported by the app in time. The system may show it, but it cannot be reached. Becomes `active` or `ended` when the app
    /// reports it late, `none` when the system has removed it or the push was refused.
    case unanswered
    /// On the screen, as far as known. Becomes `ended`.
    case active(Reach)
    /// Nothing is sent to it any more but its end. `isOwed`: the service has not accepted the end, or it cannot be sent because the
    /// app has reported no token. `token` is the card's; a channel that it does not listen to was made for the next card. Becomes
    /// `starting` when another is requested, `active` when the app reports another or one that could not be ended.
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

    /// True if no card can be on the screen: there is none, or it has ended.
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

    /// The service has accepted the end, or no more attempts are made.
    mutating func settleEnd() { if isEndOwed { becomeEnded(isOwed: false) } }

    /// Takes the token of a card that listens to no channel, as reported by the app.
    mutating func take(token: String) {
        guard word == .active else { preconditionFailure("only a card that is there has a new token") }
        self = .active(.token(token))
    }

    /// Takes the channel for the card's next start.
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
