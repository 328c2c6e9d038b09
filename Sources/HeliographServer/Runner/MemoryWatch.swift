import Dispatch
import Logging
import RelayProtocol
import WebSocketEngine

/// Measures the process's memory once a second, and carries out the budget's orders. Confined to the core's thread.
final class MemoryWatch {
    private let loops: EventLoopGroup
    private let admission: AdmissionControl
    private let measures: Measures
    private let logger: Logger
    private let memory = ProcessMemory()
    private var budget: MemoryBudget
    /// Workspaces that take at least an equal share of the memory.
    private let largeWorkspaces: () -> Set<WorkspaceID>
    /// True if a connection is a client's, and so may be closed.
    private let isClient: (ConnectionID) -> Bool
    private let queue = DispatchQueue(label: "heliograph.memory", qos: .utility)

    private static let interval = Duration.seconds(1)
    /// Time after which the start is over.
    private static let startTakes = Duration.seconds(10)
    /// Queued bytes below which a client is not behind.
    private static let behindBytes = 64 << 10

    init(
        megabytes: Int, loops: EventLoopGroup, admission: AdmissionControl, measures: Measures, logger: Logger,
        largeWorkspaces: @escaping () -> Set<WorkspaceID>, isClient: @escaping (ConnectionID) -> Bool
    ) {
        budget = MemoryBudget(bytes: ProcessMemory.budget(megabytes: megabytes))
        self.loops = loops
        self.admission = admission
        self.measures = measures
        self.logger = logger
        self.largeWorkspaces = largeWorkspaces
        self.isClient = isClient
        measures.memoryBudget(budget.bytes)
    }

    /// Limit of the bytes in incomplete messages and bodies: a share of all memory, and enough for 64 peers with the largest
    /// message each.
    var unfinishedBytesMax: Int { Int(min(max(budget.bytes / 8, 4 << 20), 64 << 20)) }

    func start() {
        lookRegularly()
        loops.main.schedule(after: Self.startTakes) { [queue] in queue.async { ProcessMemory.giveBackCode() } }
    }

    private func lookRegularly() {
        look()
        loops.main.schedule(after: Self.interval) { [weak self] in self?.lookRegularly() }
    }

    private func look() {
        guard let used = memory.used else { return }
        measures.memory(used)
        let refused = budget.refused
        switch budget.measured(used) {
        case .giveBack: queue.async { ProcessMemory.giveBack() }
        case .cutOff(let bytes): cutOff(bytes)
        case nil: break
        }
        // The refusal is renewed at each look, as other workspaces may be large by now.
        if budget.refused != .nobody || refused != .nobody { admission.refuseNew(refusal) }
        guard budget.refused != refused else { return }
        let metadata: Logger.Metadata = ["bytes": "\(used)", "budget": "\(budget.bytes)"]
        switch budget.refused {
        case .nobody: logger.notice("there is memory again", metadata: metadata)
        case .large: logger.error("short of memory: new connections of large workspaces are refused", metadata: metadata)
        case .all: logger.error("short of memory: new connections are refused", metadata: metadata)
        }
    }

    private var refusal: AdmissionControl.MemoryRefusal {
        switch budget.refused {
        case .nobody: return .nobody
        case .all: return .all
        case .large:
            let large = largeWorkspaces()
            // The set is empty if no session is in memory, or only at another node.
            return large.isEmpty ? .all : .workspaces(large)
        }
    }

    private func cutOff(_ bytes: Int64) {
        loops.backlogs { [self] in cutOff(bytes, of: $0) }
    }

    private func cutOff(_ bytes: Int64, of backlogs: [(connection: ConnectionID, bytes: Int)]) {
        var left = bytes
        let behind = backlogs.filter { $0.bytes >= Self.behindBytes && isClient($0.connection) }
        for (connection, bytes) in behind.sorted(by: { $0.bytes > $1.bytes }) {
            guard left > 0 else { return }
            left -= Int64(bytes)
            measures.cutOff()
            logger.notice(
                "short of memory: cut off a client that is behind",
                metadata: ["connection.id": "\(connection)", "bytes": "\(bytes)"])
            loops.cutOff(
                connection, code: CloseCode.tooMany.rawValue,
                reason: CloseCode.tooMany(
                    "too much waits for you", inSeconds: .random(in: 1...ServerLimits.retryAfterSecondsMax)))
        }
    }
}
