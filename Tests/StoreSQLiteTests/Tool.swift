import Foundation
import StoreTestSupport

/// Programs that the tests of faults need.
enum Tool {
    /// HELIOGRAPH_SKIPS=fail: a missing permission or tool fails a test instead of skipping it.
    private static var isAllExpected: Bool { ProcessInfo.processInfo.environment["HELIOGRAPH_SKIPS"] == "fail" }

    static var canMount: Bool { isAllExpected || geteuid() == 0 }
    static var canTrace: Bool { isAllExpected || geteuid() == 0 && isInstalled("strace") }

    private static func isInstalled(_ name: String) -> Bool { (try? run("which", name)) != nil }

    struct Failure: Error {
        let command: [String]
        let status: Int32
    }

    /// Runs a command. Returns its output.
    @discardableResult
    static func run(_ command: String...) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = output
        try process.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(command: command, status: process.terminationStatus) }
        return String(decoding: printed, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
}

/// Another process that keeps reading the file's state from when this was made, until `end`.
final class LongRead {
    private let process = Process()
    private let input = Pipe()

    init(of path: String) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data("BEGIN; SELECT count(*) FROM events;\n".utf8))
        // Once the count is printed, the transaction reads.
        _ = try output.fileHandleForReading.read(upToCount: 1)
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

extension Scratch {
    /// Runs SQL in SQLite's own shell, because the store offers no way to do so.
    func sql(_ text: String) throws { try Tool.run("sqlite3", databasePath, text + "; PRAGMA wal_checkpoint(TRUNCATE)") }

    func query(_ text: String) throws -> String { try Tool.run("sqlite3", databasePath, text) }

    /// A disk of its own in memory, for as long as `body` runs.
    func onDisk(kilobytes: Int, _ body: (Scratch) throws -> Void) throws {
        let disk = Scratch(path: path + "/disk")
        try FileManager.default.createDirectory(atPath: disk.path, withIntermediateDirectories: false)
        try Tool.run("mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k,mode=700", "tmpfs", disk.path)
        // Lazily: a store that was not closed may still be on its way out.
        defer { _ = try? Tool.run("umount", "-l", disk.path) }
        try body(disk)
    }
}
