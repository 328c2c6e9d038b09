/// Live Activities, by ActivityKit's rules.
extension Device {
    /// Largest size of attributes and content state together.
    static let contentBytesMax = 4096
    /// Seconds by which a timestamp may be in the future; later ones are refused.
    static let futureSecondsMax: Int64 = 8 * 3600

    mutating func applyToActivity(_ push: Push, of app: InstalledApp, at now: Int64) throws(DropError) -> DeviceOutcome {
        let payload = try ActivityPayload(parsing: push.payload, takesNulls: limits.takesNulls)
        guard payload.timestamp <= now / 1000 + Self.futureSecondsMax else { throw DropError(.timestampTooFarAhead) }
        guard app.allowsActivities else { throw DropError(.notAllowed, "Live Activities are switched off") }
        switch (push.target, payload.event) {
        case (.start, .start): return try start(payload, of: app, at: now)
        case (.activity(let id), .update), (.activity(let id), .end):
            return try change(id, payload, push, of: app, at: now)
        case (.channel(let channel), .update), (.channel(let channel), .end):
            let listening = activities.values.filter { $0.channel == channel }.sorted { $0.startedAt < $1.startedAt }
            guard let first = listening.first else { throw DropError(.noSuchActivity) }
            // Each further listener is handled separately, as if it were the only one.
            for activity in listening.dropFirst() {
                let outcome: DeviceOutcome
                do throws(DropError) {
                    outcome = try change(activity.id, payload, push, of: app, at: now)
                } catch {
                    outcome = DeviceOutcome(.dropped(error.drop), activity: activity.id, detail: error.detail)
                }
                happened.append((now, outcome))
            }
            return try change(first.id, payload, push, of: app, at: now)
        default: throw DropError(.eventNotForToken, "\(payload.event.rawValue) does not go with this token")
        }
    }

    // MARK: - Start

    private mutating func start(_ payload: ActivityPayload, of app: InstalledApp, at now: Int64) throws(DropError)
        -> DeviceOutcome
    {
        guard let alert = payload.alert, !alert.title.isEmpty || !alert.body.isEmpty else {
            throw DropError(.startWithoutAlert)
        }
        var budget = startBudgets[app.bundle] ?? limits.starts
        let isWithin = budget.take(at: now)
        startBudgets[app.bundle] = budget
        guard isWithin else { throw DropError(.overBudget, "starts by push") }
        if payload.channel != nil || payload.asksForToken, systemVersion < .firstWithChannels {
            throw DropError(.channelNotSupported)
        }
        if let channel = payload.channel, Base64.decode(channel) == nil { throw DropError(.unknownChannel) }
        guard let type = payload.attributesType, let attributes = payload.attributes else {
            throw DropError(.badField, "a start needs attributes-type and attributes")
        }
        guard let state = payload.contentState else { throw DropError(.noContentState) }
        let id = try begin(type, attributes, state, of: app, channel: payload.channel, at: now)
        apply(payload, to: id, at: now)
        if payload.channel == nil { handOutToken(of: id, app, at: now) }
        return DeviceOutcome(.started, activity: id)
    }

    /// The app starts an activity itself, in the foreground; it then knows the update token at once. The outcome says if it cannot.
    package mutating func startActivity(
        _ type: String, attributes: [UInt8], contentState: [UInt8], of bundle: String, channel: String? = nil, at now: Int64
    ) -> DeviceOutcome {
        live(until: now)
        do throws(DropError) {
            guard let app = apps[bundle] else { throw DropError(.appNotInstalled) }
            guard app.allowsActivities else { throw DropError(.notAllowed) }
            let id = try begin(type, attributes, contentState, of: app, channel: channel, at: now)
            if channel == nil { issue(.activityUpdate, of: app, activity: id, at: now) }
            return DeviceOutcome(.started, activity: id)
        } catch {
            return DeviceOutcome(.dropped(error.drop), detail: error.detail)
        }
    }

    private mutating func begin(
        _ type: String, _ attributes: [UInt8], _ state: [UInt8], of app: InstalledApp, channel: String?, at now: Int64
    ) throws(DropError) -> ActivityID {
        guard let types = app.activityTypes[type] else { throw DropError(.unknownAttributesType, type) }
        guard activities.values.filter({ $0.bundle == app.bundle && $0.isActive }).count < limits.activitiesMax else {
            throw DropError(.tooManyActivities)
        }
        let face = try face(types, attributes, state)
        let id = ActivityID(mint.uuid())
        activities[id] = Activity(
            id: id, bundle: app.bundle, attributesType: type, attributes: attributes, startedAt: now, channel: channel,
            contentState: state, face: face, timestamp: 0, updatedAt: now)
        return id
    }

    /// Issues the token. The app has to run for that, which after a push it may not.
    private mutating func handOutToken(of id: ActivityID, _ app: InstalledApp, at now: Int64) {
        switch app.isKilled ? .never : app.updateTokens {
        case .atOnce: issue(.activityUpdate, of: app, activity: id, at: now)
        case .after(let milliseconds): activities[id]?.updateTokenDue = now + milliseconds
        case .never: break
        }
    }

    /// Issues a new update token, as the system does at times; the old one stops working silently.
    package mutating func rotateUpdateToken(of id: ActivityID, at now: Int64) {
        guard let activity = activities[id], activity.isActive, activity.channel == nil, let app = apps[activity.bundle]
        else { return }
        issue(.activityUpdate, of: app, activity: id, at: now)
    }

    // MARK: - Update and end

    private mutating func change(
        _ id: ActivityID, _ payload: ActivityPayload, _ push: Push, of app: InstalledApp, at now: Int64
    ) throws(DropError) -> DeviceOutcome {
        guard let activity = activities[id] else { throw DropError(.noSuchActivity) }
        guard activity.isActive else { throw DropError(.alreadyEnded) }
        let isEnd = payload.event == .end
        // A late end still ends the card; its content is then outdated.
        let isNewer = payload.timestamp > activity.timestamp
        guard isEnd || isNewer else { throw DropError(.notNewer, "\(payload.timestamp) after \(activity.timestamp)") }
        guard isEnd || payload.contentState != nil else { throw DropError(.noContentState) }
        if let state = payload.contentState, isNewer {
            guard let types = app.activityTypes[activity.attributesType] else { throw DropError(.unknownAttributesType) }
            let face = try face(types, activity.attributes, state)
            if push.priority == 10, !isEnd { try spendUpdate(of: app, at: now) }
            activities[id]?.contentState = state
            activities[id]?.face = face
        }
        if isNewer { apply(payload, to: id, at: now) }
        guard isEnd else { return DeviceOutcome(.updated, activity: id) }
        let latest = now + Activity.endedMillisecondsMax
        end(id, dismissAt: payload.dismissalDate.map { min($0 * 1000, latest) } ?? latest, at: now)
        passLives(until: now)
        return DeviceOutcome(.ended, activity: id)
    }

    /// Applies everything but the content state, which may be missing.
    private mutating func apply(_ payload: ActivityPayload, to id: ActivityID, at now: Int64) {
        activities[id]?.timestamp = payload.timestamp
        activities[id]?.updatedAt = now
        activities[id]?.staleAt = payload.staleDate.map { $0 * 1000 }
        activities[id]?.wasSeenStale = false
        if let relevance = payload.relevance { activities[id]?.relevance = relevance }
        if let alert = payload.alert {
            activities[id]?.alert = .init(title: alert.title, body: alert.body, hasSound: alert.hasSound, at: now)
        }
    }

    private mutating func spendUpdate(of app: InstalledApp, at now: Int64) throws(DropError) {
        var budget = updateBudgets[app.bundle] ?? (app.frequentUpdates ? limits.frequentUpdates : limits.updates)
        let isWithin = budget.take(at: now)
        updateBudgets[app.bundle] = budget
        guard isWithin else { throw DropError(.overBudget, "updates of priority 10") }
    }

    private func face(_ types: ActivityTypes, _ attributes: [UInt8], _ state: [UInt8]) throws(DropError) -> CardFace {
        guard attributes.count + state.count <= Self.contentBytesMax else { throw DropError(.tooLarge) }
        return try types.face(attributes: attributes, contentState: state)
    }

    // MARK: - The life of a card

    mutating func end(_ id: ActivityID, dismissAt: Int64, at now: Int64) {
        if activities[id]?.isActive == true { activities[id]?.endedAt = now }
        activities[id]?.dismissAt = max(dismissAt, now)
        activities[id]?.updateTokenDue = nil
    }

    /// Advances to stale dates, the eight-hour and four-hour limits, and late tokens.
    mutating func passLives(until now: Int64) {
        for id in activities.keys.sorted(by: { $0.name < $1.name }) {
            while let activity = activities[id], let deadline = activity.nextDeadline, deadline <= now {
                pass(deadline, of: activity)
            }
        }
    }

    private mutating func pass(_ deadline: Int64, of activity: Activity) {
        let id = activity.id
        if let due = activity.updateTokenDue, due == deadline {
            activities[id]?.updateTokenDue = nil
            if let app = apps[activity.bundle], activity.updateToken == nil {
                issue(.activityUpdate, of: app, activity: id, at: due)
            }
        } else if activity.isActive, activity.startedAt + Activity.activeMillisecondsMax == deadline {
            end(id, dismissAt: deadline + Activity.endedMillisecondsMax, at: deadline)
            happened.append((deadline, DeviceOutcome(.endedBySystem, activity: id)))
        } else if activity.dismissAt == deadline {
            activities[id] = nil
            happened.append((deadline, DeviceOutcome(.dismissed, activity: id)))
        } else {
            activities[id]?.wasSeenStale = true
            happened.append((deadline, DeviceOutcome(.stale, activity: id)))
        }
    }
}
