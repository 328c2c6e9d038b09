import Glibc
import RelayProtocol
import WebSocketEngine

/// What an edge says of itself, for a `doctor` on its machine. The rest is the owner's to say (`Report`).
struct EdgeReport {
    var configuration: ServerConfiguration
    /// Where this machine opens it.
    var address: String
    var engine: EngineCensus
    /// The owner is reached.
    var isReady: Bool

    var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.field("software", ServerConfiguration.software)
            writer.field("at", WallClock.milliseconds)
            writer.field("address", address)
            writer.field("ready", isReady)
            writer.object("process") { $0.field("id", Int64(getpid())) }
            engine.write(to: &writer)
            configuration.write(to: &writer)
        }
    }
}
