package import HeliographHook
internal import HeliographPlatform
internal import RelayProtocol

/// The set-up of `heliograph up`: `background.json` in the state directory.
package struct BackgroundRecord: Equatable, Sendable {
    package enum Manager: String, CaseIterable, Sendable {
        /// The user's own systemd.
        case systemd
        /// `heliograph supervise`, on machines without systemd.
        case supervised
    }

    package var manager: Manager
    package var executable: String
    /// Distinguishes builds of the program, so that a newer one takes over.
    package var build: String
    package var parts: [BackgroundPart] = []
    /// Agents that `up` connected, so that `down` disconnects them and no others.
    package var agents: [String] = []
    /// True if `up` has let the user's services run without a login.
    package var lingers = false
    /// True after `down`: nothing runs, and the next `up` continues with the same arguments.
    package var isDown = false
    /// The local port to which `up` has directed this machine's address in its tailnet. After `down`: the port for the next `up`.
    package var servedPort: UInt16?

    private static let bytesMax = 64 << 10

    package init(_ manager: Manager, executable: String) {
        self.manager = manager
        self.executable = executable
        build = Self.build(of: executable)
    }

    package static func build(of executable: String) -> String {
        FileStamp(of: executable)?.description ?? ""
    }

    package static func file(_ paths: HostPaths) -> String { paths.stateDirectory + "/background.json" }

    /// Nil if nothing is set up.
    package static func load(_ paths: HostPaths = HostPaths()) throws(HostError) -> BackgroundRecord? {
        guard let last = try loadLast(paths), !last.isDown else { return nil }
        return last
    }

    /// The set-up that runs, or ran until `down`.
    package static func loadLast(_ paths: HostPaths = HostPaths()) throws(HostError) -> BackgroundRecord? {
        let path = file(paths)
        guard let bytes = try Files.read(path, bytesMax: bytesMax) else { return nil }
        do throws(WireError) {
            let root = try JSONDocument(parsing: bytes).root.object()
            var record = BackgroundRecord(
                try root.word("manager", Manager.self), executable: try root.string("executable"))
            record.build = try root.string("build")
            for part in try root.array("parts", countMax: BackgroundPart.Name.allCases.count) {
                var arguments: [String] = []
                for argument in try part.object().array("arguments", countMax: 64) { arguments.append(try argument.string()) }
                record.parts.append(BackgroundPart(try part.word("name"), arguments))
            }
            for agent in try root.array("agents", countMax: 64) { record.agents.append(try agent.string()) }
            record.lingers = try root.flag("lingers")
            record.isDown = try root.flag("down")
            record.servedPort = try root.optionalInteger("servedPort", in: 1...65_535).map(UInt16.init)
            return record
        } catch { throw HostError(.file, "\(path): \(error.path): \(error.message)") }
    }

    package func part(_ name: BackgroundPart.Name) -> BackgroundPart? { parts.first { $0.name == name } }

    package func save(_ paths: HostPaths = HostPaths()) throws(HostError) {
        let bytes = JSONWriter.object { file in
            file.field("manager", manager.rawValue)
            file.field("executable", executable)
            file.field("build", build)
            file.array(
                "parts",
                parts.map { part in
                    JSONWriter.object {
                        $0.field("name", part.name.rawValue)
                        $0.strings("arguments", part.arguments)
                    }
                })
            file.strings("agents", agents)
            file.flag("lingers", lingers)
            file.flag("down", isDown)
            file.field("servedPort", servedPort.map(Int64.init))
        }
        try Files.edit(in: paths.stateDirectory) { () throws(HostError) in
            try Files.replace(Self.file(paths), with: bytes + [UInt8(ascii: "\n")])
        }
    }
}
