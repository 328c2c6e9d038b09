import Logging
import RelayCore
import RelayModel

/// Limits log lines that strangers can cause: one a second, and sixty at once. Others are counted, and reported with the next line.
struct StrangerLog {
    static let burst = Duration.seconds(60)

    private var bucket = TokenBucket(perSecond: 1, burst: burst)
    private var suppressed = 0

    /// `now`: nanoseconds of a clock that never jumps. Returns nil if nothing should be logged, else the number of suppressed lines
    /// before this one.
    mutating func tell(at now: Int64) -> Int? {
        guard bucket.takeIfThere(1, at: now) == 0 else {
            suppressed += 1
            return nil
        }
        defer { suppressed = 0 }
        return suppressed
    }

    mutating func notice(_ message: Logger.Message, _ metadata: @autoclosure () -> Logger.Metadata, _ logger: Logger) {
        guard let suppressed = tell(at: Instant.now.uptimeNanoseconds) else { return }
        var metadata = metadata()
        if suppressed > 0 { metadata["suppressed"] = "\(suppressed)" }
        logger.notice(message, metadata: metadata)
    }
}
