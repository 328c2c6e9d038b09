/// Checks of a provider's requests on a connection.
extension APNsSimulator {
    /// Seconds for which a provider token is valid.
    static let tokenSecondsMax: Int64 = 3600
    /// Minimum milliseconds between two tokens.
    static let tokenUpdateInterval: Int64 = 20 * 60 * 1000

    /// Checks the request's provider token, and throws the fault. The first valid one binds the connection.
    mutating func authorize(_ request: PushRequest, on id: ConnectionNumber, at now: Int64) throws(RefusalError) {
        guard let connection = connections[id] else { throw RefusalError(.internalServerError) }
        if let wedge = connection.wedge, now < wedge.until { throw RefusalError(wedge.reason) }
        guard let authorization = request.header("authorization") else { throw RefusalError(.missingProviderToken) }
        guard let token = ProviderToken(authorization: authorization, takesTextIssuedAt: configuration.takesTextIssuedAt),
            let key = keys[token.keyID], !key.isRevoked, key.team == token.team
        else { throw RefusalError(.invalidProviderToken) }
        let isKnown = connection.identity?.token == token.text
        // The signature is checked once for each token, because a sender may use one for 3,600,000 pushes.
        guard isKnown || verifier.isValid(token.signature, of: token.message, publicKey: key.publicKey) else {
            throw RefusalError(.invalidProviderToken)
        }
        guard key.environments.contains(connection.endpoint.environment) else {
            throw RefusalError(.badEnvironmentKeyIDInToken)
        }
        if let bound = connection.identity?.key {
            guard bound.team == key.team else { throw RefusalError(.invalidProviderToken) }
            guard bound.isRelated(to: key) else { throw RefusalError(.unrelatedKeyIDInToken) }
        }
        try checkAge(of: token, on: id, at: now)
        if !isKnown { try take(token, by: key, on: id, at: now) }
    }

    private mutating func checkAge(of token: ProviderToken, on id: ConnectionNumber, at now: Int64) throws(RefusalError) {
        let seconds = now / 1000
        guard token.issuedAt <= seconds + configuration.clockSkewSecondsMax else { throw RefusalError(.invalidProviderToken) }
        if seconds - token.issuedAt > Self.tokenSecondsMax {
            // From now on the connection also refuses newer tokens: it has to be closed.
            connections[id]?.wedge = (.expiredProviderToken, .max)
            throw RefusalError(.expiredProviderToken)
        }
    }

    private mutating func take(
        _ token: ProviderToken, by key: ProviderKey, on id: ConnectionNumber, at now: Int64
    ) throws(RefusalError) {
        let bound = connections[id]?.identity
        if let bound, now - bound.tokenSince < Self.tokenUpdateInterval {
            try wedge(id, until: bound.tokenSince + Self.tokenUpdateInterval)
        }
        if configuration.tokenUpdateScope == .team {
            if let last = teamTokens[key.team], last.token != token.text, now - last.since < Self.tokenUpdateInterval {
                try wedge(id, until: last.since + Self.tokenUpdateInterval)
            }
            if teamTokens[key.team]?.token != token.text { teamTokens[key.team] = (token.text, now) }
        }
        let bundles = bound?.bundles ?? Set(apps.filter { $0.value.team == key.team }.keys)
        connections[id]?.identity = .init(
            key: key, bundles: bundles, token: token.text, issuedAt: token.issuedAt, tokenSince: now)
    }

    /// Refuses the old token too, for a while, like the real service.
    private mutating func wedge(_ id: ConnectionNumber, until: Int64) throws(RefusalError) {
        connections[id]?.wedge = (.tooManyProviderTokenUpdates, until)
        throw RefusalError(.tooManyProviderTokenUpdates)
    }

    /// Throws if the connection may not send to this app.
    func checkTopic(_ bundle: String, on id: ConnectionNumber) throws(RefusalError) {
        guard let identity = connections[id]?.identity, identity.bundles.contains(bundle),
            identity.key.topics?.contains(bundle) ?? true
        else { throw RefusalError(.topicDisallowed) }
    }
}
