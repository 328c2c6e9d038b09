internal import RelayProtocol

/// Broadcast channels: managing them and publishing to them.
extension APNsSimulator {
    // MARK: - POST /4/broadcasts/apps/<bundle>

    mutating func publish(
        _ request: PushRequest, of bundle: String, on id: ConnectionNumber, id requestID: String, copies: Int,
        _ record: inout RequestRecord, at now: Int64
    ) throws(RefusalError) -> Response {
        try checkBroadcast(request, of: bundle, on: id)
        let channel = try channel(of: request, bundle: bundle, on: id)
        guard let name = request.header("apns-push-type") else { throw RefusalError(.missingPushType) }
        guard name == PushType.liveActivity.name else { throw RefusalError(.invalidPushType) }
        guard let expiration = try PushHeaders.expiration(of: request) else { throw RefusalError(.badExpirationDate) }
        // Nothing is stored for this channel, so nothing can expire later.
        guard channel.storagePolicy == .mostRecent || expiration == 0 else { throw RefusalError(.badExpirationDate) }
        let priority = try PushHeaders.priority(of: request, pushType: .liveActivity)
        guard !request.body.isEmpty else { throw RefusalError(.payloadEmpty) }
        guard request.body.count <= PushType.broadcastBytesMax else { throw RefusalError(.payloadTooLarge) }

        let push = Push(
            id: requestID, pushType: name, bundle: bundle, target: .channel(channel.id), priority: priority,
            expiration: expiration, collapseID: nil, payload: request.body, sentAt: now)
        if channel.storagePolicy == .mostRecent, expiration > now / 1000 { channels[channel.id]?.stored = push }
        for _ in 0..<copies { broadcast(push, environment: channel.environment, &record, at: now) }
        return .success()
    }

    // MARK: - /1/apps/<bundle>/channels

    mutating func createChannel(
        _ request: PushRequest, of bundle: String, on id: ConnectionNumber
    ) throws(RefusalError) -> Response {
        try checkBroadcast(request, of: bundle, on: id)
        guard let environment = connections[id]?.endpoint.environment else { throw RefusalError(.internalServerError) }
        guard let body = try? JSONDocument(parsing: request.body).root, body.isObject else {
            throw RefusalError(.badRequestPayload)
        }
        guard body.optional("push-type") != nil else { throw RefusalError(.missingPushType) }
        guard (try? body.string("push-type")) == "LiveActivity" else { throw RefusalError(.invalidPushType) }
        guard let number = try? body.integer("message-storage-policy"), let policy = Channel.StoragePolicy(rawValue: number)
        else { throw RefusalError(.badRequestPayload) }
        guard channels.values.filter({ $0.bundle == bundle && $0.environment == environment }).count < configuration.channelsMax
        else { throw RefusalError(.cannotCreateChannelConfig) }
        let channel = Channel(id: mint.channelID(), bundle: bundle, environment: environment, storagePolicy: policy)
        channels[channel.id] = channel
        return .success(201, headers: [(name: "apns-channel-id", value: channel.id)])
    }

    func readChannel(_ request: PushRequest, of bundle: String, on id: ConnectionNumber) throws(RefusalError) -> Response {
        try checkBroadcast(request, of: bundle, on: id)
        let channel = try channel(of: request, bundle: bundle, on: id)
        return .success(
            body: JSONWriter.object { body in
                body.field("message-storage-policy", channel.storagePolicy.rawValue)
                body.field("push-type", "LiveActivity")
            })
    }

    mutating func deleteChannel(
        _ request: PushRequest, of bundle: String, on id: ConnectionNumber
    ) throws(RefusalError) -> Response {
        try checkBroadcast(request, of: bundle, on: id)
        channels[try channel(of: request, bundle: bundle, on: id).id] = nil
        return .success(204)
    }

    /// `GET /1/apps/<bundle>/all-channels`
    func listChannels(_ request: PushRequest, of bundle: String, on id: ConnectionNumber) throws(RefusalError) -> Response {
        try checkBroadcast(request, of: bundle, on: id)
        let environment = connections[id]?.endpoint.environment
        let ids = channels.values.filter { $0.bundle == bundle && $0.environment == environment }.map(\.id).sorted()
        return .success(body: JSONWriter.object { $0.strings("channels", ids) })
    }

    // MARK: - Checks

    private func checkBroadcast(_ request: PushRequest, of bundle: String, on id: ConnectionNumber) throws(RefusalError) {
        if let requestID = request.header("apns-request-id"), !PushHeaders.isCanonicalUUID(requestID) {
            throw RefusalError(.badRequestParams)
        }
        guard let app = apps[bundle] else { throw RefusalError(.topicMismatch) }
        // The path names an app outside of the key's scope.
        guard let identity = connections[id]?.identity, identity.bundles.contains(bundle),
            identity.key.topics?.contains(bundle) ?? true
        else { throw RefusalError(.topicMismatch) }
        guard app.hasBroadcast else { throw RefusalError(.featureNotEnabled) }
    }

    private func channel(of request: PushRequest, bundle: String, on id: ConnectionNumber) throws(RefusalError) -> Channel {
        guard let name = request.header("apns-channel-id"), !name.isEmpty else { throw RefusalError(.missingChannelID) }
        guard Base64.decode(name) != nil else { throw RefusalError(.badChannelID) }
        guard let channel = channels[name], channel.environment == connections[id]?.endpoint.environment else {
            throw RefusalError(.channelNotRegistered)
        }
        guard channel.bundle == bundle else { throw RefusalError(.topicMismatch) }
        return channel
    }
}
