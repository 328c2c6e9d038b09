import Testing

@testable import RelayCluster

@Suite("Which workspaces a node owns")
struct PlacementMachineTests {
    private static func node(_ holder: String, version: Int = NodeLinkProtocol.version) -> NodeAddress {
        NodeAddress(holder: holder, name: "node-\(holder)", url: "http://\(holder):1", secret: "s", version: version)
    }

    private typealias Row = PlacementView.Row

    private func view(_ rows: [Row], _ nodes: String..., leaving: Set<String> = []) -> PlacementView {
        PlacementView(rows: rows, nodes: nodes.map { Self.node($0) }, leaving: leaving)
    }

    /// A workspace name that belongs to this one of the nodes.
    private func scope(of holder: String, among nodes: String..., skipping: Int = 0) -> String {
        let all = nodes.map { Self.node($0) }
        var left = skipping
        for number in 0..<10_000 where Rendezvous.preferred(for: "w\(number)", among: all) == holder {
            if left == 0 { return "w\(number)" }
            left -= 1
        }
        preconditionFailure("each node has its part of so many")
    }

    @Test("workspaces whose ids differ in their last letter are spread over the nodes, and keep their places when one comes")
    func spread() {
        let three = ["a", "b", "c"].map { Self.node($0) }
        let scopes = (0..<300).map { "w_\($0)" }
        let places = scopes.map { Rendezvous.preferred(for: $0, among: three)! }
        for node in three { #expect((70...130).contains(places.filter { $0 == node.holder }.count)) }
        let four = three + [Self.node("d")]
        for (scope, place) in zip(scopes, places) {
            let now = Rendezvous.preferred(for: scope, among: four)!
            #expect(now == place || now == "d")
        }
    }

    @Test("the preferred node claims a free workspace at once, the other a second later")
    func claims() {
        let scope = scope(of: "a", among: "a", "b")
        let free = view([Row(scope: scope, generation: 7, holder: "dead", isFree: true)], "a", "b")
        var (first, second) = (PlacementMachine(holder: "a"), PlacementMachine(holder: "b"))
        #expect(first.handle(.looked(free), at: 0) == [.renew, .claim(scope, generation: 7)])
        #expect(first.handle(.looked(free), at: 250) == [], "one that is under way is waited for")
        #expect(second.handle(.looked(free), at: 0) == [.renew])
        #expect(second.handle(.looked(free), at: 750) == [])
        #expect(second.handle(.looked(free), at: 1_000) == [.claim(scope, generation: 7)])
        #expect(second.handle(.claimFailed(scope), at: 1_010) == [])
        let taken = view([Row(scope: scope, generation: 8, holder: "a", isFree: false)], "a", "b")
        #expect(second.handle(.looked(taken), at: 1_250) == [.dial(Self.node("a"))])
        #expect(first.handle(.claimed(scope), at: 300) == [] && first.owned == [scope])
    }

    @Test("a few are claimed at once, and the others follow")
    func manyClaims() {
        let rows = (0..<20).map { Row(scope: "w\($0)", generation: 0, holder: nil, isFree: true) }
        var machine = PlacementMachine(holder: "a")
        let orders = machine.handle(.looked(view(rows, "a")), at: 0)
        #expect(orders.count == 1 + PlacementMachine.claimsAtOnceMax)
        guard case .claim(let scope, _)? = orders.last else { return _ = Issue.record("a claim is ordered") }
        _ = machine.handle(.claimed(scope), at: 1)
        let after = rows.map { $0.scope == scope ? Row(scope: scope, generation: 1, holder: "a", isFree: false) : $0 }
        #expect(machine.handle(.looked(view(after, "a")), at: 250).count == 1)
    }

    @Test("of many that are free for a while, a node first claims what belongs to it")
    func ownClaimsFirst() {
        let rows = (10..<50).map { Row(scope: "w\($0)", generation: 0, holder: nil, isFree: true) }
        let seen = view(rows, "a", "b")
        let shares = Shares(seen, among: seen.nodes)
        let own = rows.map(\.scope).filter { shares.place(ofFree: $0) == "b" }
        #expect(own.count == 20 && own != Array(rows.map(\.scope).suffix(20)) && own != Array(rows.map(\.scope).prefix(20)))
        var machine = PlacementMachine(holder: "b")
        var claimed: [String] = []
        for round in 0..<5 {
            // The other node claims nothing, for longer than the courtesy.
            for order in machine.handle(.looked(seen), at: Int64(round) * 2_000) {
                guard case .claim(let scope, _) = order else { continue }
                claimed.append(scope)
                _ = machine.handle(.claimed(scope), at: Int64(round) * 2_000)
            }
        }
        #expect(Array(claimed.prefix(20)) == own)
        #expect(claimed.count == rows.count)
    }

    @Test("each owner has one link, however many workspaces it owns, which ends when it owns none")
    func links() {
        var machine = PlacementMachine(holder: "a")
        let rows = ["w1", "w2"].map { Row(scope: $0, generation: 1, holder: "b", isFree: false) }
        #expect(machine.handle(.looked(view(rows, "a", "b", "c")), at: 0) == [.renew, .dial(Self.node("b"))])
        #expect(machine.handle(.looked(view(rows, "a", "b", "c")), at: 250) == [])
        #expect(machine.handle(.linkEnded("b"), at: 300) == [])
        #expect(machine.handle(.looked(view(rows, "a", "b", "c")), at: 500) == [], "not at once")
        #expect(machine.handle(.looked(view(rows, "a", "b", "c")), at: 800) == [.dial(Self.node("b"))])
        let moved = rows.map { Row(scope: $0.scope, generation: 2, holder: "c", isFree: false) }
        #expect(
            machine.handle(.looked(view(moved, "a", "b", "c")), at: 1_000) == [.hangUp("b"), .dial(Self.node("c"))],
            "several links may be there at once")
        #expect(machine.handle(.looked(view(moved, "a", "b", "c")), at: 1_250) == [])
    }

    @Test("an owner of another version of links is told of once, and not dialled")
    func otherVersion() {
        var machine = PlacementMachine(holder: "a")
        let other = Self.node("b", version: NodeLinkProtocol.version + 1)
        let seen = PlacementView(
            rows: [Row(scope: "w1", generation: 1, holder: "b", isFree: false)], nodes: [Self.node("a"), other])
        #expect(machine.handle(.looked(seen), at: 0) == [.renew, .tellOfVersion(other)])
        #expect(machine.handle(.looked(seen), at: 250) == [])
    }

    /// A machine that owns `scopes`, from time 0.
    private func owner(_ holder: String, of scopes: String...) -> PlacementMachine {
        var machine = PlacementMachine(holder: holder)
        let rows = scopes.map { Row(scope: $0, generation: 0, holder: nil, isFree: true) }
        _ = machine.handle(.looked(view(rows, holder)), at: 0)
        for scope in scopes { _ = machine.handle(.claimed(scope), at: 0) }
        return machine
    }

    @Test("an owner hands over what belongs to another with fewer, one in ten seconds, and never two at once")
    func handsOver() {
        let scopes = (0..<4).map { scope(of: "b", among: "a", "b", skipping: $0) }.sorted()
        var machine = owner("a", of: scopes[0], scopes[1], scopes[2], scopes[3])
        var rows = scopes.map { Row(scope: $0, generation: 1, holder: "a", isFree: false) }
        #expect(machine.handle(.looked(view(rows, "a", "b")), at: 9_000) == [.renew], "not as soon as it has it")
        #expect(machine.handle(.looked(view(rows, "a", "b")), at: 10_000) == [.handOver(scopes[0])])
        #expect(machine.handle(.looked(view(rows, "a", "b")), at: 30_000) == [.renew])
        #expect(machine.owned == [scopes[1], scopes[2], scopes[3]])
        #expect(machine.handle(.handedOver(scopes[0]), at: 30_100) == [])
        rows[0] = Row(scope: scopes[0], generation: 2, holder: "b", isFree: false)
        #expect(machine.handle(.looked(view(rows, "a", "b")), at: 30_250) == [.handOver(scopes[1]), .dial(Self.node("b"))])
        _ = machine.handle(.handedOver(scopes[1]), at: 30_300)
        rows[1] = Row(scope: scopes[1], generation: 2, holder: "b", isFree: false)
        for now in stride(from: Int64(40_250), through: 70_250, by: 10_000) {
            #expect(machine.handle(.looked(view(rows, "a", "b")), at: now) == [.renew], "each has two")
        }
    }

    @Test("a single workspace stays where it is, whoever it belongs to")
    func single() {
        let scope = scope(of: "b", among: "a", "b")
        var machine = owner("a", of: scope)
        let held = view([Row(scope: scope, generation: 1, holder: "a", isFree: false)], "a", "b")
        for now in stride(from: Int64(10_000), through: 60_000, by: 10_000) {
            #expect(machine.handle(.looked(held), at: now) == [.renew])
        }
    }

    @Test("a workspace that the other did not take comes back, and nothing goes there for ten minutes")
    func comesBack() {
        let (scope, other) = (scope(of: "b", among: "a", "b"), scope(of: "a", among: "a", "b"))
        var machine = owner("a", of: scope, other)
        let kept = Row(scope: other, generation: 1, holder: "a", isFree: false)
        let held = view([Row(scope: scope, generation: 1, holder: "a", isFree: false), kept], "a", "b")
        let free = view([Row(scope: scope, generation: 1, holder: nil, isFree: true), kept], "a", "b")
        #expect(machine.handle(.looked(held), at: 10_000) == [.renew, .handOver(scope)])
        _ = machine.handle(.handedOver(scope), at: 10_100)
        #expect(machine.handle(.looked(free), at: 10_250) == [], "it leaves it to the other")
        #expect(machine.handle(.looked(free), at: 11_250) == [.claim(scope, generation: 1)])
        _ = machine.handle(.claimed(scope), at: 11_300)
        for now in stride(from: Int64(12_000), through: 611_000, by: 1_000) {
            let orders = machine.handle(.looked(held), at: now)
            #expect(!orders.contains(.handOver(scope)) && !orders.contains(.handOver(other)))
        }
        #expect(machine.handle(.looked(held), at: 611_300).contains(.handOver(scope)))
    }

    @Test("a node that drains hands all over, one after the other, claims nothing, and leaves when nothing is left")
    func drains() {
        var machine = owner("a", of: "w1", "w2")
        #expect(machine.handle(.drainOrdered, at: 100) == [])
        var rows = ["w1", "w2"].map { Row(scope: $0, generation: 1, holder: "a", isFree: false) }
        rows.append(Row(scope: "w3", generation: 4, holder: nil, isFree: true))
        #expect(machine.handle(.looked(view(rows, "a", "b")), at: 250) == [.handOver("w1")])
        #expect(machine.handle(.looked(view(rows, "a", "b")), at: 1_900) == [])
        _ = machine.handle(.handedOver("w1"), at: 1_950)
        rows[0].holder = "b"
        #expect(machine.handle(.looked(view(rows, "a", "b")), at: 1_999) == [.handOver("w2"), .dial(Self.node("b"))])
        _ = machine.handle(.handedOver("w2"), at: 2_050)
        rows[1].holder = "b"
        #expect(machine.handle(.looked(view(rows, "a", "b")), at: 2_100) == [.renew, .hangUp("b"), .leave])
        #expect(machine.handle(.looked(view(rows, "a", "b")), at: 9_000) == [])
    }

    @Test("a node that drains alone leaves at once")
    func drainsAlone() {
        var machine = owner("a", of: "w1")
        _ = machine.handle(.drainOrdered, at: 100)
        #expect(
            machine.handle(.looked(view([Row(scope: "w1", generation: 1, holder: "a", isFree: false)], "a")), at: 250) == [
                .leave
            ])
    }

    @Test("what another owns by now is dropped, and the rest goes on")
    func dropsOne() {
        var machine = owner("a", of: "w1", "w2")
        #expect(machine.handle(.lost("w1"), at: 100) == [.drop("w1")] && machine.owned == ["w2"])
        #expect(machine.handle(.lost("w1"), at: 110) == [])
        let rows = ["w1", "w2"].map { Row(scope: $0, generation: 2, holder: "b", isFree: false) }
        #expect(machine.handle(.looked(view(rows, "a", "b")), at: 250) == [.drop("w2"), .dial(Self.node("b"))])
        #expect(machine.owned == [])
    }

    @Test("a look that is older than the claim does not take from an owner what it has just claimed")
    func olderLook() {
        var machine = owner("a", of: "w1")
        let older = view([Row(scope: "w1", generation: 0, holder: "dead", isFree: false)], "a", "b")
        #expect(machine.handle(.looked(older), at: 10) == [] && machine.owned == ["w1"])
        let newer = view([Row(scope: "w1", generation: 2, holder: nil, isFree: true)], "a", "b")
        #expect(machine.handle(.looked(newer), at: 260) == [.drop("w1")], "an operator has fenced it")
    }

    @Test("a claim that came through without a word of it is made again, when two looks have seen it")
    func untoldClaim() {
        let scope = scope(of: "b", among: "a", "b")
        var machine = PlacementMachine(holder: "a")
        let free = view([Row(scope: scope, generation: 4, holder: nil, isFree: true)], "a", "b")
        _ = machine.handle(.looked(free), at: 0)
        #expect(machine.handle(.looked(free), at: 1_000) == [.claim(scope, generation: 4)])
        _ = machine.handle(.claimFailed(scope), at: 1_100)
        let own = view([Row(scope: scope, generation: 5, holder: "a", isFree: false)], "a", "b")
        #expect(machine.handle(.looked(own), at: 1_250) == [])
        #expect(machine.handle(.looked(own), at: 1_500) == [.claim(scope, generation: 5)])
    }

    @Test("what was handed over while a look was under way is not claimed by what that look saw")
    func handedOverSince() {
        let (scope, other) = (scope(of: "b", among: "a", "b"), scope(of: "a", among: "a", "b"))
        var machine = owner("a", of: scope, other)
        let kept = Row(scope: other, generation: 1, holder: "a", isFree: false)
        let held = view([Row(scope: scope, generation: 1, holder: "a", isFree: false), kept], "a", "b")
        #expect(machine.handle(.looked(held), at: 10_000) == [.renew, .handOver(scope)])
        #expect(machine.handle(.handedOver(scope), at: 10_100) == [])
        #expect(machine.handle(.looked(held), at: 10_110) == [])
        let taken = view([Row(scope: scope, generation: 2, holder: "b", isFree: false), kept], "a", "b")
        #expect(machine.handle(.looked(taken), at: 10_360) == [.dial(Self.node("b"))])
    }

    @Test("a node that cannot take a workspace in leaves it to the others for three seconds")
    func cannotLoad() {
        let scope = scope(of: "a", among: "a", "b")
        var (first, second) = (PlacementMachine(holder: "a"), PlacementMachine(holder: "b"))
        let free = view([Row(scope: scope, generation: 1, holder: nil, isFree: true)], "a", "b")
        #expect(first.handle(.looked(free), at: 0) == [.renew, .claim(scope, generation: 1)])
        #expect(first.handle(.claimFailed(scope), at: 100) == [])
        let freed = view([Row(scope: scope, generation: 2, holder: nil, isFree: true)], "a", "b")
        #expect(first.handle(.looked(freed), at: 250) == [])
        #expect(second.handle(.looked(freed), at: 250) == [.renew])
        #expect(first.handle(.looked(freed), at: 1_250) == [])
        #expect(second.handle(.looked(freed), at: 1_250) == [.claim(scope, generation: 2)])
        #expect(first.handle(.looked(freed), at: 3_100) == [.renew, .claim(scope, generation: 2)], "nobody has taken it")
    }

    @Test("a workspace whose row has gone is handed over at once, and forgotten")
    func gone() {
        var machine = owner("a", of: "w1", "w2")
        let left = view([Row(scope: "w2", generation: 1, holder: "a", isFree: false)], "a")
        #expect(machine.handle(.looked(left), at: 250) == [.handOver("w1")])
        #expect(machine.owned == ["w2"])
        #expect(machine.handle(.handedOver("w1"), at: 300) == [])
        #expect(machine.handle(.looked(left), at: 500) == [])
    }

    @Test("a node whose lease is over hands nothing over before it counts as one again")
    func wokenUp() {
        let scope = scope(of: "a", among: "a", "b")
        var machine = owner("a", of: scope)
        let rows = [Row(scope: scope, generation: 1, holder: "a", isFree: true)]
        #expect(machine.handle(.looked(view(rows, "b")), at: 30_000) == [.renew], "it was stopped, and the others see b alone")
        #expect(machine.handle(.looked(view(rows, "a", "b")), at: 30_250) == [])
        #expect(machine.owned == [scope])
    }

    /// Nodes with the rows of a database, which come and go.
    private struct Cluster {
        var rows: [String: (generation: Int64, holder: String?)]
        var machines: [String: PlacementMachine] = [:]
        var handOvers: [String: [Int64]] = [:]

        func view() -> PlacementView {
            PlacementView(
                rows: rows.map { scope, row in
                    Row(
                        scope: scope, generation: row.generation, holder: row.holder,
                        isFree: row.holder.map { machines[$0] == nil } ?? true)
                }, nodes: machines.keys.map { PlacementMachineTests.node($0) })
        }

        mutating func look(_ holder: String, at now: Int64) {
            let seen = view()
            for order in machines[holder]?.handle(.looked(seen), at: now) ?? [] {
                switch order {
                case .claim(let scope, let generation):
                    guard let row = rows[scope], row.generation == generation else {
                        _ = machines[holder]?.handle(.claimFailed(scope), at: now)
                        continue
                    }
                    rows[scope] = (generation + 1, holder)
                    _ = machines[holder]?.handle(.claimed(scope), at: now)
                case .handOver(let scope):
                    handOvers[holder, default: []].append(now)
                    rows[scope]?.holder = nil
                    _ = machines[holder]?.handle(.handedOver(scope), at: now)
                case .leave: machines[holder] = nil
                case .drop, .renew, .dial, .tellOfVersion, .hangUp: break
                }
            }
        }
    }

    @Test(
        "whoever comes and goes, in the end no node has two more than another, and nothing is moved faster than peers can follow",
        arguments: 0..<6 as Range<UInt64>)
    func settles(seed: UInt64) {
        var dice = seed &+ 1
        func roll(_ count: Int) -> Int {
            dice ^= dice << 13
            dice ^= dice >> 7
            dice ^= dice << 17
            return Int(dice % UInt64(count))
        }
        var cluster = Cluster(rows: Dictionary(uniqueKeysWithValues: (0..<12).map { ("w\($0)", (0, nil)) }))
        var (now, last): (Int64, Int) = (0, 0)
        for step in 0..<2_400 {
            now += 250
            if step < 1_600, roll(100) == 0 {
                let there = cluster.machines.keys.sorted()
                switch roll(3) {
                case 0 where there.count < 4:
                    last += 1
                    cluster.machines["n\(last)"] = PlacementMachine(holder: "n\(last)")
                case 1 where there.count > 1: cluster.machines[there[roll(there.count)]] = nil
                case 2 where there.count > 1: _ = cluster.machines[there[roll(there.count)]]?.handle(.drainOrdered, at: now)
                default: break
                }
            }
            if cluster.machines.isEmpty { cluster.machines["n0"] = PlacementMachine(holder: "n0") }
            for holder in cluster.machines.keys.sorted() { cluster.look(holder, at: now) }
            for (holder, machine) in cluster.machines {
                #expect(machine.owned.isSubset(of: cluster.rows.filter { $0.value.holder == holder }.keys))
            }
        }
        // Restarted nodes have been there long enough by now, too.
        for _ in 0..<3_200 {
            now += 250
            for holder in cluster.machines.keys.sorted() { cluster.look(holder, at: now) }
        }
        let counts = cluster.machines.keys.map { holder in cluster.rows.values.count { $0.holder == holder } }
        #expect(counts.max()! - counts.min()! <= 1 && counts.reduce(0, +) == cluster.rows.count)
    }

    @Test("in the end no node has two more than another, whoever has what now, and nothing moves that evens nothing out")
    func shares() {
        let counts = [
            [0, 0, 0], [8, 0, 0], [5, 3, 0], [4, 4, 0], [3, 3, 2], [2, 2, 2], [3, 1, 0], [1, 0, 0], [2, 1, 1], [2, 2, 0],
        ]
        for owned in counts {
            for free in 0..<10 {
                var counts = Dictionary(uniqueKeysWithValues: zip(["a", "b", "c"], owned))
                let rows =
                    counts.sorted { $0.key < $1.key }.flatMap { holder, count in
                        (0..<count).map { Row(scope: "\(holder)\($0)", generation: 1, holder: holder, isFree: false) }
                    } + (0..<free).map { Row(scope: "free \($0)", generation: 1, holder: nil, isFree: true) }
                let seen = view(rows, "a", "b", "c")
                let shares = Shares(seen, among: seen.nodes)
                for row in rows where row.isFree {
                    guard let place = shares.place(ofFree: row.scope) else {
                        return _ = Issue.record("\(row.scope) has no place")
                    }
                    counts[place, default: 0] += 1
                }
                let (most, fewest) = (counts.values.max()!, counts.values.min()!)
                let givers = counts.keys.filter { holder in
                    shares.isOverfull(holder) && rows.contains { $0.holder == holder && shares.place(for: $0) != nil }
                }
                // Free workspaces go where they even out most; the nodes with the most hand over the rest.
                #expect(givers.isEmpty == (most - fewest <= 1), "\(owned) and \(free): \(counts), \(givers)")
                #expect(givers.allSatisfy { counts[$0]! - fewest >= 2 })
            }
        }
    }

    @Test("a node that nothing belongs to by its name has its share all the same")
    func namesOfNoLuck() {
        let scopes = (0..<4).map { scope(of: $0 < 2 ? "a" : "b", among: "a", "b", "c", skipping: $0 % 2) }.sorted()
        var rows = scopes.map { Row(scope: $0, generation: 1, holder: "a", isFree: false) }
        var machine = owner("a", of: scopes[0], scopes[1], scopes[2], scopes[3])
        var now: Int64 = 10_000
        for _ in 0..<2 {
            let orders = machine.handle(.looked(view(rows, "a", "b", "c")), at: now)
            let order = orders.first { if case .handOver = $0 { true } else { false } }
            guard case .handOver(let scope)? = order else { return _ = Issue.record("something is handed over at \(now)") }
            _ = machine.handle(.handedOver(scope), at: now + 100)
            let index = scopes.firstIndex(of: scope)!
            rows[index] = Row(scope: scope, generation: 1, holder: nil, isFree: true)
            let place = Shares(view(rows, "a", "b", "c"), among: view([], "a", "b", "c").nodes).place(ofFree: scope)
            rows[index] = Row(scope: scope, generation: 2, holder: place, isFree: false)
            now += 10_000
        }
        #expect(Set(rows.map(\.holder)) == ["a", "b", "c"])
    }
}
