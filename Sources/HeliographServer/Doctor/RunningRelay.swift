import RelayProtocol

/// The part of a running relay's `Report` that `doctor` needs.
struct RunningRelay {
    let software: String
    let address: String
    let process: Int64
    let isReady: Bool
    let takesWrites: Bool
    /// Number of workspaces that it owns among several relays; nil: it is alone.
    let workspaces: Int64?
    /// Revocations that are on no disk; 0 also if an older relay does not report them.
    let unwrittenRevocations: Int64
    /// Seconds by which the clock is ahead of the time that retention uses; nil if it is trusted.
    let clockAheadSeconds: Int64?
    /// The settings that the relay was started with, and where each came from.
    let configuration: ServerConfiguration

    var words: String {
        let node = workspaces.map { ", a node that owns \($0) workspace\($0 == 1 ? "" : "s")" } ?? ""
        return "runs on \(address), \(software), process \(process)\(node)"
    }

    init(parsing report: [UInt8], dataDirectory: String) throws {
        let root = try JSONDocument(parsing: report).root.object()
        software = try root.string("software")
        address = try root.string("address")
        process = try root.required("process").integer("id")
        clockAheadSeconds = try ClockState.aheadSeconds(in: root)
        isReady = try root.required("ready").bool()
        takesWrites = try root.required("store").required("takesWrites").bool()
        unwrittenRevocations = try root.required("store").object().optionalInteger("unwrittenRevocations", in: 0...1 << 32) ?? 0
        workspaces = try root.optional("node")?.integer("workspaces")
        var configuration = ServerConfiguration(dataDirectory: dataDirectory)
        for (key, text) in try root.required("settings").members() {
            // A newer relay may have a setting that this program does not know.
            guard let setting = Settings.all.first(where: { $0.key == key }) else { continue }
            // A file that a setting names may have been changed since; its errors are reported at the next start.
            try? setting.apply(text.string(), &configuration)
        }
        for (key, source) in try root.required("from").members() { configuration.sources[key] = try source.string() }
        self.configuration = configuration
    }
}
