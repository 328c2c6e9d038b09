import Foundation
import RelayProtocol
import Testing

@testable import HostRules

/// Measures how many of a file's commands are parsed, compared with bash: `make rules COMMANDS=file`, one command per line.
@Suite struct ParserMeasureTests {
    private static let own = ProcessInfo.processInfo.environment["HELIOGRAPH_COMMANDS"]

    /// Prints the share that is read, and each line that is read here and that bash refuses. With `HELIOGRAPH_PROGRAMS` a file gets one line of JSON
    /// for each command: the programs that are found in it, or the reason why it is not read.
    @Test("what is read here, bash reads too", .enabled(if: own != nil))
    func ofOnesOwn() throws {
        let commands = try String(contentsOfFile: #require(Self.own), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        var (read, refused) = (0, 0)
        var found: [String] = []
        for command in commands {
            do throws(ShellError) {
                let programs = try ProgramRuns(try ShellLine(parsing: command)).runs.map { $0.program ?? "?" }
                read += 1
                found.append(String(decoding: JSONWriter.object { $0.strings("programs", programs) }, as: UTF8.self))
                if try! !isRead(command) {
                    refused += 1
                    print("bash refuses: \(command)")
                }
            } catch {
                found.append(String(decoding: JSONWriter.object { $0.field("reason", error.sentence) }, as: UTF8.self))
            }
        }
        if let path = ProcessInfo.processInfo.environment["HELIOGRAPH_PROGRAMS"] {
            try (found.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        }
        print("\(read) of \(commands.count) commands are read, of which bash refuses \(refused)")
        #expect(refused == 0)
    }

    private func isRead(_ line: String) throws -> Bool {
        let bash = Process()
        bash.executableURL = URL(filePath: "/bin/bash")
        // The syntax of an interactive bash, in which patterns such as @(a|b) are words.
        bash.arguments = ["-n", "-O", "extglob", "-c", line]
        bash.standardError = FileHandle.nullDevice
        try bash.run()
        bash.waitUntilExit()
        return bash.terminationStatus == 0
    }
}
