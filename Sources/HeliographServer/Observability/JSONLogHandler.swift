import Foundation
import Glibc
package import Logging
import RelayProtocol

/// Writes one JSON object a line to standard error: a fixed message, and variable parts as metadata. Never payloads or tokens.
package struct JSONLogHandler: LogHandler {
    package var metadata = Logger.Metadata()
    package var logLevel: Logger.Level
    private let label: String

    /// Length at which a value is cut: a peer's text must not fill the disk.
    private static let valueCharactersMax = 512

    /// RFC 3339 in UTC, to the millisecond.
    private static let time = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    package init(label: String, level: Logger.Level) {
        self.label = label
        logLevel = level
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var merged = metadata
        if let given = event.metadata { merged.merge(given) { _, new in new } }
        // One write a line, so that lines of several threads do not mix.
        let bytes = Self.line("\(event.message)", of: label, event.level, merged, at: Date()) + [UInt8(ascii: "\n")]
        _ = unsafe bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// The line without its line break. Characters that control a terminal, are invisible or change the direction of text are
    /// escaped as in JSON, so that a log can be read safely in a terminal.
    static func line(
        _ message: String, of label: String, _ level: Logger.Level, _ merged: Logger.Metadata, at date: Date
    ) -> [UInt8] {
        let line = JSONWriter.object { writer in
            writer.field("time", date.formatted(Self.time))
            writer.field("level", level.rawValue)
            writer.field("logger", label)
            writer.field("message", message)
            guard !merged.isEmpty else { return }
            writer.object("metadata") { writer in
                for (key, value) in merged.sorted(by: { $0.key < $1.key }) {
                    writer.field(dynamic: key, String("\(value)".prefix(Self.valueCharactersMax)))
                }
            }
        }
        return line.allSatisfy { $0 < 0x7F } ? line : Array(JSONLine.text(line).utf8)
    }
}
