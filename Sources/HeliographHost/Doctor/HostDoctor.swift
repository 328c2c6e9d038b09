internal import Glibc
internal import HeliographHook
internal import HeliographPlatform
package import RelayAccess
internal import RelayProtocol

/// Finds what may be wrong with this machine as a host.
package struct HostDoctor {
    /// Free bytes on the disk below which the spool may soon accept no more events.
    static let freeBytesMin: UInt64 = 200 << 20

    private let paths = HostPaths()
    private let executable: String
    private let agents: [any AgentIntegration.Type]

    init(executable: String, agents: [any AgentIntegration.Type]) {
        self.executable = executable
        self.agents = agents
    }

    /// True if this machine is set up as a host, or has a connected agent.
    package var isHost: Bool {
        unsafe access(HostConfiguration.file(paths), F_OK) == 0 || agents.contains { $0.connect?.isConnected(.user) == true }
    }

    /// The findings. Blocks until the relay and the agents have answered, half a minute each at most.
    package func findings(now: Int64) -> [Finding] {
        let known = agents.map {
            (
                isConnected: Self.isConnected($0),
                isInstalled: $0.connect.map { InstalledProgram.path(of: $0.program) != nil } ?? true
            )
        }
        let shown = zip(agents, Self.shown(known)).filter(\.1).map(\.0)
        return configuration(now) + [daemon, spool] + shown.flatMap { $0.findings(paths, executable: executable) }
    }

    private static func isConnected(_ agent: any AgentIntegration.Type) -> Bool {
        ConnectPlace.allCases.contains { agent.connect?.isConnected($0) == true }
    }

    /// True for each agent to show; one that is neither installed nor connected is shown only if none is connected.
    static func shown(_ agents: [(isConnected: Bool, isInstalled: Bool)]) -> [Bool] {
        let isAnyConnected = agents.contains(where: \.isConnected)
        return agents.map { $0.isConnected || $0.isInstalled || !isAnyConnected }
    }

    private func configuration(_ now: Int64) -> [Finding] {
        do throws(HostError) {
            let configuration = try HostConfiguration.load(paths)
            return RelayCheck.findings(
                configuration.relay, token: configuration.token,
                certificateAuthorityFile: configuration.certificateAuthorityFile, now: now,
                how: "heliograph host LINK, with a new link from `heliograph pair --role host` or the page")
        } catch {
            return [Finding("Pairing", .wrong, error.message, mend: "heliograph host LINK, with a link from the relay")]
        }
    }

    private var daemon: Finding {
        guard let address = RelayAddress("unix:" + paths.socket) else {
            return Finding("Daemon", .wrong, "\(paths.socket) is not a path for a socket", mend: "unset HELIOGRAPH_SOCKET")
        }
        do throws(HTTPError) {
            return Self.daemon(try HTTPExchange(relay: address, method: .get, path: "/v1/status").perform().body)
        } catch {
            return Finding("Daemon", .wrong, "it does not answer: nothing is reported", mend: "heliograph host")
        }
    }

    static func daemon(_ status: [UInt8], proxies: ProxySettings = .environment) -> Finding {
        do throws(WireError) {
            let value = try JSONDocument(parsing: status).root.object()
            let link = try value.required("link").object()
            let state = try link.string("state")
            let proxy = try link.optionalString("proxy")
            let own = RelayAddress(try link.string("relay")).flatMap { try? proxies.proxy(for: $0) }?.description
            let waiting = try value.required("spool").integer("events")
            let words = waiting == 0 ? "nothing waits" : "\(waiting) events wait to be sent"
            let way = proxy.map { " through the proxy " + VisibleText.line($0) } ?? (own == nil ? "" : " without a proxy")
            if state == "live" { return Finding("Daemon", .well, "it runs and is connected\(way); \(words)") }
            return Finding(
                "Daemon", .doubtful, "it runs and is not connected\(way) (\(VisibleText.line(state))); \(words)",
                mend: proxy == own
                    ? "see what is wrong with the relay above; it tries again by itself"
                    : "start it with the proxy of this terminal: heliograph up, or for the package's service /etc/default/heliograph"
            )
        } catch {
            return Finding("Daemon", .doubtful, "it runs, but its version is not this program's", mend: "restart it")
        }
    }

    private var spool: Finding {
        guard let free = Disk.freeBytes(at: paths.stateDirectory) else {
            return Finding("Disk", .doubtful, "\(paths.stateDirectory) is not there yet", mend: "heliograph host creates it")
        }
        let text = "\(free >> 20) MiB are free for what the relay has not got yet"
        return free < Self.freeBytesMin
            ? Finding("Disk", .doubtful, text, mend: "make room on the disk of \(paths.stateDirectory)")
            : Finding("Disk", .well, text)
    }
}
