internal import HostCore
package import RelayProtocol

/// Entry in Claude Code's session registry for the process in a terminal of ours: the session that it has open now, and its state.
package struct TerminalStanding: Sendable, Equatable {
    /// Claude Code's own name of the session.
    package let name: String
    /// The agent's state; nil if Claude Code shows its own screen and has reported none yet.
    package let doing: TypingDoing?

    /// `startedAt`: the kernel's start time of the process. A file of another process with the same number is ignored.
    package init?(_ entry: JSONDocument, startedAt: UInt64) {
        let entry = entry.root
        guard let name = entry.text("sessionId"), !name.isEmpty else { return nil }
        if startedAt != 0, let started = entry.text("procStart").flatMap({ UInt64($0) }), started != startedAt { return nil }
        self.name = name
        doing =
            switch ClaudeStanding(entry, session: name)?.doing {
            case .idle: .idle
            case .busy: .busy
            case .asks, .menu: .waiting
            case .unknown: .unknown
            case nil: nil
            }
    }
}

/// Input of Claude Code's hook when it takes a prompt.
package struct TakenPrompt: Sendable, Equatable {
    package let session: String
    /// Claude Code's name for it.
    package let name: String?
    package let text: String
    package let mode: String?
    package let transcript: String?

    package init?(_ payload: [UInt8]) {
        let root = ((try? JSONDocument(parsing: payload)) ?? JSONRepair.document(payload)).root
        guard let session = root.text("session_id"), let text = root.text("prompt") else { return nil }
        self.session = session
        name = root.text("prompt_id")
        self.text = text
        mode = root.text("permission_mode")
        transcript = root.text("transcript_path")
    }

    /// The hook's output that makes the agent return the text to its input line.
    package static func refusal(_ reason: String) -> [UInt8] {
        JSONWriter.object {
            $0.field("decision", "block")
            $0.field("reason", reason)
        }
    }
}

/// A line of Claude Code's transcript that reports an interrupted turn.
package enum InterruptLine {
    package static let word = "[Request interrupted by user"

    package static func isOne(_ line: JSONDocument) -> Bool {
        guard line.root.text("type") == "user", let message = line.root.optional("message") else { return false }
        if message.text("content")?.hasPrefix(word) == true { return true }
        return message.list("content").contains { $0.text("text")?.hasPrefix(word) == true }
    }
}
