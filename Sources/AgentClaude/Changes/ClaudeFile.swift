internal import HostCore
package import RelayProtocol

/// The file that a tool is about to change, as it was when the agent asked.
package struct ClaudeFile: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        case absent
        case bytes([UInt8])
        case unread(Reason)
    }

    /// The reason why it is not shown.
    package enum Reason: String, Sendable {
        case tooLarge, binary, unreadable
        /// A directory, a pipe, a device.
        case notAFile
        /// A disk or network that did not answer in time.
        case late
    }

    package var content: Content
    /// Size of the file, if it exists.
    package var size: Int64?
    /// The real file, if a link leads elsewhere than the path reads.
    package var target: String?

    package init(content: Content, size: Int64? = nil, target: String? = nil) {
        self.content = content
        self.size = size
        self.target = target
    }

    package static let absent = ClaudeFile(content: .absent)

    /// The bytes as text; nil if they are not text.
    static func text(_ bytes: [UInt8]) -> String? {
        guard !bytes.contains(0) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.utf8.elementsEqual(bytes) ? text : nil
    }

    /// Path of the file that a call would write; nil if it writes none. Not every agent writes absolute paths. Of a move it is the
    /// path that is written.
    package static func path(of payload: JSONValue) -> String? {
        guard let tool = payload.text("tool_name"), let input = payload.optional("tool_input"),
            let path = written(by: tool, input), !path.isEmpty, !path.utf8.contains(0)
        else { return nil }
        if path.utf8.first == UInt8(ascii: "/") { return path }
        return payload.text("cwd").map { $0 + "/" + path }
    }

    static func written(by tool: String, _ input: JSONValue) -> String? {
        guard !ClaudeChange.tools.contains(tool) else { return input.text("file_path") ?? input.text("notebook_path") }
        return tool.hasPrefix("mcp__") ? RequestRisks.written(in: input, of: tool).last : nil
    }
}
