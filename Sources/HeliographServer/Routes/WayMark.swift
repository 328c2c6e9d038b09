import HeliographCrypto

/// The secret that `doctor --phone` has this relay make, and asks for through the public address: another relay does not know it.
final class WayMark {
    static let path = "/v1/way/"
    private static let lasts = Duration.seconds(60)

    private var mark: (secret: String, until: ContinuousClock.Instant)?

    /// Makes another secret, in place of the one before.
    func make(at now: ContinuousClock.Instant) -> String {
        let secret = Secret.token(prefix: "")
        mark = (secret, now + Self.lasts)
        return secret
    }

    func isKnown(_ path: String, at now: ContinuousClock.Instant) -> Bool {
        guard let mark, now < mark.until else { return false }
        return path == Self.path + mark.secret
    }
}
