import ArgumentParser
import HeliographServer

/// Location of the relay's data and its settings file.
struct ServePlace: ParsableArguments {
    @OptionGroup var data: DataOption

    @Option(
        help: ArgumentHelp(
            "The settings file, JSON. Default: $HELIOGRAPH_CONFIG, else relay.json in the data directory, if there is one.",
            valueName: "file"))
    var config: String?
}

/// The settings of the relay as flags. Their meanings and defaults are only in `Settings`.
struct ServeOptions: ParsableArguments {
    @Option(help: Self.help("listen")) var listen: String?
    @Option(help: Self.help("publicURL")) var publicURL: String?
    @Option(help: Self.help("pushContact")) var pushContact: String?
    @Option(help: Self.help("pushHosts")) var pushHosts: String?
    @Option(help: Self.help("ntfyServers")) var ntfyServers: String?
    @Option(help: Self.help("receivers")) var receivers: String?
    @Option(help: Self.help("pushReminders")) var pushReminders: String?
    @Option(help: Self.help("tlsCertificate")) var tlsCertificate: String?
    @Option(help: Self.help("tlsKey")) var tlsKey: String?
    @Option(help: Self.help("trustedProxies")) var trustedProxies: String?
    @Option(help: Self.help("proxyHeader")) var proxyHeader: String?
    @Option(help: Self.help("store")) var store: String?
    @Option(help: Self.help("advertise")) var advertise: String?
    @Option(help: Self.help("node")) var node: String?
    @Option(help: Self.help("advertiseAuthority")) var advertiseAuthority: String?
    @Option(help: Self.help("asynchronousDatabase")) var asynchronousDatabase: String?
    @Option(help: Self.help("proxyProtocol")) var proxyProtocol: String?
    @Option(help: Self.help("registration")) var registration: String?
    @Option(help: Self.help("registrationIdleDays")) var registrationIdleDays: String?
    @Option(help: Self.help("keepDays")) var keepDays: String?
    @Option(help: Self.help("keepMegabytes")) var keepMegabytes: String?
    @Option(help: Self.help("heartbeat")) var heartbeat: String?
    @Option(help: Self.help("limits.connections")) var limitsConnections: String?
    @Option(help: Self.help("limits.pending")) var limitsPending: String?
    @Option(help: Self.help("limits.pendingPerAddress")) var limitsPendingPerAddress: String?
    @Option(help: Self.help("limits.handshakeSeconds")) var limitsHandshakeSeconds: String?
    @Option(help: Self.help("limits.headerKilobytes")) var limitsHeaderKilobytes: String?
    @Option(help: Self.help("limits.connectionsPerAddress")) var limitsConnectionsPerAddress: String?
    @Option(help: Self.help("limits.connectionsPerToken")) var limitsConnectionsPerToken: String?
    @Option(help: Self.help("limits.connectionsPerWorkspace")) var limitsConnectionsPerWorkspace: String?
    @Option(help: Self.help("limits.requestsPerSecondPerAddress")) var limitsRequestsPerSecondPerAddress: String?
    @Option(help: Self.help("limits.messagesPerSecondPerHost")) var limitsMessagesPerSecondPerHost: String?
    @Option(help: Self.help("limits.kilobytesPerSecondPerHost")) var limitsKilobytesPerSecondPerHost: String?
    @Option(help: Self.help("limits.messagesPerSecondPerClient")) var limitsMessagesPerSecondPerClient: String?
    @Option(help: Self.help("limits.kilobytesPerSecondPerClient")) var limitsKilobytesPerSecondPerClient: String?
    @Option(help: Self.help("limits.messagesPerSecondPerAddress")) var limitsMessagesPerSecondPerAddress: String?
    @Option(help: Self.help("limits.kilobytesPerSecondPerAddress")) var limitsKilobytesPerSecondPerAddress: String?
    @Option(help: Self.help("limits.messagesPerSecondPerSession")) var limitsMessagesPerSecondPerSession: String?
    @Option(help: Self.help("limits.kilobytesPerSecondPerSession")) var limitsKilobytesPerSecondPerSession: String?
    @Option(help: Self.help("limits.messagesPerSecondPerWorkspace")) var limitsMessagesPerSecondPerWorkspace: String?
    @Option(help: Self.help("limits.kilobytesPerSecondPerWorkspace")) var limitsKilobytesPerSecondPerWorkspace: String?
    @Option(help: Self.help("limits.openApprovalsPerSession")) var limitsOpenApprovalsPerSession: String?
    @Option(help: Self.help("limits.openApprovalsPerHost")) var limitsOpenApprovalsPerHost: String?
    @Option(help: Self.help("limits.openApprovalsPerWorkspace")) var limitsOpenApprovalsPerWorkspace: String?
    @Option(help: Self.help("limits.sessionsPerHost")) var limitsSessionsPerHost: String?
    @Option(help: Self.help("limits.sessionsPerWorkspace")) var limitsSessionsPerWorkspace: String?
    @Option(help: Self.help("limits.sessionMegabytesPerHost")) var limitsSessionMegabytesPerHost: String?
    @Option(help: Self.help("limits.sessionMegabytesPerWorkspace")) var limitsSessionMegabytesPerWorkspace: String?
    @Option(help: Self.help("limits.commandsPerDayPerClient")) var limitsCommandsPerDayPerClient: String?
    @Option(help: Self.help("limits.commandsPerDayPerWorkspace")) var limitsCommandsPerDayPerWorkspace: String?
    @Option(help: Self.help("limits.registrationsPerHourPerAddress")) var limitsRegistrationsPerHourPerAddress: String?
    @Option(help: Self.help("limits.registeredPerAddress")) var limitsRegisteredPerAddress: String?
    @Option(help: Self.help("limits.registered")) var limitsRegistered: String?
    @Option(help: Self.help("limits.newcomerSessions")) var limitsNewcomerSessions: String?
    @Option(help: Self.help("limits.newcomerMegabytes")) var limitsNewcomerMegabytes: String?
    @Option(help: Self.help("limits.newcomerPushesPerDay")) var limitsNewcomerPushesPerDay: String?
    @Option(help: Self.help("limits.newcomerConnections")) var limitsNewcomerConnections: String?
    @Option(help: Self.help("limits.newcomerKeepDays")) var limitsNewcomerKeepDays: String?
    @Option(help: Self.help("limits.newcomerSessionMegabytes")) var limitsNewcomerSessionMegabytes: String?
    @Option(help: Self.help("limits.newcomerRecordMegabytesPerDay")) var limitsNewcomerRecordMegabytesPerDay: String?
    @Option(help: Self.help("limits.recordMegabytesPerDayPerWorkspace")) var limitsRecordMegabytesPerDayPerWorkspace: String?
    @Option(help: Self.help("limits.pushesPerDayPerWorkspace")) var limitsPushesPerDayPerWorkspace: String?
    @Option(help: Self.help("limits.outboxMegabytes")) var limitsOutboxMegabytes: String?
    @Option(help: Self.help("limits.uncommittedMegabytes")) var limitsUncommittedMegabytes: String?
    @Option(help: Self.help("limits.memoryMegabytes")) var limitsMemoryMegabytes: String?
    @Option(help: Self.help("loops")) var loops: String?
    @Option(help: Self.help("webRoot")) var webRoot: String?
    @Option(help: Self.help("logLevel")) var logLevel: String?

    private static func help(_ key: String) -> ArgumentHelp {
        let setting = Settings.named(key)
        let standard = setting.standard.map { " (default: \($0))" } ?? ""
        return ArgumentHelp("\(setting.abstract)\(standard)", valueName: setting.valueName)
    }

    private var flags: [String: String] {
        [
            "listen": listen,
            "publicURL": publicURL,
            "pushContact": pushContact,
            "pushHosts": pushHosts,
            "ntfyServers": ntfyServers,
            "receivers": receivers,
            "pushReminders": pushReminders,
            "tlsCertificate": tlsCertificate,
            "tlsKey": tlsKey,
            "trustedProxies": trustedProxies,
            "proxyHeader": proxyHeader,
            "store": store,
            "advertise": advertise,
            "node": node,
            "advertiseAuthority": advertiseAuthority,
            "asynchronousDatabase": asynchronousDatabase,
            "proxyProtocol": proxyProtocol,
            "registration": registration,
            "registrationIdleDays": registrationIdleDays,
            "keepDays": keepDays,
            "keepMegabytes": keepMegabytes,
            "heartbeat": heartbeat,
            "limits.connections": limitsConnections,
            "limits.pending": limitsPending,
            "limits.pendingPerAddress": limitsPendingPerAddress,
            "limits.handshakeSeconds": limitsHandshakeSeconds,
            "limits.headerKilobytes": limitsHeaderKilobytes,
            "limits.connectionsPerAddress": limitsConnectionsPerAddress,
            "limits.connectionsPerToken": limitsConnectionsPerToken,
            "limits.connectionsPerWorkspace": limitsConnectionsPerWorkspace,
            "limits.requestsPerSecondPerAddress": limitsRequestsPerSecondPerAddress,
            "limits.messagesPerSecondPerHost": limitsMessagesPerSecondPerHost,
            "limits.kilobytesPerSecondPerHost": limitsKilobytesPerSecondPerHost,
            "limits.messagesPerSecondPerClient": limitsMessagesPerSecondPerClient,
            "limits.kilobytesPerSecondPerClient": limitsKilobytesPerSecondPerClient,
            "limits.messagesPerSecondPerAddress": limitsMessagesPerSecondPerAddress,
            "limits.kilobytesPerSecondPerAddress": limitsKilobytesPerSecondPerAddress,
            "limits.messagesPerSecondPerSession": limitsMessagesPerSecondPerSession,
            "limits.kilobytesPerSecondPerSession": limitsKilobytesPerSecondPerSession,
            "limits.messagesPerSecondPerWorkspace": limitsMessagesPerSecondPerWorkspace,
            "limits.kilobytesPerSecondPerWorkspace": limitsKilobytesPerSecondPerWorkspace,
            "limits.openApprovalsPerSession": limitsOpenApprovalsPerSession,
            "limits.openApprovalsPerHost": limitsOpenApprovalsPerHost,
            "limits.openApprovalsPerWorkspace": limitsOpenApprovalsPerWorkspace,
            "limits.sessionsPerHost": limitsSessionsPerHost,
            "limits.sessionsPerWorkspace": limitsSessionsPerWorkspace,
            "limits.sessionMegabytesPerHost": limitsSessionMegabytesPerHost,
            "limits.sessionMegabytesPerWorkspace": limitsSessionMegabytesPerWorkspace,
            "limits.commandsPerDayPerClient": limitsCommandsPerDayPerClient,
            "limits.commandsPerDayPerWorkspace": limitsCommandsPerDayPerWorkspace,
            "limits.registrationsPerHourPerAddress": limitsRegistrationsPerHourPerAddress,
            "limits.registeredPerAddress": limitsRegisteredPerAddress,
            "limits.registered": limitsRegistered,
            "limits.newcomerSessions": limitsNewcomerSessions,
            "limits.newcomerMegabytes": limitsNewcomerMegabytes,
            "limits.newcomerPushesPerDay": limitsNewcomerPushesPerDay,
            "limits.newcomerConnections": limitsNewcomerConnections,
            "limits.newcomerKeepDays": limitsNewcomerKeepDays,
            "limits.newcomerSessionMegabytes": limitsNewcomerSessionMegabytes,
            "limits.newcomerRecordMegabytesPerDay": limitsNewcomerRecordMegabytesPerDay,
            "limits.recordMegabytesPerDayPerWorkspace": limitsRecordMegabytesPerDayPerWorkspace,
            "limits.pushesPerDayPerWorkspace": limitsPushesPerDayPerWorkspace,
            "limits.outboxMegabytes": limitsOutboxMegabytes,
            "limits.uncommittedMegabytes": limitsUncommittedMegabytes,
            "limits.memoryMegabytes": limitsMemoryMegabytes,
            "loops": loops,
            "webRoot": webRoot,
            "logLevel": logLevel,
        ].compactMapValues { $0 }
    }

    /// The settings, completed from the environment and the file.
    func effective(at place: ServePlace) throws(ServerError) -> EffectiveSettings {
        try Administration.checkAccess(to: place.data.path)
        return try EffectiveSettings(
            dataDirectory: place.data.path, flags: flags, environment: Environment.all,
            file: place.config ?? Environment.value("HELIOGRAPH_CONFIG"))
    }
}
