internal import AgentClaude
internal import Glibc
internal import RelayProtocol

/// Reads the end of a transcript, which is another program's and of any length.
enum TranscriptReader {
    /// Most folders of transcripts; Claude Code has one for each folder in which it was started.
    private static let foldersMax = 4_096

    /// Bytes before a prompt's report in which its line can be, if the report is late.
    private static let margin = 64 << 10

    /// The end of a transcript. The earlier cost of a conversation is looked for in all folders: one that is resumed or forked in
    /// another folder is named in the current one's.
    static func end(for request: ClaudeTranscriptRequest) -> ClaudeTranscript? {
        switch request.purpose {
        case .inherited, .parent: end(of: request.path) ?? elsewhere(request.path).flatMap { end(of: $0) }
        case .submitted(_, let from): end(of: request.path, from: from.map { max(0, $0 - margin) } ?? .max)
        case .fork, .used, .usedBySubagent, .rested, .left, .interrupted, .continued, .end: end(of: request.path)
        }
    }

    /// The transcript of that name in another project's folder; a name belongs to one conversation.
    private static func elsewhere(_ path: String) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 3, parts[parts.count - 3] == "projects" else { return nil }
        let projects = parts.dropLast(2).joined(separator: "/")
        let paths = Files.names(in: projects).prefix(foldersMax).map { "\(projects)/\($0)/\(parts[parts.count - 1])" }
        return paths.first { unsafe access($0, R_OK) == 0 }
    }

    /// The end of a transcript, at most from this offset on; nil if it cannot be read, as before the agent has written it.
    static func end(of path: String, from offset: Int = 0) -> ClaudeTranscript? {
        // Opening a pipe that nobody writes to must not block.
        guard let file = try? File(path, O_RDONLY | O_NONBLOCK), let size = try? file.size() else { return nil }
        let start = min(size, max(offset, size - ClaudeTranscript.bytesMax))
        guard let bytes = try? file.read(at: start, count: size - start) else { return nil }
        let name = path.split(separator: "/").last.map { $0.hasSuffix(".jsonl") ? String($0.dropLast(6)) : String($0) }
        return ClaudeTranscript(name: name ?? "", bytes: bytes, start: start)
    }
}
