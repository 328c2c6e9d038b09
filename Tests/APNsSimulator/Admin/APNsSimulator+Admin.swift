package import RelayProtocol

/// Commands of a test, a demo or a setup file: one JSON object each, `"do"` names it.
///
/// | `do` | fields |
/// |---|---|
/// | `app` | `bundle`, `team`, `broadcast` |
/// | `key` | `id`, `team`, `publicKey` (PEM), `environments`, `topics` |
/// | `revokeKey` | `id` |
/// | `device` | `device`, `ios` (`18.2`), `holding` (milliseconds), `takesNulls`, `updates` and `starts` (`{"count", "refill"}`) |
/// | `install` | `device`, `bundle`, `app` (of `Configuration.knownApps`) or `type` (see `DescribedApp`), `environment`, `categories`, and what `app` behaves like, see below |
/// | `behave` | `device`, `bundle`, `notifications`, `timeSensitive`, `activities`, `presentsInForeground`, `killed`, `updateTokens` (`atOnce`, `never` or milliseconds) |
/// | `frequentUpdates` | `device`, `bundle`, `on` |
/// | `uninstall` | `device`, `bundle` |
/// | `token` | `token`, `kind`, `bundle`, `environment`: one without a device behind it |
/// | `tokenState` | `token`, `state` (`live`, `unregistered`, `expired`, `bad`, `silentlyDead`), `since` |
/// | `online`, `focus` | `device`, `on` |
/// | `foreground` | `device`, `bundle`; none locks the device |
/// | `startActivity` | `device`, `bundle`, `type`, `attributes`, `contentState`, `channel` |
/// | `rotateToken`, `dismiss` | `device`, `activity` |
/// | `clear` | `device`: its notifications |
/// | `script` | `rules`, see `FaultScript` |
/// | `device?` | `device`: all of its state; `screen?`: what it shows; `tokens?`: every token |
///
/// The answer is `{"ok": true, …}`.
extension APNsSimulator {
    private enum Command: String, CaseIterable {
        case app, key, revokeKey, device, install, behave, frequentUpdates, uninstall, token, tokenState, online, focus
        case foreground, startActivity, rotateToken, dismiss, clear, script
        case deviceState = "device?"
        case screen = "screen?"
        case tokens = "tokens?"
    }

    /// Throws if the command is invalid; nothing has changed then.
    package mutating func perform(_ json: JSONValue, at now: Int64) throws(WireError) -> [UInt8] {
        advance(to: now)
        var answer = JSONWriter()
        answer.field("ok", true)
        switch try json.word("do", Command.self) {
        case .app:
            register(
                app: try json.string("bundle"),
                AppRecord(team: try json.string("team"), hasBroadcast: try json.flag("broadcast")))
        case .key: register(try ProviderKey(json: json))
        case .revokeKey: revokeKey(try json.string("id"))
        case .device:
            addDevice(
                DeviceID(try json.string("device")), systemVersion: try Device.SystemVersion(json: json),
                limits: try Device.Limits(json: json))
        case .install: try install(json, at: now)
        case .behave:
            let changes = try Behaviour(json: json)
            try onDevice(json, at: now) { device, _ in
                if var app = device.apps[changes.bundle] {
                    changes.apply(to: &app)
                    device.apps[changes.bundle] = app
                }
            }
        case .frequentUpdates:
            let (isOn, bundle) = (try json.flag("on"), try json.string("bundle"))
            try onDevice(json, at: now) { $0.setFrequentUpdates(isOn, of: bundle, at: $1) }
        case .uninstall: uninstall(try json.string("bundle"), from: try deviceID(in: json), at: now)
        case .token:
            register(
                DeviceToken(
                    try json.string("token"), try json.word("kind"), bundle: try json.string("bundle"),
                    environment: try json.word("environment")))
        case .tokenState: try setTokenState(json, at: now)
        case .online:
            if try json.flag("on") {
                goOnline(try deviceID(in: json), at: now)
            } else {
                try onDevice(json, at: now) { $0.goOffline(at: $1) }
            }
        case .focus:
            let isOn = try json.flag("on")
            try onDevice(json, at: now) { device, _ in device.hasFocus = isOn }
        case .foreground:
            let bundle = try json.optionalString("bundle")
            try onDevice(json, at: now) { $0.bringToForeground(bundle, at: $1) }
        case .startActivity: try startActivity(json, at: now).write(to: &answer)
        case .rotateToken:
            let activity = ActivityID(try json.string("activity"))
            try onDevice(json, at: now) { $0.rotateUpdateToken(of: activity, at: $1) }
        case .dismiss:
            let activity = ActivityID(try json.string("activity"))
            try onDevice(json, at: now) { $0.dismiss(activity, at: $1) }
        case .clear: try onDevice(json, at: now) { device, _ in device.clearNotifications() }
        case .script: script = try FaultScript(json: json)
        case .deviceState: answer.raw("device", devices[try deviceID(in: json)]?.json(at: now) ?? [])
        case .screen: answer.raw("screen", devices[try deviceID(in: json)]?.screen(at: now).json ?? [])
        case .tokens: answer.array("tokens", allTokens.map { token in JSONWriter.object { token.write(to: &$0) } })
        }
        return answer.finish()
    }

    // MARK: - Commands

    private mutating func install(_ json: JSONValue, at now: Int64) throws(WireError) {
        let types = try activityTypes(json)
        let environment: PushEnvironment = json.optional("environment") == nil ? .sandbox : try json.word("environment")
        var app = InstalledApp(
            bundle: try json.string("bundle"), environment: environment, activityTypes: [types])
        for (category, buttons) in try json.optional("categories")?.members() ?? [] {
            var titles: [String] = []
            for title in try buttons.array() { titles.append(try title.string()) }
            app.categories[category] = titles
        }
        try Behaviour(json: json).apply(to: &app)
        app.frequentUpdates = try json.flag("frequentUpdates")
        let installed = app
        try onDevice(json, at: now) { $0.install(installed, at: $1) }
    }

    private func activityTypes(_ json: JSONValue) throws(WireError) -> ActivityTypes {
        if let described = json.optional("type") { return try DescribedApp(described).activityTypes }
        let name = try json.required("app")
        guard let types = configuration.knownApps[try name.string()] else {
            let names = configuration.knownApps.keys.sorted().joined(separator: ", ")
            throw WireError(.badValue, at: name.path, "this is none of: \(names); any other app is described by `type`")
        }
        return types
    }

    private mutating func startActivity(_ json: JSONValue, at now: Int64) throws(WireError) -> DeviceOutcome {
        let (bundle, type) = (try json.string("bundle"), try json.string("type"))
        let attributes = Array(try json.required("attributes").object().bytes)
        let state = Array(try json.required("contentState").object().bytes)
        let channel = try json.optionalString("channel")
        return try onDevice(json, at: now) {
            $0.startActivity(type, attributes: attributes, contentState: state, of: bundle, channel: channel, at: $1)
        }
    }

    private mutating func setTokenState(_ json: JSONValue, at now: Int64) throws(WireError) {
        let name = try json.required("token")
        guard let token = token(try name.string()) else { throw WireError(.badValue, at: name.path, "nobody has this token") }
        let since = try json.optionalInteger("since") ?? now
        let state: DeviceToken.State =
            switch try json.word("state", StateWord.self) {
            case .live: .live
            case .unregistered: .unregistered(since: since)
            case .expired: .expired(since: since)
            case .bad: .bad
            case .silentlyDead: .silentlyDead
            }
        setState(state, of: token.token)
    }

    private enum StateWord: String, CaseIterable { case live, unregistered, expired, bad, silentlyDead }

    // MARK: - Devices

    private func deviceID(in json: JSONValue) throws(WireError) -> DeviceID {
        let name = try json.required("device")
        let id = DeviceID(try name.string())
        guard devices[id] != nil else { throw WireError(.badValue, at: name.path, "there is no such device") }
        return id
    }

    private mutating func onDevice<Result>(
        _ json: JSONValue, at now: Int64, _ body: (inout Device, Int64) -> Result
    ) throws(WireError) -> Result {
        let id = try deviceID(in: json)
        guard let result = onDevice(id, at: now, { body(&$0, now) }) else {
            preconditionFailure("a device that was just found is gone")
        }
        return result
    }
}

/// Settings of an app on a device; nil leaves a setting unchanged.
private struct Behaviour {
    let bundle: String
    let notifications: Bool?
    let timeSensitive: Bool?
    let activities: Bool?
    let presentsInForeground: Bool?
    let isKilled: Bool?
    let updateTokens: InstalledApp.UpdateTokens?

    init(json: JSONValue) throws(WireError) {
        bundle = try json.string("bundle")
        notifications = try json.optional("notifications")?.bool()
        timeSensitive = try json.optional("timeSensitive")?.bool()
        activities = try json.optional("activities")?.bool()
        presentsInForeground = try json.optional("presentsInForeground")?.bool()
        isKilled = try json.optional("killed")?.bool()
        updateTokens = try Self.updateTokens(json)
    }

    private static func updateTokens(_ json: JSONValue) throws(WireError) -> InstalledApp.UpdateTokens? {
        guard let value = json.optional("updateTokens") else { return nil }
        if let milliseconds = try? value.integer(in: 0...86_400_000) { return .after(milliseconds: milliseconds) }
        switch try value.string() {
        case "atOnce": return .atOnce
        case "never": return .never
        default: throw WireError(.badValue, at: value.path, "this is none of: atOnce, never, milliseconds")
        }
    }

    func apply(to app: inout InstalledApp) {
        if let notifications { app.allowsNotifications = notifications }
        if let timeSensitive { app.allowsTimeSensitive = timeSensitive }
        if let activities { app.allowsActivities = activities }
        if let presentsInForeground { app.presentsInForeground = presentsInForeground }
        if let isKilled { app.isKilled = isKilled }
        if let updateTokens { app.updateTokens = updateTokens }
    }
}

extension ProviderKey {
    fileprivate init(json: JSONValue) throws(WireError) {
        self.init(id: try json.string("id"), team: try json.string("team"), publicKey: try json.string("publicKey"))
        if let names = json.optional("environments") {
            environments = []
            for name in try names.array() {
                guard let environment = PushEnvironment(rawValue: try name.string()) else {
                    throw WireError(.badValue, at: name.path, "this is none of: sandbox, production")
                }
                environments.insert(environment)
            }
        }
        if let names = json.optional("topics") {
            var topics: Set<String> = []
            for name in try names.array() { topics.insert(try name.string()) }
            self.topics = topics
        }
    }
}

extension Device.SystemVersion {
    /// Parses `18` or `17.2`; the newest version if there is none.
    fileprivate init(json: JSONValue) throws(WireError) {
        guard let value = json.optional("ios") else {
            self.init(26)
            return
        }
        let parts = try value.string().split(separator: ".").map { Int($0) }
        guard (1...2).contains(parts.count), let major = parts[0], let minor = parts.count == 2 ? parts[1] : 0 else {
            throw WireError(.badValue, at: value.path, "a version is written as 18 or 17.2")
        }
        self.init(major, minor)
    }
}

extension Device.Limits {
    fileprivate init(json: JSONValue) throws(WireError) {
        self.init()
        holding = try json.optionalInteger("holding", in: 0...86_400_000) ?? holding
        takesNulls = try json.flag("takesNulls")
        updates = try Budget(json: json.optional("updates")) ?? updates
        starts = try Budget(json: json.optional("starts")) ?? starts
    }
}

extension Budget {
    fileprivate init?(json: JSONValue?) throws(WireError) {
        guard let json else { return nil }
        self.init(
            capacity: Int(try json.integer("count", in: 0...1_000_000)),
            refillMilliseconds: try json.integer("refill", in: 1...86_400_000))
    }
}
