import Foundation
import RelayProtocol
import Testing

@testable import HostRules

/// The programs that are found in a line, compared with those that bashlex finds, a parser of another make.
@Suite struct SecondParserTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    // The path's links stay unresolved: the Python behind them lacks the packages.
    private static let python = folder.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: ".venv/bin/python")
    private static let hasBashlex = (try? run(["-c", "import bashlex"]).status) == 0

    private static func run(_ arguments: [String]) throws -> (status: Int32, output: Data) {
        let process = Process()
        let pipe = Pipe()
        (process.executableURL, process.arguments) = (python, arguments)
        (process.standardOutput, process.standardError) = (pipe, FileHandle.nullDevice)
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }

    @Test("no program that bashlex finds in a line is missing here", .enabled(if: hasBashlex, "make venv installs bashlex"))
    func programs() throws {
        let files = ["forbidden.jsonl", "allowed.jsonl"].map { Self.folder.appending(path: "Fixtures/\($0)") }
        let (status, output) = try Self.run([Self.folder.appending(path: "Fixtures/programs.py").path] + files.map(\.path))
        #expect(status == 0)
        let lines = try files.flatMap { try String(contentsOf: $0, encoding: .utf8).split(separator: "\n") }
        let answers = String(decoding: output, as: UTF8.self).split(separator: "\n")
        try #require(lines.count == answers.count)
        var compared = 0
        for (line, answer) in zip(lines, answers) {
            let text = try JSONDocument(parsing: String(line)).root.string()
            guard let theirs = try? JSONDocument(parsing: String(answer)).root.array().map({ try $0.string() }),
                let own = try? ShellLine(parsing: text)
            else { continue }
            compared += 1
            let names = Set(own.commands.compactMap(\.words.first?.text))
            #expect(names.isSuperset(of: theirs), "\(text.debugDescription)")
        }
        #expect(compared >= 1_000)
    }
}
