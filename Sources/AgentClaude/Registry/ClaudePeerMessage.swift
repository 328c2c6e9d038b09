internal import HostCore
package import RelayProtocol

/// A prompt for a Claude Code that runs in its own terminal. It is written to the socket on which that program receives messages of
/// other sessions; its registry entry names the socket.
package struct ClaudePeerMessage: Sendable, Equatable {
    package let name: SteeringName
    package let session: SessionID
    /// The session's registry file, read at the time of sending.
    package let registryFile: String
    let registryName: String
    let text: String
    /// True if the turn has ended but subagents work, for which the registry says busy.
    var hasSubagents = false

    /// The socket to send to, or nil if the process has another session or is not idle any more. An unknown status proves neither: the hooks
    /// have reported an idle session, and a message that arrives too soon waits.
    package func socket(in entry: JSONValue) -> String? {
        guard let standing = ClaudeStanding(entry, session: registryName, isAttended: true),
            [.idle, .unknown].contains(standing.doing) || hasSubagents && standing.doing == .busy
        else { return nil }
        return Self.socket(in: entry)
    }

    static func socket(in entry: JSONValue) -> String? {
        entry.text("messagingSocketPath").flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// The message's line, with its line feed. `next`: it starts a turn if none runs, and interrupts none.
    package var line: [UInt8] {
        JSONWriter.object { writer in
            writer.field("type", "user")
            writer.object("message") {
                $0.field("role", "user")
                $0.field("content", text)
            }
            writer.field("priority", "next")
        } + [UInt8(ascii: "\n")]
    }
}
