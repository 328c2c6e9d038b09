import HeliographHost
import HeliographServer
import RelayAccess
import RelayProtocol

/// The parts of Heliograph on this machine, for `heliograph status`.
struct LocalState {
    private let record: BackgroundRecord?
    private let relay: (folder: String, isRunning: Bool, url: String?, devices: Int)?
    private let host: (isRunning: Bool, relay: String?, link: String?)
    /// Reason for which the running host is not connected; nil if it is.
    private let obstacle: String?
    private let agents: [String]

    init(_ record: BackgroundRecord?) throws {
        self.record = record
        let folder = record?.part(.relay)?.value(of: "--data") ?? DataOption.standard
        if Administration.isSetUp(in: folder) {
            let administration = try Administration(directory: folder)
            relay = (folder, administration.isServing, administration.publicURL, try administration.deviceCount)
        } else {
            relay = nil
        }
        let status = BackgroundServices().hostStatus
        let paired = try? HostConfiguration.load()
        host = (status != nil, paired?.relay.description, status.flatMap(BackgroundServices.link))
        obstacle = host.isRunning && host.link != "live" ? paired.map { PairedHost($0).reason(of: $0.relay) } : nil
        agents = AgentCommands.connect.connected()
    }

    var isWell: Bool {
        guard let record else { return false }
        return record.parts.allSatisfy { $0.name == .relay ? relay?.isRunning == true : host.link == "live" }
    }

    func printText() {
        switch record?.manager {
        case nil: print("Set up:  not by heliograph up")
        case .systemd: print("Set up:  services of your systemd")
        case .supervised:
            let process = BackgroundServices().supervisor
            print(
                "Set up:  \(process.map { "supervised by process \($0)" } ?? "supervised, but the supervisor does not run: heliograph up")"
            )
        }
        if let relay {
            let place = relay.url.map { " on \($0)" } ?? ""
            let devices = relay.devices == 1 ? "1 device" : "\(relay.devices) devices"
            print("Relay:   \(relay.isRunning ? "runs\(place), \(devices) paired" : "does not run"); data in \(relay.folder)")
        } else {
            print("Relay:   none here")
        }
        let reports = host.relay.map { "reports to \($0)" } ?? "not paired"
        let link = host.link.map { $0 == "live" ? ", connected" : ", not connected (\(VisibleText.line($0)))" } ?? ""
        let why = obstacle.map { ": \(VisibleText.line($0))" } ?? ""
        print("Host:    \(host.isRunning ? "runs" : "does not run"), \(reports)\(link)\(why)")
        print("Agents:  \(agents.isEmpty ? "none connected: heliograph connect" : agents.joined(separator: ", "))")
    }

    func printJSON() {
        Output.json { writer in
            writer.field("manager", record?.manager.rawValue)
            if let relay {
                writer.object("relay") {
                    $0.field("running", relay.isRunning)
                    $0.field("url", relay.url)
                    $0.field("data", relay.folder)
                    $0.field("devices", Int64(relay.devices))
                }
            }
            writer.object("host") {
                $0.field("running", host.isRunning)
                $0.field("relay", host.relay)
                $0.field("link", host.link)
                $0.field("reason", obstacle)
            }
            writer.strings("agents", agents)
        }
    }
}
