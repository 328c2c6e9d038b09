/// One simulated phone: applies what APNs delivers by the rules of ActivityKit and of the notification centre.
///
/// Apple publishes no budgets; the numbers of `Limits` are ours, and tight.
package struct Device: Sendable {
    package let id: DeviceID
    /// The version of iOS.
    package let systemVersion: SystemVersion
    package let limits: Limits

    package var apps: [String: InstalledApp] = [:]
    package internal(set) var activities: [ActivityID: Activity] = [:]
    /// Notifications, newest last.
    package internal(set) var notifications: [ShownNotification] = []
    package internal(set) var isOnline = true
    /// True if a Focus is on: only time-sensitive alerts ring.
    package var hasFocus = false
    /// The app on the screen, by bundle id; nil while the device is locked.
    package internal(set) var foreground: String?

    /// The push that APNs keeps for each app while the device is offline.
    var stored: [String: Push] = [:]
    /// Pushes held back to save power, with the time at which they are due.
    var held: [(push: Push, due: Int64)] = []
    var updateBudgets: [String: Budget] = [:]
    var startBudgets: [String: Budget] = [:]
    var wakeBudgets: [String: Budget] = [:]

    var mint: IdentifierMint
    /// Outcomes since the simulator last asked, with their times.
    var happened: [(at: Int64, outcome: DeviceOutcome)] = []
    var issued: [(at: Int64, token: DeviceToken)] = []

    package struct SystemVersion: Sendable, Comparable {
        package let major: Int
        package let minor: Int

        package init(_ major: Int, _ minor: Int = 0) {
            self.major = major
            self.minor = minor
        }

        package static func < (left: Self, right: Self) -> Bool { (left.major, left.minor) < (right.major, right.minor) }

        static let firstWithPushToStart = SystemVersion(17, 2)
        static let firstWithChannels = SystemVersion(18)
    }

    /// All times in milliseconds.
    package struct Limits: Sendable {
        /// Budget of priority-10 updates of one app.
        package var updates = Budget(capacity: 8, refillMilliseconds: 150_000)
        /// The same if the person permits frequent updates.
        package var frequentUpdates = Budget(capacity: 24, refillMilliseconds: 50_000)
        /// Budget of starts by push, which frequent updates do not raise.
        package var starts = Budget(capacity: 10, refillMilliseconds: 360_000)
        /// Budget of background pushes: "two or three per hour".
        package var wakes = Budget(capacity: 3, refillMilliseconds: 1_200_000)
        package var activitiesMax = 5
        /// Delay of a push of priority 5 or 1.
        package var holding: Int64 = 0
        /// False if JSON null makes delivery fail, as it did for one developer although the type allowed it.
        package var takesNulls = false

        package init() {}
    }

    package init(
        id: DeviceID, systemVersion: SystemVersion = SystemVersion(26), limits: Limits = Limits(), seed: UInt64
    ) {
        self.id = id
        self.systemVersion = systemVersion
        self.limits = limits
        mint = IdentifierMint(seed: seed)
    }

    // MARK: - Apps and their tokens

    /// Installs the app and opens it once, when it gets its tokens for alerts and for starting activities.
    package mutating func install(_ app: InstalledApp, at now: Int64) {
        apps[app.bundle] = app
        issue(.alert, of: app, at: now)
        if systemVersion >= .firstWithPushToStart, !app.activityTypes.isEmpty { issue(.pushToStart, of: app, at: now) }
    }

    mutating func issue(_ kind: DeviceToken.Kind, of app: InstalledApp, activity: ActivityID? = nil, at now: Int64) {
        let token = DeviceToken(
            mint.token(bytes: kind == .alert ? 32 : 80), kind, bundle: app.bundle, environment: app.environment, device: id,
            activity: activity)
        if let activity { activities[activity]?.updateToken = token.token }
        issued.append((now, token))
    }

    // MARK: - A push arrives

    mutating func receive(_ push: Push, at now: Int64) -> DeviceOutcome {
        live(until: now)
        guard isOnline else { return store(push, at: now) }
        if push.priority < 10, limits.holding > 0 {
            held.append((push, now + limits.holding))
            return DeviceOutcome(.held)
        }
        return apply(push, at: now)
    }

    private mutating func apply(_ push: Push, at now: Int64) -> DeviceOutcome {
        do throws(DropError) {
            guard let app = apps[push.bundle] else { throw DropError(.appNotInstalled) }
            switch push.pushType {
            case PushType.liveActivity.name: return try applyToActivity(push, of: app, at: now)
            case PushType.background.name: return try wake(app, at: now)
            default: return try show(push, of: app, at: now)
            }
        } catch {
            return DeviceOutcome(.dropped(error.drop), detail: error.detail)
        }
    }

    private mutating func store(_ push: Push, at now: Int64) -> DeviceOutcome {
        // Channels have their own storage, see `Channel`.
        guard push.expiresAt > now, push.target.isStorable else { return DeviceOutcome(.dropped(.offline)) }
        let overwritten = stored.updateValue(push, forKey: push.bundle)
        return DeviceOutcome(.stored, detail: overwritten.map { "overwrote \($0.id)" })
    }

    // MARK: - What the person does

    package mutating func goOffline(at now: Int64) {
        live(until: now)
        isOnline = false
    }

    mutating func goOnline(at now: Int64) {
        live(until: now)
        isOnline = true
        let waiting = stored.values.sorted { $0.sentAt < $1.sentAt }
        stored = [:]
        for push in waiting {
            let outcome = push.expiresAt > now ? apply(push, at: now) : DeviceOutcome(.dropped(.expired))
            happened.append((now, outcome))
        }
    }

    /// Brings an app to the screen; nil locks the device.
    package mutating func bringToForeground(_ bundle: String?, at now: Int64) {
        live(until: now)
        foreground = bundle
        if let bundle {
            apps[bundle]?.isKilled = false
            // A running app learns of tokens that it missed.
            for activity in activities.values
            where activity.bundle == bundle && activity.isActive && activity.updateToken == nil && activity.channel == nil {
                if let app = apps[bundle] { issue(.activityUpdate, of: app, activity: activity.id, at: now) }
            }
        }
    }

    /// Changes the app's setting for frequent updates; the system then ends all its activities.
    package mutating func setFrequentUpdates(_ isOn: Bool, of bundle: String, at now: Int64) {
        live(until: now)
        guard apps[bundle]?.frequentUpdates != isOn else { return }
        apps[bundle]?.frequentUpdates = isOn
        updateBudgets[bundle] = nil
        for activity in activities.values where activity.bundle == bundle && activity.isActive {
            end(activity.id, dismissAt: now, at: now)
            happened.append((now, DeviceOutcome(.endedBySystem, activity: activity.id)))
        }
        live(until: now)
    }

    /// Swipes a card off the Lock Screen.
    package mutating func dismiss(_ activity: ActivityID, at now: Int64) {
        live(until: now)
        guard activities[activity] != nil else { return }
        end(activity, dismissAt: now, at: now)
        live(until: now)
    }

    package mutating func clearNotifications() { notifications = [] }

    // MARK: - Time

    /// Runs everything that was due by then, in order.
    mutating func live(until now: Int64) {
        while let next = held.enumerated().min(by: { $0.element.due < $1.element.due }), next.element.due <= now {
            held.remove(at: next.offset)
            passLives(until: next.element.due)
            let push = next.element.push
            let outcome = isOnline ? apply(push, at: next.element.due) : store(push, at: next.element.due)
            happened.append((next.element.due, outcome))
        }
        passLives(until: now)
    }

    /// Time at which `live(until:)` next has something to do; nil for none.
    var nextDeadline: Int64? {
        (held.map(\.due) + activities.values.compactMap(\.nextDeadline)).min()
    }
}

extension Push.Target {
    fileprivate var isStorable: Bool {
        if case .channel = self { false } else { true }
    }
}
