import HeliographPlatform
import RelayAccess
import RelayCore
import RelayProtocol

/// Problems of a relay with many workspaces. Finds nothing on one with a single workspace and without open registration.
struct WorkspacesDoctor {
    let configuration: ServerConfiguration
    var workspaces: [WorkspaceID]
    /// Number of workspaces that strangers registered.
    var registered: Int
    var usage: [WorkspaceID: WorkspaceUsage]
    var limits: [WorkspaceID: WorkspaceLimits]
    /// Free bytes on the relay's disk; nil if the data is in a database, whose disk is not known here.
    var freeBytes: UInt64?
    /// The relay's memory budget.
    var memoryBytes: Int64

    /// Percentage of a limit from which the operator should know.
    private static let share = 90

    /// Empty if the store cannot be read: other findings report that.
    static func findings(in path: String, _ configuration: ServerConfiguration) -> [Finding] {
        do {
            let store = try OpenStore(forCommandsIn: path)
            defer { try? store.close() }
            let workspaces = try store.credentials.workspaces().map(\.id)
            guard isShared(workspaces.count, configuration) else { return [] }
            return WorkspacesDoctor(
                configuration: configuration, workspaces: workspaces,
                registered: try store.workspaces.registrations().count, usage: try store.workspaces.usage(),
                limits: try store.workspaces.limits(), freeBytes: store.addresses == nil ? Disk.freeBytes(at: path) : nil,
                memoryBytes: memoryBytes(in: path, configuration)
            ).findings
        } catch { return [] }
    }

    var findings: [Finding] {
        Self.isShared(workspaces.count, configuration) ? [count] + room + memory + reach : []
    }

    /// The budget of the running relay, which may be less than its machine's; else what one started here would have.
    private static func memoryBytes(in path: String, _ configuration: ServerConfiguration) -> Int64 {
        let start = "heliograph_memory_budget_bytes "
        let said = (try? AdminSocket(in: path).ask(.get, "/metrics")).map { String(decoding: $0.body, as: UTF8.self) }
        let line = said?.split(separator: "\n").first { $0.hasPrefix(start) }
        return line.flatMap { Double($0.dropFirst(start.count)) }.map { Int64($0) }
            ?? ProcessMemory.budget(megabytes: configuration.serverLimits.memoryMegabytes)
    }

    private static func isShared(_ count: Int, _ configuration: ServerConfiguration) -> Bool {
        count > 1 || configuration.registration.isOpen
    }

    private var count: Finding {
        let (max, registeredMax) = (WorkspaceRules.countMax, configuration.registration.countMax)
        let ofStrangers = registered > 0 ? "; strangers registered \(registered) (at most \(registeredMax))" : ""
        let text = "\(workspaces.count) of at most \(max)\(ofStrangers)"
        if workspaces.count * 100 >= max * Self.share {
            return Finding(
                "Workspaces", .doubtful, text,
                mend: "heliograph workspace list shows what each takes; delete some, or run a second relay")
        }
        if configuration.registration.isOpen, registered * 100 >= registeredMax * Self.share {
            return Finding("Workspaces", .doubtful, text, mend: "--limits-registered, or a shorter --registration-idle-days")
        }
        return Finding("Workspaces", .well, text)
    }

    /// Disk space for everything that the workspaces may still store. A workspace without a limit counts with what it has.
    private var room: [Finding] {
        guard let freeBytes else { return [] }
        let left = workspaces.reduce(UInt64(0)) { sum, workspace in
            let used = usage[workspace]?.eventBytes ?? 0
            let max = limits[workspace]?.megabytes.map { Int64($0) << 20 } ?? configuration.retention.bytesMax ?? used
            let pictures = Int64(PictureLimits.workspaceBytesMax) - (usage[workspace]?.pictureBytes ?? 0)
            return sum + UInt64(Swift.max(0, max - used) + Swift.max(0, pictures))
        }
        let text = "they may take \(left >> 20) MB more, and \(freeBytes >> 20) MB are free"
        return [
            left <= freeBytes
                ? Finding("Workspaces' disk", .well, text)
                : Finding(
                    "Workspaces' disk", .doubtful, text,
                    mend: "heliograph workspace quota NAME --megabytes N, --limits-newcomer-megabytes, or a larger disk")
        ]
    }

    /// Doubtful if strangers may take more than half of the memory.
    private var memory: [Finding] {
        let count = configuration.registration.isOpen ? configuration.registration.countMax : registered
        guard count > 0 else { return [] }
        let bytes = Int64(count * configuration.registration.newcomer.sessionMegabytes) << 20
        let text = "\(count) strangers may take \(bytes >> 20) MB of the relay's \(memoryBytes >> 20) MB"
        return [
            bytes <= memoryBytes / 2
                ? Finding("Workspaces' memory", .well, text)
                : Finding(
                    "Workspaces' memory", .doubtful, text,
                    mend: "--limits-registered, --limits-newcomer-session-megabytes, or more memory")
        ]
    }

    private var reach: [Finding] {
        guard configuration.registration.isOpen, configuration.publicURL?.hasPrefix("https://") != true,
            configuration.tls == nil
        else { return [] }
        return [
            Finding(
                "Registration", .doubtful, "it is open, but nobody elsewhere reaches this relay over HTTPS",
                mend: "--public-url https://relay.example, or --registration invited")
        ]
    }
}
