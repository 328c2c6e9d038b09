internal import AgentClaude
internal import HeliographHook
internal import RelayAccess

/// Claude Code, connected by its hooks.
enum ClaudeIntegration: AgentIntegration {
    static let name = "claude"
    static let title = "Claude Code"

    static var daemon: DaemonPart? {
        DaemonPart {
            ClaudeAdapter(home: $0, digests: $1, at: $2)
        } driver: {
            ClaudeDriver($0)
        }
    }

    static var connect: (any ConnectPart)? { ClaudeConnect() }

    static var start: StartPart? { StartPart(program: ClaudeStarter.program, modes: ClaudeControl.modes, takesPictures: true) }

    static func findings(_ paths: HostPaths, executable: String) -> [Finding] {
        ClaudeDoctor.findings(executable: executable)
    }
}
