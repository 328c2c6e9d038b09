internal import AgentCodex
internal import HeliographHook
internal import RelayAccess

/// Codex, by its shared app-server.
enum CodexIntegration: AgentIntegration {
    static let name = CodexAdapter.name
    static let title = "Codex"

    static var daemon: DaemonPart? {
        DaemonPart {
            CodexAdapter(home: $0, digests: $1, at: $2)
        } driver: {
            CodexDriver($0, HostPaths())
        }
    }

    static var connect: (any ConnectPart)? { CodexConnect() }

    static var start: StartPart? { StartPart(program: CodexServer.program, modes: CodexStart.modes, takesPictures: true) }

    static func findings(_ paths: HostPaths, executable: String) -> [Finding] { CodexDoctor.findings(paths) }
}
