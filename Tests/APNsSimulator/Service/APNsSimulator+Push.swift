/// `POST /3/device/<token>`.
extension APNsSimulator {
    /// Checks and handles a push. Apple documents no order of checks, so tests rely on one fault at a time.
    mutating func push(
        _ request: PushRequest, to token: String, on id: ConnectionNumber, id messageID: String, copies: Int,
        _ record: inout RequestRecord, at now: Int64
    ) throws(RefusalError) -> Response {
        _ = try PushHeaders.messageID(of: request, named: "apns-id")
        guard !token.isEmpty else { throw RefusalError(.missingDeviceToken) }
        let pushType = try pushType(of: request)
        let expiration = try PushHeaders.expiration(of: request)
        let priority = try PushHeaders.priority(of: request, pushType: pushType)
        let bundle = try bundle(of: request, pushType)
        try checkTopic(bundle, on: id)
        let collapseID = try PushHeaders.collapseID(of: request)
        guard !request.body.isEmpty else { throw RefusalError(.payloadEmpty) }
        guard request.body.count <= pushType.payloadBytesMax else { throw RefusalError(.payloadTooLarge) }
        let known = try find(token, bundle: bundle, pushType, environment: connections[id]?.endpoint.environment)
        try spendBurst(of: known.token, at: now)

        record.tokenKind = known.kind
        let push = Push(
            id: messageID, pushType: pushType.name, bundle: bundle, target: .init(known), priority: priority,
            expiration: expiration, collapseID: collapseID, payload: request.body, sentAt: now)
        for _ in 0..<copies { deliver(push, to: known, &record, at: now) }
        guard connections[id]?.endpoint.environment == .sandbox else { return .success() }
        return .success(headers: [(name: "apns-unique-id", value: mint.uuid())])
    }

    private func pushType(of request: PushRequest) throws(RefusalError) -> PushType {
        guard let name = request.header("apns-push-type"),
            let pushType = configuration.pushTypes.first(where: { $0.name == name })
        else { throw RefusalError(.invalidPushType) }
        return pushType
    }

    /// The topic without the suffix of the push type.
    private func bundle(of request: PushRequest, _ pushType: PushType) throws(RefusalError) -> String {
        guard let topic = request.header("apns-topic"), !topic.isEmpty else { throw RefusalError(.missingTopic) }
        guard topic.hasSuffix(pushType.topicSuffix) else { throw RefusalError(.badTopic) }
        let bundle = String(topic.dropLast(pushType.topicSuffix.count))
        // A topic of another push type, such as a Live Activity's with `alert`.
        let isForeign = configuration.pushTypes.contains { !$0.topicSuffix.isEmpty && bundle.hasSuffix($0.topicSuffix) }
        guard !bundle.isEmpty, !isForeign else { throw RefusalError(.badTopic) }
        return bundle
    }

    private func find(
        _ token: String, bundle: String, _ pushType: PushType, environment: PushEnvironment?
    ) throws(RefusalError) -> DeviceToken {
        guard DeviceToken.isWellFormed(token), let known = tokens[token.lowercased()], known.state != .bad,
            known.environment == environment
        else { throw RefusalError(.badDeviceToken) }
        guard known.bundle == bundle, known.kind.accepts(pushType) else { throw RefusalError(.deviceTokenNotForTopic) }
        switch known.state {
        case .unregistered(let since): throw RefusalError(.unregistered, timestamp: since)
        case .expired(let since): throw RefusalError(.expiredToken, timestamp: since)
        case .live, .bad, .silentlyDead: return known
        }
    }

    private mutating func spendBurst(of token: String, at now: Int64) throws(RefusalError) {
        guard let burst = configuration.tokenBurst else { return }
        var budget = tokenBursts[token] ?? Budget(capacity: burst.count, refillMilliseconds: burst.refillMilliseconds)
        let isWithin = budget.take(at: now)
        tokenBursts[token] = budget
        guard isWithin else { throw RefusalError(.tooManyRequests) }
    }
}
