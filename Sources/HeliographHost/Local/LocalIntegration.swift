internal import AgentLocal

/// Any program of the user's own that reports by requests over the local socket.
enum LocalIntegration: AgentIntegration {
    static let name = LocalAdapter.name
    static let title = "programs of your own"

    static var daemon: DaemonPart? {
        DaemonPart {
            LocalAdapter(digests: $1, at: $2)
        } driver: {
            LocalDriver($0)
        }
    }
}
