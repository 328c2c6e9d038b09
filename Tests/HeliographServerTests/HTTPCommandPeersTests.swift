import Foundation
import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol
import Synchronization
import Testing
import WebSocketEngine

@testable import HeliographServer

/// The core as httpPeers meet it: says what a test has it say.
private final class FakeCore {
    /// Inputs received, in short form.
    var inputs: [String] = []
    var peers: [PeerID] = []
    var httpPeers: HTTPCommandPeers?
    /// Immediate reply to a command; nil: none.
    var reply: Reply?

    let mailbox: CoreMailbox
    var replies: [Reply] = []

    init(_ mailbox: CoreMailbox) { self.mailbox = mailbox }

    func call(as client: ClientIdentity) {
        httpPeers?.call(as: client, .devices(watches: false)) { self.replies.append($0) }
    }

    /// Takes the waiting facts, and those that follow from them.
    func listen() {
        while case let facts = mailbox.take(), !facts.isEmpty { for fact in facts { feed(fact) } }
    }

    private func feed(_ input: Input) {
        switch input {
        case .clientConnected(let peer, let client):
            inputs.append("connected \(client.client.id)")
            peers.append(peer)
        case .clientSent(let peer, .hello):
            inputs.append("hello")
            #expect(peer.isCommandPeer)
        case .clientSent(let peer, .command(let id, let command)):
            inputs.append("\(command)")
            answer(peer, id)
        case .codePresented(let peer, let id, let push, let verdict, let signature):
            inputs.append("code \(push.rawValue) \(id) \(verdict) \(signature ?? "")")
            peers.append(peer)
            answer(peer, id)
        case .disconnected: inputs.append("disconnected")
        default: inputs.append("something else")
        }
    }

    private func answer(_ peer: PeerID, _ id: CommandID) {
        guard let reply else { return }
        httpPeers?.answered(.done, to: CommandID("another")!, of: peer)
        httpPeers?.answered(reply, to: id, of: peer)
        httpPeers?.answered(.done, to: id, of: peer)
    }
}

@Suite struct HTTPCommandPeersTests {
    private static let client = ClientIdentity(
        workspace: Named(id: WorkspaceID("home")!, name: "Home"), client: Named(id: ClientID("c1")!, name: "phone"),
        scope: Scope(of: .client))

    private func rig(_ reply: Reply?) async throws -> (TestLoop, LoopBound<FakeCore>) {
        let loop = try await TestLoop.start()
        let core = try await loop.make { loop in
            let core = FakeCore(CoreMailbox(of: loop))
            core.reply = reply
            core.httpPeers = HTTPCommandPeers(loop: loop, mailbox: core.mailbox)
            return core
        }
        return (loop, core)
    }

    @Test func `a caller is a client for as long as its command takes`() async throws {
        let (loop, core) = try await rig(.devices([]))
        let replies = try await loop.run { _ in
            core.value.call(as: Self.client)
            core.value.listen()
            return core.value.replies
        }
        #expect(replies == [.devices([])])
        #expect(
            try await loop.run { _ in core.value.inputs } == [
                "connected c1", "hello", "devices(watches: false)", "disconnected",
            ])
        #expect(try await loop.run { _ in core.value.peers.allSatisfy(\.isCommandPeer) })
        #expect(!PeerID(rawValue: 1).isCommandPeer && !PeerID(rawValue: 1 << 62).isCommandPeer)
    }

    @Test func `who presents a code has no name, and says it once`() async throws {
        let (loop, core) = try await rig(.decided(.decided))
        let replies = try await loop.run { _ in
            for _ in 0..<2 {
                core.value.httpPeers?.present(PushID(rawValue: 7), .allow, signature: "s") {
                    core.value.replies.append($0)
                }
            }
            core.value.listen()
            return core.value.replies
        }
        #expect(replies == [.decided(.decided), .decided(.decided)])
        #expect(
            try await loop.run { _ in Array(core.value.inputs.prefix(2)) } == [
                "code 7 code_7 allow s", "code 7 code_7 allow s",
            ])
        #expect(try await loop.run { _ in Set(core.value.peers).count } == 2)
    }

    @Test func `a caller who is shown out is told that nobody answers`() async throws {
        let (loop, core) = try await rig(nil)
        let replies = try await loop.run { _ in
            core.value.call(as: Self.client)
            core.value.listen()
            let peer = core.value.peers[0]
            #expect(core.value.httpPeers?.isAnswering == true)
            core.value.httpPeers?.closed(peer)
            core.value.httpPeers?.closed(peer)
            #expect(core.value.httpPeers?.isAnswering == false)
            return core.value.replies
        }
        #expect(replies.count == 1)
        #expect(replies.first.map { HTTPResponse.reply($0).status } == 503)
    }

    @Test func `so many at once are answered, and one more is sent away`() async throws {
        let (loop, core) = try await rig(nil)
        let (replies, connected) = try await loop.run { _ in
            for _ in 0...HTTPCommandPeers.countMax { core.value.call(as: Self.client) }
            core.value.listen()
            return (core.value.replies, core.value.peers.count)
        }
        #expect(connected == HTTPCommandPeers.countMax)
        #expect(replies.map { HTTPResponse.reply($0).status } == [503])
    }
}
