import HeliographTestSupport
import RelayModel
import RelayProtocol
import Testing

@testable import RelayCore

/// Peers of three workspaces in one core, with the same names and keys in each, come, go and write to each other at random. A model says who
/// has to get each letter; all others get nothing.
@Suite("The ways of letters, at random")
struct LetterRoutesTests {
    typealias T = RelayTranscript

    private static let workspaces = ["home", "work", "school"].map { Named<WorkspaceTag>(id: WorkspaceID($0)!, name: $0) }
    private static let keys = ["A", "Q", "g"].map { HostKeyID(String(repeating: "A", count: 21) + $0)! }
    private static let names = ["one", "two"]

    private struct Host {
        let workspace: WorkspaceID
        let name: String
        var key: HostKeyID?
    }

    private struct Client {
        let workspace: WorkspaceID
        let name: String
        let mayDecide: Bool
        var isCongested = false
    }

    private struct World {
        let t = RelayTranscript()
        var dice: SeededDice
        var hosts: [PeerID: Host] = [:]
        var clients: [PeerID: Client] = [:]
        /// Connections that have been replaced or have left.
        var gone: [PeerID] = []
        var letters = 0
        var delivered = 0

        init(seed: UInt64) { dice = SeededDice(seed: seed) }

        mutating func step() {
            // A limit holds nobody up.
            t.now += 5_000
            let peers = Array(hosts.keys).sorted()
            let others = Array(clients.keys).sorted()
            switch Int.random(in: 0..<15, using: &dice) {
            case 0: connectHost()
            case 1, 12, 13: connectClient()
            case 2: if let host = peers.randomElement(using: &dice) { greet(host) }
            case 3: if let peer = (peers + others).randomElement(using: &dice) { leave(peer) }
            case 4: if let client = others.randomElement(using: &dice) { congest(client) }
            case 5...7: if let client = others.randomElement(using: &dice) { write(client) }
            case 8, 14: if let client = others.randomElement(using: &dice) { writeToClient(client) }
            default: if let host = peers.randomElement(using: &dice) { answer(host) }
            }
            let breach = t.relay.census.breach
            #expect(breach == nil)
        }

        private mutating func connectHost() {
            let workspace = LetterRoutesTests.workspaces.randomElement(using: &dice)!.id
            let name = LetterRoutesTests.names.randomElement(using: &dice)!
            let peer = t.host(name, in: workspace)
            for (older, host) in hosts where host.workspace == workspace && host.name == name {
                hosts[older] = nil
                gone.append(older)
            }
            hosts[peer] = Host(workspace: workspace, name: name)
            greet(peer)
        }

        private mutating func greet(_ peer: PeerID) {
            let key = (LetterRoutesTests.keys + [nil]).randomElement(using: &dice)!
            t.handle(.hostSent(peer, .hello(Hello(software: "test", key: key))))
            hosts[peer]?.key = key
        }

        private mutating func connectClient() {
            let workspace = LetterRoutesTests.workspaces.randomElement(using: &dice)!
            let name = LetterRoutesTests.names.randomElement(using: &dice)!
            let role = PairingRole.clients.randomElement(using: &dice)!
            let peer = t.client(name, in: workspace, scope: Scope(of: role))
            clients[peer] = Client(workspace: workspace.id, name: name, mayDecide: role != .watcher)
        }

        private mutating func leave(_ peer: PeerID) {
            (hosts[peer], clients[peer]) = (nil, nil)
            gone.append(peer)
            t.handle(.disconnected(peer))
        }

        private mutating func congest(_ peer: PeerID) {
            let isCongested = clients[peer]?.isCongested == true
            clients[peer]?.isCongested = !isCongested
            t.handle(isCongested ? .drained(peer) : .congested(peer))
        }

        private mutating func letter() -> Letter {
            letters += 1
            return Letter(Array("letter \(letters)".utf8))!
        }

        private mutating func write(_ peer: PeerID) {
            forget()
            let client = clients[peer]!
            let (key, letter) = (LetterRoutesTests.keys.randomElement(using: &dice)!, letter())
            t.command(.letter(letter, to: .host(key)), id: "k\(letters)", by: peer)
            let reply = t.take(peer)
            #expect(reply.count == 1)
            let expected = hosts.filter { $0.value.workspace == client.workspace && $0.value.key == key && client.mayDecide }
            let from = Named<ClientTag>(id: ClientID(client.name)!, name: client.name)
            expect(MessageToHost.letter(letter, from: from).bytes, at: Set(expected.keys))
            #expect(reply.first?.contains("error") == expected.isEmpty)
        }

        private mutating func writeToClient(_ peer: PeerID) {
            forget()
            let client = clients[peer]!
            let (name, letter) = (LetterRoutesTests.names.randomElement(using: &dice)!, letter())
            t.command(.letter(letter, to: .client(ClientID(name)!)), id: "k\(letters)", by: peer)
            let said = t.take(peer)
            let connected = clients.filter {
                $0.value.workspace == client.workspace && $0.value.name == name && $0.value.mayDecide && client.mayDecide
            }
            let expected = Set(connected.filter { !$0.value.isCongested }.keys)
            let message = String(
                decoding: MessageToClient.letter(letter, from: .client(ClientID(client.name)!)).bytes, as: UTF8.self)
            #expect(said.contains { $0.contains("error") } == connected.isEmpty)
            #expect(said.filter { $0 == message }.count == (expected.contains(peer) ? 1 : 0))
            delivered += expected.count
            for other in Array(hosts.keys) + Array(clients.keys) + gone where other != peer {
                #expect(t.take(other) == (expected.contains(other) ? [message] : []))
            }
        }

        private mutating func answer(_ peer: PeerID) {
            forget()
            let host = hosts[peer]!
            let (name, letter) = (LetterRoutesTests.names.randomElement(using: &dice)!, letter())
            t.handle(.hostSent(peer, .letter(letter, to: ClientID(name)!)))
            guard let key = host.key else { return expect([], at: []) }
            let expected = clients.filter {
                $0.value.workspace == host.workspace && $0.value.name == name && $0.value.mayDecide && !$0.value.isCongested
            }
            expect(MessageToClient.letter(letter, from: .host(key)).bytes, at: Set(expected.keys))
        }

        private func forget() { for peer in Array(hosts.keys) + Array(clients.keys) + gone { _ = t.take(peer) } }

        private mutating func expect(_ bytes: [UInt8], at readers: Set<PeerID>) {
            delivered += readers.count
            for peer in Array(hosts.keys) + Array(clients.keys) + gone {
                #expect(t.take(peer) == (readers.contains(peer) ? [String(decoding: bytes, as: UTF8.self)] : []))
            }
        }
    }

    @Test("each letter reaches exactly those that it is for", arguments: UInt64(1)...10)
    func routes(seed: UInt64) {
        var world = World(seed: seed)
        for _ in 0..<500 { world.step() }
        #expect(world.delivered > 50, "a world in which hardly any letter arrives shows nothing")
    }
}
