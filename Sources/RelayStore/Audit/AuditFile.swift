internal import Foundation
package import RelayCore

/// An exported audit log, read line by line.
package enum AuditFile {
    /// Limit of a line: a decision with the longest texts, every character escaped, is far below it.
    private static let lineBytesMax = 1 << 20
    private static let chunkBytes = 256 << 10

    /// Calls `body` with each line and its number, from 1. A last line without a line break was cut off; it is passed as it is.
    package static func forEachLine(of path: String, _ body: ([UInt8], Int) throws -> Void) throws(LogError) {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw LogError(.unreachable(isPassing: false), "\(path) cannot be read.")
        }
        defer { try? file.close() }
        do {
            var rest: [UInt8] = []
            var number = 0
            while let chunk = try file.read(upToCount: chunkBytes), !chunk.isEmpty {
                rest += chunk
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    number += 1
                    try body(Array(rest[..<end]), number)
                    rest.removeSubrange(...end)
                }
                guard rest.count <= lineBytesMax else {
                    throw LogError(.damaged(.store), "Line \(number + 1) of \(path) is longer than any audit record.")
                }
            }
            if !rest.isEmpty { try body(rest, number + 1) }
        } catch {
            throw error as? LogError ?? LogError(.unreachable(isPassing: false), "\(path) cannot be read. (\(error))")
        }
    }

    /// Checks an exported file on its own; `heads` are hashes that must be among its records.
    package static func verify(_ path: String, heads: [String]) throws(LogError) -> AuditReport {
        var verifier = AuditVerifier(wanting: heads)
        try forEachLine(of: path) { bytes, number in _ = verifier.take(bytes, at: "line \(number)") }
        return verifier.finish()
    }
}
