import Foundation
import HostCore
import RelayProtocol

@testable import HeliographHost

/// A spool in a folder of its own, which goes when the test is over.
final class SpoolFolder {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.appending(path: "spool-" + UUID().uuidString).path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func open(_ limits: SpoolLimits = SpoolLimits()) throws -> Spool {
        try Spool(disk: FileSpoolDisk(path), limits: limits) { _ in }
    }

    /// Names of files with events.
    var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { $0.hasSuffix(".spool") }.sorted()
    }

    func bytes(_ file: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + file))) }

    func write(_ bytes: [UInt8], to file: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + file)) }
}

extension Spool {
    func append(_ session: SessionID, _ texts: String..., isKept: Bool = false) throws {
        try append(texts.map { .event(session, Array($0.utf8), isKept: isKept) })
    }

    /// The events to send, as text: the number, a `!` if a gap comes before it, and the event.
    func pending(_ session: SessionID) throws -> [String] {
        var result: [String] = []
        var after = index.sessions[session]?.acknowledged ?? 0
        while let batch = index.batch(session, after: after, countMax: 256, bytesMax: 1 << 20) {
            for (entry, bytes) in zip(batch.entries, try read(batch)) {
                let isAfterGap = batch.isAfterGap && entry.seq == batch.first
                result.append("\(entry.seq)\(isAfterGap ? "!" : "") \(String(decoding: bytes, as: UTF8.self))")
            }
            after = batch.last
        }
        return result
    }
}
