import Foundation
import HeliographTestSupport
import PushWeb
import RelayCluster
import RelayCore
import RelayModel
import RelayProtocol
import StoreTestSupport
import Testing
import WebSocketEngine

@testable import HeliographServer

/// A runner with a host of its own and a crowd at an edge, on a loop that asks it as a node's does.
@Suite("How long a crowd is waited for") struct CrowdWaitTests {
    private static let home = Named<WorkspaceTag>(id: WorkspaceID("home")!, name: "home")
    private static let session = SessionID("s1")!
    private static let host = PeerID(rawValue: 1)
    /// As many peers as cause a wait of the full length.
    private static let crowd = Int(CommitDelay.crowdNanosecondsMax / CommitDelay.nanosecondsForEach)

    @Test("what comes after an approval went early does not wait for the rest of the time")
    func endsWithTheCommit() async throws {
        let rig = try await Rig()
        let burst = Array(repeating: EventHead.statusChanged(.running, reason: nil), count: CommitDelay.eventsMin)
        try await rig.commit([.sessionStarted(SessionFacts(agentName: "claude"))] + burst)
        try await rig.commit(burst)
        #expect(try await rig.run { $0.runner.crowdEnd != nil })
        try await rig.commit([
            .approvalRequested(
                ApprovalRequest(
                    approval: ApprovalID("a1")!, kind: .tool, tool: "Bash", title: "Run: ls",
                    digest: InputDigest(String(repeating: "ab", count: 32))!))
        ])
        #expect(try await rig.run { $0.runner.crowdEnd == nil })
        try await rig.run { $0.feed([.statusChanged(.running, reason: nil)]) }
        #expect(try await rig.run { !$0.runner.isStaging }, "its turn has cut it")
    }

    private final class Parts {
        let runner: RelayRunner
        let group: EventLoopGroup
        private var lastSeq: Int64 = 0
        private(set) var said = 0

        init(_ runner: RelayRunner, _ group: EventLoopGroup) { (self.runner, self.group) = (runner, group) }

        /// A host and clients connect.
        func begin() {
            let phone = ClientIdentity(
                workspace: home, client: Named(id: ClientID("phone")!, name: "Phone"), scope: Scope(of: .client))
            runner.start(holders: [ClientKey(workspace: home.id, client: phone.client.id)])
            runner.feed(
                .hostConnected(
                    host,
                    HostIdentity(workspace: home.id, host: Named(id: HostID("laptop")!, name: "laptop"), scope: .report)))
            runner.feed(.hostSent(host, .hello(Hello(software: "test"))))
            for number in 0..<crowd {
                let peer = Rig.peer(number)
                runner.feed(.clientConnected(peer, phone))
                runner.feed(.clientSent(peer, .hello(Hello(software: "test"))))
                runner.feed(.clientSent(peer, .command(CommandID("c1")!, .subscribe(nil, after: nil))))
            }
        }

        func feed(_ heads: [EventHead]) {
            said += 1
            let events = heads.map { Event($0, at: 1_795_178_096_000) }
            runner.feed(.hostSent(host, .events(HostEvents(session: session, first: lastSeq + 1, events: events))))
            lastSeq += Int64(heads.count)
        }
    }

    private final class Rig: Sendable {
        private let handle: EventLoopHandle
        private let bound: LoopBound<Parts>
        private let folder: Folder
        /// Counts events that are on disk.
        private let committed: EventLog<Int>

        init() async throws {
            let (folder, committed) = (try Folder(), EventLog<Int>())
            let started = EventLog<Result<(EventLoopHandle, LoopBound<Parts>), any Error>>()
            Thread {
                do {
                    try EventLoopGroup.run(.init(), loops: 1, logger: silent) { group in
                        let parts = try Rig.parts(group, folder, committed)
                        started.append(.success((group.main.handle, LoopBound(parts, loop: group.main))))
                    }
                } catch { started.append(.failure(error)) }
            }.start()
            (handle, bound) = try await started.next { _ in true }.get()
            (self.folder, self.committed) = (folder, committed)
            try await run { $0.begin() }
        }

        deinit { handle.stop() }

        func run<Value: Sendable>(_ body: @escaping @Sendable (Parts) -> Value) async throws -> Value {
            await withCheckedContinuation { continuation in
                let bound = bound
                handle.execute { continuation.resume(returning: body(bound.value)) }
            }
        }

        /// Comes back when it is on disk.
        func commit(_ heads: [EventHead]) async throws {
            let number = try await run { parts in
                parts.feed(heads)
                return parts.said
            }
            _ = try await committed.next { $0 == number }
        }

        private static func parts(_ group: EventLoopGroup, _ folder: Folder, _ committed: EventLog<Int>) throws -> Parts {
            let (loop, store) = (group.main, InMemoryStore(epoch: epoch, workspaces: [home]))
            let (connections, mailbox) = (PeerConnections(loops: group), CoreMailbox(of: loop))
            let registry = PrometheusRegistry()
            let web = WebPushes(
                WebPushIdentity(directory: folder.path, contact: "mailto:ada@example.com", publicURL: nil),
                services: WebPushServices(), logger: silent)
            let way = try PushWay(
                directory: folder.path, web: web, addresses: nil, loop: loop, measures: PushMeasures(factory: registry),
                logger: silent)
            let access = try Access(
                store: store, workspaces: store, publicURL: nil, limits: ServerLimits(), loop: loop, connections: connections,
                mailbox: mailbox, logger: silent)
            let runner = RelayRunner(
                loop: loop, connections: connections,
                configuration: try Relay.Configuration(ServerConfiguration(dataDirectory: folder.path), in: folder.path),
                log: store, upkeep: Unkept(), epochs: Epochs(ofLog: epoch, first: home.id), workspaces: store,
                state: try store.loadForCore(), load: { try store.loadForCore() }, mailbox: mailbox,
                pushes: PushRunner(
                    way, codes: PushCodes(directory: folder.path, epoch: epoch, logger: silent), mailbox: mailbox),
                pairing: PairingDesk(access: access, mailbox: mailbox, logger: silent),
                pictures: PictureShelf(store, name: "pictures", loop: loop, logger: silent),
                httpPeers: HTTPCommandPeers(loop: loop, mailbox: mailbox), shutOut: { _ in },
                measures: Measures(factory: registry), logger: silent)
            let parts = Parts(runner, group)
            loop.inputsEnded = {
                connections.flush()
                if runner.uncommittedBytes == 0 { committed.append(parts.said) }
            }
            group.turnEnded = {
                runner.tickEnded()
                connections.turnEnded()
            }
            loop.hasMoreToGather = { TickWish.isLater([runner.tickWish(at: .now)]) }
            connections.linkOpened(1, ConnectionID(rawValue: 1_000))
            for number in 0..<crowd { connections.came(ConnectionID(rawValue: peer(number).rawValue)) }
            return parts
        }

        static func peer(_ number: Int) -> PeerID { RemotePeer.name(link: 1, generation: 0, number: number) }
    }
}
