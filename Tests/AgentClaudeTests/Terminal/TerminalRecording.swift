import Foundation
import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

/// Output of the real Claude Code 2.1.329 on a terminal of 50 rows and 120 columns, with names for moments in it.
struct TerminalRecording {
    private let bytes: [UInt8]
    private let ends: [String: Int]

    init(_ name: String) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "Fixtures")
        bytes = [UInt8](try Data(contentsOf: folder.appending(path: name + ".raw")))
        let marks = try JSONDocument(parsing: [UInt8](try Data(contentsOf: folder.appending(path: name + ".json"))))
        var ends: [String: Int] = [:]
        for mark in try marks.root.array() { ends[mark.text("after") ?? ""] = Int(mark.whole("bytes") ?? 0) }
        self.ends = ends
    }

    /// The screen at that moment, written in pieces of `piece` bytes.
    func screen(after moment: String, piece: Int = 1 << 20) throws -> TerminalScreen {
        var screen = TerminalScreen(rows: 50, columns: 120)
        var rest = bytes[..<(try #require(ends[moment]))]
        while !rest.isEmpty {
            screen.take(rest.prefix(piece))
            rest = rest.dropFirst(piece)
        }
        return screen
    }

    func box(after moment: String) throws -> PromptBox? { PromptBox(on: try screen(after: moment)) }
}
