internal import AgentClaude
internal import Glibc
internal import RelayProtocol

/// Reads the end of a transcript, which is another program's and of any length.
enum TranscriptReader {
    /// Nil where it cannot be read, as before the agent has written it.
    static func end(of path: String) -> ClaudeTranscript? {
        // A pipe that nobody writes to must not make us wait.
        guard let file = try? File(path, O_RDONLY | O_NONBLOCK), let size = try? file.size() else { return nil }
        let start = max(0, size - ClaudeTranscript.bytesMax)
        guard let bytes = try? file.read(at: start, count: size - start) else { return nil }
        let name = path.split(separator: "/").last.map { $0.hasSuffix(".jsonl") ? String($0.dropLast(6)) : String($0) }
        return ClaudeTranscript(name: name ?? "", bytes: bytes, start: start)
    }
}
