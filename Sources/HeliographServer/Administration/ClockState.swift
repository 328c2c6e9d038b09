import RelayAccess
import RelayProtocol

/// Trust of a running relay in its machine's clock, for the command line.
package struct ClockState {
    /// Seconds by which the clock is ahead of the time that retention uses; nil if it is trusted.
    package let aheadSeconds: Int64?

    /// Asks the relay that runs on this directory.
    package init(of dataDirectory: String) throws {
        let answer = try AdminSocket(in: Storage(directory: dataDirectory).folder).ask(.get, AdminPath.report)
        aheadSeconds = try Self.aheadSeconds(in: JSONDocument(parsing: answer.body).root.object())
    }

    /// Confirms to the relay that runs on this directory that its machine's clock is right.
    package static func confirm(in dataDirectory: String) throws {
        _ = try AdminSocket(in: Storage(directory: dataDirectory).folder).body(of: AdminPath.clock)
    }

    /// The state as a sentence for people.
    package var words: String {
        aheadSeconds.map { Self.words(aheadSeconds: $0) } ?? "the clock is believed"
    }

    static func words(aheadSeconds: Int64) -> String {
        let hours = abs(aheadSeconds) / 3_600
        let span = hours < 48 ? "\(hours) hours" : "\(hours / 24) days"
        let place = aheadSeconds < 0 ? "behind" : "ahead of"
        return "the machine's clock is \(span) \(place) what the relay has seen of it"
    }

    /// Nil if the clock is trusted, or an older relay does not report it.
    static func aheadSeconds(in report: JSONValue) throws(WireError) -> Int64? {
        try report.optional("clock")?.object().optionalInteger("aheadSeconds", in: -(1 << 52)...1 << 52)
    }
}
