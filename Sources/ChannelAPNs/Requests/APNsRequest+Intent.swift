package import PushPlanner

extension APNsRequest {
    /// Channels store the last state for a phone that is offline. Apple calls this policy 1.
    private static let channelPayload = Array(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#.utf8)

    /// `payload` is the intent's, with the code and the sealed parts filled in. `now` is in milliseconds since 1970.
    package init(_ intent: PushIntent, teamID: String, id: String, payload: [UInt8], at now: Int64) {
        let headers = APNsHeaders(intent)
        self.init(
            teamID: teamID, environment: intent.environment, target: Target(intent.target, of: intent.app), id: id)
        isEnvironmentProven = intent.isEnvironmentProven
        topic = headers.topic
        pushType = headers.pushType
        expiration = headers.expiration
        collapseID = headers.collapseID
        tokenRegisteredAt = intent.toldAt
        patience = .milliseconds(min(intent.worthUntil - now, PushIntent.patienceMax))
        switch intent.target {
        case .device, .broadcast:
            priority = Int(headers.priority)
            isHarmlessToRepeat = intent.isHarmlessToRepeat
            self.payload = payload
        case .makeChannel:
            // Not repeated if its outcome is unknown: a second channel would leave the first unused, out of ten thousand.
            self.payload = Self.channelPayload
        case .deleteChannel: isHarmlessToRepeat = true
        }
    }
}

extension APNsRequest.Target {
    fileprivate init(_ target: PushIntent.Target, of bundle: String) {
        switch target {
        case .device(let token): self = .device(token: token)
        case .broadcast(let channel): self = .broadcast(bundleID: bundle, channelID: channel)
        case .makeChannel: self = .createChannel(bundleID: bundle)
        case .deleteChannel(let channel): self = .deleteChannel(bundleID: bundle, channelID: channel)
        }
    }
}
