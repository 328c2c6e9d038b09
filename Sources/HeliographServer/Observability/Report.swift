import Foundation
import Glibc
import RelayCore
import RelayProtocol
import WebSocketEngine

/// A relay's state, for finding the cause of a problem: numbers and settings. It contains no credentials, and nothing that agents
/// or people wrote.
struct Report {
    static let fileName = "report.json"

    var configuration: ServerConfiguration
    /// URL to open on this machine.
    var address: String
    var uptime: Duration
    var core: RelayCensus
    var engine: EngineCensus
    var isReady: Bool
    var takesWrites: Bool
    var damagedRecords: Int
    /// Revocations that are in force in memory and not on disk.
    var unwrittenRevocations: Int
    var pushesUnderWay: Int
    /// Nil if the relay is alone.
    var node: NodeCounts?
    /// Milliseconds by which the clock is ahead of the time that retention uses; nil if it is trusted.
    var clockDoubt: Int64?

    /// Metrics of one node of several.
    struct NodeCounts {
        var workspaces: Int
        /// Open links to nodes that own other workspaces.
        var links: Int
    }

    var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.field("software", ServerConfiguration.software)
            writer.field("at", WallClock.milliseconds)
            writer.field("address", address)
            writer.field("ready", isReady)
            writer.field("uptimeSeconds", uptime.components.seconds)
            writer.object("process") {
                $0.field("id", Int64(getpid()))
                $0.field("residentBytes", Self.residentBytes)
                $0.field("descriptors", Self.descriptors)
            }
            engine.write(to: &writer)
            writer.object("held") { writer in
                for (name, count) in core.counts { writer.raw(dynamic: name, "\(count)".utf8) }
                writer.field("breach", core.breach)
            }
            writer.object("store") {
                $0.field("takesWrites", takesWrites)
                $0.field("damagedRecords", Int64(damagedRecords))
                $0.field("unwrittenRevocations", Int64(unwrittenRevocations))
            }
            writer.object("clock") {
                $0.field("isBelieved", clockDoubt == nil)
                $0.field("aheadSeconds", clockDoubt.map { $0 / 1000 })
            }
            writer.field("pushesUnderWay", Int64(pushesUnderWay))
            if let node {
                writer.object("node") {
                    $0.field("workspaces", Int64(node.workspaces))
                    $0.field("links", Int64(node.links))
                }
            }
            configuration.write(to: &writer)
        }
    }

    /// This process's memory by the kernel's count; nil if the kernel does not report it.
    static var residentBytes: Int64? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let fields = text.split(separator: " ")
        return fields.count > 1 ? Int64(fields[1]).map { $0 * Int64(sysconf(Int32(_SC_PAGESIZE))) } : nil
    }

    static var descriptors: Int64? {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { Int64($0.count) }
    }
}

extension ServerConfiguration {
    /// Writes the settings of this process, with their sources.
    func write(to writer: inout JSONWriter) {
        writer.object("settings") { writer in
            for setting in Settings.all {
                if let text = setting.text(self) { writer.field(dynamic: setting.key, text) }
            }
        }
        writer.object("from") { writer in
            for (key, source) in sources.sorted(by: { $0.key < $1.key }) { writer.field(dynamic: key, source) }
        }
    }
}

extension EngineCensus {
    func write(to writer: inout JSONWriter) {
        writer.object("connections") {
            $0.field("all", Int64(connections))
            $0.field("pending", Int64(pending))
            $0.field("congested", Int64(congested))
            $0.field("waitingBytes", Int64(waitingBytes))
            $0.field("waitingBytesMax", Int64(waitingBytesMax))
        }
    }
}
