import Foundation
import RelayCore
import RelayProtocol
import RelayStore
import Synchronization
import Testing

/// The implementations that the contracts run on.
enum Implementation: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, sqlite

    var testDescription: String { rawValue }

    /// A new and empty store with the workspaces `home` and `other`.
    func make() throws -> any SessionLog & CredentialStore {
        let store: any SessionLog & CredentialStore =
            switch self {
            case .memory: InMemoryStore(epoch: id("life1"), workspaces: [])
            case .sqlite: try Scratch.current.open()
            }
        try store.addWorkspace(Named(id: .home, name: "Home"))
        try store.addWorkspace(Named(id: .other, name: "Other"))
        return store
    }
}

/// A data directory of its own for each test.
struct Scratch: Codable, Sendable {
    @TaskLocal static var current = Scratch(path: "")

    let path: String

    var databasePath: String { path + "/heliograph.sqlite" }

    /// As the relay does.
    func open() throws -> SQLiteStore {
        let directory = try DataDirectory(path: path)
        return try SQLiteStore(directory, for: .relay(directory.lock()))
    }

    func openAsCommandLine() throws -> SQLiteStore { try SQLiteStore(DataDirectory(path: path), for: .commandLine) }

    func fill(_ count: Int) throws {
        let store = try open()
        _ = try store.bootstrap(workspaceName: "Home")
        var session = Writer(SessionKey(workspace: id("default"), session: id("s1")))
        for _ in 0..<count { try store.commit(session.batch(1, bytes: 1_000)) }
        try store.close()
    }
}

extension WorkspaceID {
    static let home = Self("home")!
    static let other = Self("other")!
}

func id<Tag>(_ text: String) -> Identifier<Tag> { Identifier(text)! }

/// Writes one session on: makes batches that follow each other.
struct Writer {
    let key: SessionKey
    var seq: Int64 = 0
    var host = "host1"

    init(_ key: SessionKey) { self.key = key }

    /// What event `seq` is made of, so that anybody can tell whether it is the right one.
    static func bytes(_ key: SessionKey, seq: Int64, bytes: Int = 0) -> [UInt8] {
        let text = "\(key.workspace)/\(key.session)/\(seq)"
        return Array((text + String(repeating: ".", count: max(0, bytes - text.utf8.count))).utf8)
    }

    func state(seq: Int64) -> SessionState {
        var summary = Summary(
            session: key.session, host: Named(id: id(host), name: "Laptop"), hostIsConnected: true, agentName: "agent",
            startedAt: 1_000)
        summary.seq = seq
        summary.operations = seq
        var state = SessionState(summary: summary)
        state.hostSeq = seq * 10
        return state
    }

    mutating func append(_ count: Int, bytes: Int = 0, approvals: [Approval] = []) -> SessionAppend {
        let first = seq + 1
        seq += Int64(count)
        return SessionAppend(
            key: key, firstSeq: first,
            events: (first..<first + Int64(count)).map {
                LogEvent(kind: "message", at: 1_000 + $0, bytes: Self.bytes(key, seq: $0, bytes: bytes))
            },
            state: state(seq: seq), approvals: approvals)
    }

    mutating func batch(_ count: Int, bytes: Int = 0, approvals: [Approval] = []) -> LogBatch {
        LogBatch(appends: [append(count, bytes: bytes, approvals: approvals)])
    }

    func approval(_ name: String, seq: Int64, stage: ApprovalStage = .pending, resolvedAt: Int64? = nil) -> Approval {
        let request = ApprovalRequest(
            approval: id(name), kind: .tool, tool: "Bash", title: "rm -rf build",
            digest: InputDigest(String(repeating: "ab", count: 32))!)
        var approval = Approval(
            session: key.session, request: request,
            requestBytes: Event(.approvalRequested(request), at: 900) { $0.field("command", "rm -rf build\u{202e}") }.bytes,
            requestedAt: 900, seq: seq)
        approval.stage = stage
        approval.resolvedAt = resolvedAt
        return approval
    }
}

extension SessionKey {
    static let first = SessionKey(workspace: .home, session: id("s1"))
    static let second = SessionKey(workspace: .home, session: id("s2"))
}

extension SessionLog {
    /// Everything of a session, and how many there are by its state.
    func all(_ key: SessionKey) throws -> [[UInt8]] {
        try events(of: key, after: 0, limit: .max, bytesMax: .max).events
    }

    func seq(_ key: SessionKey) throws -> Int64? {
        try load(resolvedSince: 0, commandsSince: 0).sessions.first { $0.key == key }?.state.seq
    }
}

func expected(_ key: SessionKey, _ range: ClosedRange<Int64>) -> [[UInt8]] { range.map { Writer.bytes(key, seq: $0) } }

/// Raised once, seen by every thread.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isUp: Bool { value.load(ordering: .relaxed) }

    func raise() { value.store(true, ordering: .relaxed) }
}

/// Runs `body` on so many threads at once, real ones: the store blocks, so tasks would wait for each other's threads.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let done = DispatchSemaphore(value: 0)
    for index in 0..<count {
        Thread {
            body(index)
            done.signal()
        }.start()
    }
    for _ in 0..<count { done.wait() }
}

/// For threads, which have nobody to throw to.
func attempt(_ body: () throws -> Void) {
    do { try body() } catch { Issue.record(error) }
}
