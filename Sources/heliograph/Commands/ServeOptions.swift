import ArgumentParser
import HeliographServer

/// The settings of the relay as flags. What they mean, and what is standard, stands in `Settings` alone.
struct ServeOptions: ParsableArguments {
    @OptionGroup var data: DataOption

    @Option(
        help: ArgumentHelp(
            "The settings file, JSON. Default: $HELIOGRAPH_CONFIG, else relay.json in the data directory, where there is one.",
            valueName: "file"))
    var config: String?

    @Option(help: Self.help("listen")) var listen: String?
    @Option(help: Self.help("publicURL")) var publicURL: String?
    @Option(help: Self.help("tlsCertificate")) var tlsCertificate: String?
    @Option(help: Self.help("tlsKey")) var tlsKey: String?
    @Option(help: Self.help("keepDays")) var keepDays: String?
    @Option(help: Self.help("keepMegabytes")) var keepMegabytes: String?
    @Option(help: Self.help("heartbeat")) var heartbeat: String?
    @Option(help: Self.help("limits.connections")) var limitsConnections: String?
    @Option(help: Self.help("limits.pending")) var limitsPending: String?
    @Option(help: Self.help("limits.pendingPerAddress")) var limitsPendingPerAddress: String?
    @Option(help: Self.help("limits.outboxMegabytes")) var limitsOutboxMegabytes: String?
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
            "listen": listen, "publicURL": publicURL, "tlsCertificate": tlsCertificate, "tlsKey": tlsKey, "keepDays": keepDays,
            "keepMegabytes": keepMegabytes, "heartbeat": heartbeat, "limits.connections": limitsConnections,
            "limits.pending": limitsPending,
            "limits.pendingPerAddress": limitsPendingPerAddress, "limits.outboxMegabytes": limitsOutboxMegabytes,
            "loops": loops, "webRoot": webRoot, "logLevel": logLevel,
        ].compactMapValues { $0 }
    }

    /// With what the environment and the file say.
    func effective() throws(SettingsError) -> EffectiveSettings {
        try EffectiveSettings(
            dataDirectory: data.path, flags: flags, environment: Environment.all,
            file: config ?? Environment.value("HELIOGRAPH_CONFIG"))
    }
}
