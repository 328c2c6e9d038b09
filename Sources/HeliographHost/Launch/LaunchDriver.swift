internal import Glibc
internal import HeliographHook
internal import HostCore
internal import Logging
internal import RelayProtocol
internal import WebSocketEngine

/// Reads the folders and agents with which sessions may be started: when the daemon starts, when its owner changes the list, and
/// again for each command.
final class LaunchDriver: ProgramDriver {
    /// The request by which `heliograph host projects` reports a changed list, and `heliograph rules accept` changed rules.
    private static let request = "projects"

    /// Informs the daemon. Returns false if no daemon was reached that can be steered.
    static func tellDaemon(_ paths: HostPaths) -> Bool {
        signal(SIGPIPE, SIG_IGN)
        let request = ProgramRequest(process: getpid(), socketPath: paths.socket)
        return request.exchange(Self.request, Array("{}".utf8)).send()?.status == 204
    }

    private let seat: DriverSeat
    private let paths: HostPaths
    private let file: ProjectsFile
    private let agents: [(name: String, title: String, part: StartPart)]

    /// The part of the daemon that starts agents, with all that this host can start.
    static func part(of agents: [any AgentIntegration.Type], _ paths: HostPaths = HostPaths()) -> DaemonPart {
        let parts = agents.compactMap { agent in agent.start.map { (name: agent.name, title: agent.title, part: $0) } }
        return DaemonPart { _, _, now in
            LaunchAdapter(fresh: HookRequest.randomCall() ?? "\(getpid())", at: now)
        } driver: {
            LaunchDriver($0, paths, parts)
        }
    }

    private init(_ seat: DriverSeat, _ paths: HostPaths, _ agents: [(name: String, title: String, part: StartPart)]) {
        self.seat = seat
        self.paths = paths
        self.agents = agents
        file = ProjectsFile(paths)
    }

    func carryOut(_ order: any Sendable) {
        guard let order = order as? LaunchReading else { preconditionFailure("the host gives each driver its own orders") }
        switch order {
        case .readProjects: read()
        case .resolve(let name, let project):
            let folder = projects.first { $0.name == project }?.folderNow
            seat.tell(
                LaunchFact.resolved(name, folder: folder, reason: "this project's folder is not there, or is another one now"))
        }
    }

    func requested(_ what: String, _ body: [UInt8], by process: AgentProcess?, _ token: HookToken) -> Bool {
        guard what == Self.request else { return false }
        read()
        seat.loop.respond(to: HTTPRequestID(rawValue: token.rawValue), HTTPResponse(status: 204))
        return true
    }

    func callerGone(_ token: HookToken) {}

    private var projects: [ProjectsFile.Project] {
        do throws(HostError) {
            return try file.read()
        } catch {
            seat.logger.error("clients cannot start sessions", metadata: ["error": "\(error)"])
            return []
        }
    }

    private func read() {
        let there = projects.filter { project in
            if project.folderNow != nil { return true }
            seat.logger.warning(
                "a project's folder is not there, or is another one now", metadata: ["folder": "\(project.folder)"])
            return false
        }
        seat.tell(
            LaunchFact.read(
                there.map { ProjectOffer(name: $0.name, folder: Self.shown($0.folder, home: paths.home)) },
                agents.filter { InstalledProgram.path(of: $0.part.program) != nil }
                    .map {
                        StartableAgent(
                            name: $0.name, title: $0.title, modes: $0.part.modes, takesPictures: $0.part.takesPictures)
                    }))
    }

    /// The folder with `~` for the home folder.
    static func shown(_ folder: String, home: String) -> String {
        folder == home ? "~" : folder.hasPrefix(home + "/") ? "~" + folder.dropFirst(home.count) : folder
    }
}
