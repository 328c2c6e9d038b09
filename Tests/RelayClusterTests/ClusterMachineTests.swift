import Testing

@testable import RelayCluster

@Suite("Which part a node has")
struct ClusterMachineTests {
    private let owner = NodeAddress(holder: "o", name: "one", url: "http://one:1", secret: "s", version: 1)

    /// What the database says: who holds the log, and which nodes live.
    private func view(
        _ holder: String?, generation: Int64 = 1, isFree: Bool = false, owner: NodeAddress? = nil,
        nodes: [(String, String)] = []
    ) -> ClusterView {
        ClusterView(
            generation: generation, holder: holder, isFree: isFree, owner: owner,
            nodes: nodes.map { ClusterView.Node(holder: $0.0, name: $0.1) })
    }

    @Test("an edge says that it lives, links to the owner, and dials again when the link has ended")
    func follows() {
        var machine = ClusterMachine(holder: "e", name: "edge")
        #expect(machine.handle(.looked(view("o", owner: owner)), at: 0) == [.renew, .dial(owner)])
        #expect(machine.handle(.looked(view("o", owner: owner)), at: 250) == [])
        #expect(machine.handle(.looked(view("o", owner: owner)), at: 2_000) == [.renew])
        #expect(machine.handle(.linkEnded, at: 2_100) == [])
        #expect(machine.handle(.looked(view("o", owner: owner)), at: 2_250) == [], "not at once")
        #expect(machine.handle(.looked(view("o", owner: owner)), at: 2_600) == [.dial(owner)])
    }

    @Test("an owner that takes no links is not dialled")
    func unreachable() {
        var machine = ClusterMachine(holder: "e", name: "edge")
        #expect(machine.handle(.looked(view("o")), at: 0) == [.renew])
    }

    @Test("an owner that speaks another version of links is not dialled, which is told once")
    func otherVersion() {
        var machine = ClusterMachine(holder: "e", name: "edge")
        var newer = owner
        newer.version = NodeLinkProtocol.version + 1
        #expect(machine.handle(.looked(view("o", owner: newer)), at: 0) == [.renew, .tellOfVersion(newer)])
        #expect(machine.handle(.looked(view("o", owner: newer)), at: 1_000) == [])
        newer.holder = "p"
        #expect(machine.handle(.looked(view("p", generation: 2, owner: newer)), at: 1_250) == [.tellOfVersion(newer)])
        #expect(
            machine.handle(.looked(view("o", generation: 3, owner: owner)), at: 1_500) == [.dial(owner)],
            "as soon as one of this version owns the log")
    }

    @Test("when the owner is another process, the link to the first one ends before the next is dialled")
    func moves() {
        var machine = ClusterMachine(holder: "e", name: "edge")
        let next = NodeAddress(holder: "p", name: "two", url: "http://two:1", secret: "t", version: 1)
        _ = machine.handle(.looked(view("o", owner: owner)), at: 0)
        #expect(machine.handle(.looked(view("p", generation: 2, owner: next)), at: 250) == [.hangUp])
        #expect(machine.handle(.linkEnded, at: 260) == [])
        #expect(machine.handle(.looked(view("p", generation: 2, owner: next)), at: 1_000) == [.dial(next)])
    }

    @Test("the preferred node claims a free log at once, the others a second later")
    func claims() {
        let nodes = [("a", "alpha"), ("b", "beta"), ("c", "gamma")]
        var claimed: [Int64: [String]] = [:]
        for (holder, name) in nodes {
            var machine = ClusterMachine(holder: holder, name: name)
            for now in stride(from: Int64(0), through: 1_500, by: 250) {
                let orders = machine.handle(.looked(view("dead", generation: 7, isFree: true, nodes: nodes)), at: now)
                if orders.contains(.claim(generation: 7)) {
                    claimed[now, default: []].append(holder)
                    break
                }
            }
        }
        #expect(claimed[0]?.count == 1 && claimed[1_000]?.count == 2)
    }

    @Test("a free log that another claims meanwhile is left to that one")
    func courtesy() {
        let nodes = [("a", "alpha"), ("b", "beta"), ("c", "gamma")]
        for (holder, name) in nodes {
            var machine = ClusterMachine(holder: holder, name: name)
            let first = machine.handle(.looked(view(nil, isFree: true, nodes: nodes)), at: 0)
            guard !first.contains(.claim(generation: 1)) else { continue }
            #expect(machine.handle(.looked(view("o", generation: 2)), at: 500) == [])
            // Free again: the second begins anew.
            #expect(machine.handle(.looked(view(nil, generation: 2, isFree: true, nodes: nodes)), at: 1_200) == [])
        }
    }

    @Test("who claims does nothing else, and serves when it came through")
    func serves() {
        var machine = ClusterMachine(holder: "a", name: "alpha")
        #expect(
            machine.handle(.looked(view(nil, isFree: true, nodes: [("a", "alpha")])), at: 0) == [.renew, .claim(generation: 1)])
        #expect(machine.handle(.looked(view(nil, isFree: true)), at: 250) == [])
        #expect(machine.handle(.claimed, at: 300) == [.serve])
        #expect(
            machine.handle(.looked(view("b", owner: owner)), at: 9_000) == [],
            "an owner that is none any more ends by its lease")
    }

    @Test("a claim that failed makes it an edge again, which may claim once more")
    func fails() {
        var machine = ClusterMachine(holder: "a", name: "alpha")
        let free = view(nil, isFree: true, nodes: [("a", "alpha")])
        _ = machine.handle(.looked(free), at: 0)
        #expect(machine.handle(.claimFailed, at: 100) == [])
        #expect(machine.handle(.looked(view("o", generation: 2, owner: owner)), at: 250) == [.dial(owner)])
        #expect(machine.handle(.linkEnded, at: 300) == [])
        #expect(
            machine.handle(.looked(view(nil, generation: 2, isFree: true, nodes: [("a", "alpha")])), at: 500) == [
                .claim(generation: 2)
            ])
    }

    @Test("after a claim that failed nobody is dialled before the link to the stopped owner has ended")
    func slowGoodbye() {
        var machine = ClusterMachine(holder: "a", name: "alpha")
        let next = NodeAddress(holder: "b", name: "beta", url: "http://b:1", secret: "t", version: 1)
        _ = machine.handle(.looked(view("o", owner: owner)), at: 0)
        let orders = machine.handle(.looked(view("o", isFree: true, owner: owner, nodes: [("a", "alpha")])), at: 9_000)
        #expect(orders == [.renew, .hangUp, .claim(generation: 1)])
        _ = machine.handle(.claimFailed, at: 9_100)
        #expect(machine.handle(.looked(view("b", generation: 2, owner: next)), at: 9_250) == [.hangUp])
        _ = machine.handle(.linkEnded, at: 9_300)
        #expect(machine.handle(.looked(view("b", generation: 2, owner: next)), at: 10_000) == [.dial(next)])
    }

    @Test("a claim that came through without a word of it is made again at once")
    func untold() {
        var machine = ClusterMachine(holder: "a", name: "alpha")
        _ = machine.handle(.looked(view(nil, isFree: true, nodes: [("a", "alpha")])), at: 0)
        _ = machine.handle(.claimFailed, at: 10_000)
        let others = [("a", "alpha"), ("b", "beta"), ("c", "gamma")]
        #expect(
            machine.handle(.looked(view("a", generation: 2, nodes: others)), at: 10_250) == [.renew, .claim(generation: 2)])
    }

    @Test("a link to an owner whose lease is over ends, and the log is claimed")
    func frozen() {
        var machine = ClusterMachine(holder: "a", name: "alpha")
        _ = machine.handle(.looked(view("o", owner: owner)), at: 0)
        let orders = machine.handle(.looked(view("o", isFree: true, owner: owner, nodes: [("a", "alpha")])), at: 9_000)
        #expect(orders == [.renew, .hangUp, .claim(generation: 1)])
    }

    @Test("who is told to stop claims nothing more")
    func stops() {
        var machine = ClusterMachine(holder: "a", name: "alpha")
        _ = machine.handle(.looked(view("o", owner: owner)), at: 0)
        #expect(machine.handle(.stopOrdered, at: 10) == [.hangUp, .leave])
        #expect(machine.handle(.looked(view(nil, isFree: true, nodes: [("a", "alpha")])), at: 5_000) == [])
    }
}
