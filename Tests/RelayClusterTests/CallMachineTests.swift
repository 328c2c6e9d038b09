import Testing

@testable import RelayCluster

@Suite("Which requests wait for an owner")
struct CallMachineTests {
    private func id(_ number: UInt64) -> CallMachine.CallID { CallMachine.CallID(rawValue: number) }

    private func call(
        of workspace: String = "w1", by asker: CallMachine.Asker = .token("t1"), bytes: Int = 100
    ) -> CallMachine.Call {
        CallMachine.Call(workspace: workspace, asker: asker, bytes: bytes)
    }

    private let other = CallMachine.Way.link("other")
    private let third = CallMachine.Way.link("third")

    /// Adds requests by `count` differently named callers, one each, so that only the total limits are reached.
    private func fill(_ machine: inout CallMachine, _ workspaces: [String], each count: Int) {
        for (place, workspace) in workspaces.enumerated() {
            for number in 0..<count {
                let orders = machine.handle(
                    .called(
                        id(UInt64(1_000 * (place + 1) + number)), call(of: workspace, by: .token("\(workspace) \(number)")), nil
                    ),
                    at: 0)
                #expect(orders == [])
            }
        }
    }

    @Test("what has a way goes at once, and waits for nobody")
    func carried() {
        var machine = CallMachine()
        #expect(machine.handle(.called(id(1), call(), .own), at: 0) == [.carry(id(1), keeps: false)], "a core answers all")
        #expect(machine.handle(.called(id(2), call(), other), at: 0) == [.carry(id(2), keeps: true)], "an owner may be none")
        #expect(machine.workspaces == [] && machine.due == nil)
    }

    @Test("what has no way waits for one, and then goes once, in the order in which it came")
    func waits() {
        var machine = CallMachine()
        // The numbers of requests say nothing of their order.
        for number in [7, 3, 9] as [UInt64] { #expect(machine.handle(.called(id(number), call(), nil), at: 0) == []) }
        #expect(machine.handle(.called(id(4), call(of: "w2"), nil), at: 100) == [])
        #expect(machine.workspaces == ["w1", "w2"] && machine.due == CallMachine.patience)
        #expect(machine.handle(.looked([:]), at: 1_000) == [])
        #expect(
            machine.handle(.looked(["w1": other]), at: 2_000) == [
                .carry(id(7), keeps: true), .carry(id(3), keeps: true), .carry(id(9), keeps: true),
            ])
        #expect(machine.handle(.looked(["w1": other, "w2": .own]), at: 2_001) == [.carry(id(4), keeps: false)])
        #expect(machine.workspaces == [] && machine.due == nil)
        #expect(machine.handle(.looked(["w1": other, "w2": .own]), at: 9_000) == [], "each goes once")
    }

    @Test("a request that comes when there is a way again overtakes none that wait, and none waits for another workspace's")
    func order() {
        var machine = CallMachine()
        #expect(machine.handle(.called(id(1), call(), nil), at: 0) == [])
        #expect(machine.handle(.called(id(2), call(of: "w2"), other), at: 1) == [.carry(id(2), keeps: true)])
        #expect(
            machine.handle(.called(id(3), call(), other), at: 2) == [.carry(id(1), keeps: true), .carry(id(3), keeps: true)])
    }

    @Test("nobody waits for longer than may, however late a way is found")
    func deadline() {
        var machine = CallMachine()
        _ = machine.handle(.called(id(1), call(), nil), at: 0)
        _ = machine.handle(.called(id(2), call(), nil), at: 10)
        #expect(machine.handle(.looked([:]), at: CallMachine.patience - 1) == [])
        #expect(machine.due == CallMachine.patience)
        #expect(machine.handle(.looked([:]), at: CallMachine.patience) == [.refuse(id(1), .noOwner)])
        #expect(machine.due == CallMachine.patience + 10)
        // A way that is there by then is taken.
        #expect(machine.handle(.looked(["w1": .own]), at: CallMachine.patience + 10) == [.carry(id(2), keeps: false)])
        #expect(machine.handle(.looked([:]), at: 2 * CallMachine.patience) == [])
    }

    @Test("what comes back from one that owns nothing of it waits for another way, and is then carried there")
    func returned() {
        var machine = CallMachine()
        _ = machine.handle(.called(id(1), call(), other), at: 0)
        _ = machine.handle(.called(id(2), call(), other), at: 0)
        // This node still considers the other the owner.
        #expect(machine.handle(.failed(id(1), .noOwner, other), at: 10) == [])
        #expect(machine.handle(.called(id(3), call(), other), at: 11) == [], "it would come back, too")
        #expect(machine.handle(.failed(id(2), .noOwner, other), at: 12) == [])
        #expect(machine.handle(.looked(["w1": other]), at: 20) == [], "nothing has changed")
        #expect(
            machine.handle(.looked(["w1": third]), at: 30) == [
                .carry(id(1), keeps: true), .carry(id(2), keeps: true), .carry(id(3), keeps: true),
            ])
        #expect(machine.handle(.called(id(4), call(), third), at: 31) == [.carry(id(4), keeps: true)])
        #expect(
            machine.handle(.failed(id(4), .noOwner, .own), at: 32) == [.carry(id(4), keeps: false)], "it is this node's by now")
    }

    @Test("a node that did not own the workspace is asked again after a while, and no longer than a request waits")
    func retried() {
        var machine = CallMachine()
        _ = machine.handle(.called(id(1), call(), other), at: 0)
        var (now, tries) = (Int64(1), 1)
        var orders = machine.handle(.failed(id(1), .noOwner, other), at: now)
        while orders.isEmpty {
            guard let due = machine.due else { break }
            #expect(due > now, "a look that comes too early would come again at once")
            now = due
            orders = machine.handle(.looked(["w1": other]), at: now)
            guard orders == [.carry(id(1), keeps: true)] else { break }
            tries += 1
            orders = machine.handle(.failed(id(1), .noOwner, other), at: now + 1)
            now += 1
        }
        #expect(orders == [.refuse(id(1), .noOwner)] && now >= CallMachine.patience)
        #expect(now < CallMachine.patience + CallMachine.retryInterval)
        #expect((15...20).contains(tries), "\(tries)")
        #expect(machine.due == nil && machine.handle(.looked(["w1": other]), at: now + 1_000) == [])
    }

    @Test("what waited finds the link to its new owner full, and goes along it as soon as there is room")
    func crowded() {
        var (machine, edge) = (CallMachine(), EdgeMachine())
        let request = HTTPCall(
            method: "POST", path: "/", query: nil, headers: [], body: [], peer: .ip("127.0.0.1"), isNamedByProxy: false,
            isTLS: false)
        _ = edge.handle(.linkOpened)
        var (carried, numbers) = ([CallMachine.CallID](), [UInt64]())
        /// Carries out orders, like `NodeRoutes` and `EdgeRunner`.
        func carryOut(_ orders: [CallMachine.Order], at now: Int64) {
            for order in orders {
                guard case .carry(let call, true) = order else { return #expect(Bool(false), "\(order)") }
                for order in edge.handle(.called(call, request)) {
                    switch order {
                    case .tell(.call(let number, _)): (carried, numbers) = (carried + [call], numbers + [number])
                    case .fail(let call, let failure): carryOut(machine.handle(.failed(call, failure, other), at: now), at: now)
                    default: #expect(Bool(false), "\(order)")
                    }
                }
            }
        }
        carryOut(machine.handle(.called(id(1), call(of: "w3", by: .token("t3")), other), at: 0), at: 0)
        fill(&machine, ["w1", "w2"], each: CallMachine.callsOfWorkspaceMax)
        carryOut(machine.handle(.looked(["w1": other, "w2": other]), at: 10), at: 10)
        #expect(carried.count == NodeLinkLimits.callsMax && machine.workspaces == ["w2"] && machine.waitingCount == 1)
        #expect(machine.handle(.looked(["w2": other]), at: 11) == [], "it is not asked again at once")
        #expect(machine.due == 10 + CallMachine.retryInterval)
        _ = edge.handle(.ownerSaid(.answer(numbers[0], HTTPAnswer(status: 200, headers: [], body: []))))
        carryOut(machine.handle(.looked(["w2": other]), at: 10 + CallMachine.retryInterval), at: 10 + CallMachine.retryInterval)
        #expect(
            machine.waitingCount == 0 && Set(carried).count == CallMachine.callsMax + 1 && carried.count == Set(carried).count)
    }

    @Test("where the link stays full, that is what a request is refused for when its time is over")
    func crowdedForLong() {
        var machine = CallMachine()
        _ = machine.handle(.called(id(1), call(), other), at: 0)
        #expect(machine.handle(.failed(id(1), .tooMany, other), at: 0) == [])
        #expect(machine.handle(.looked(["w1": other]), at: CallMachine.retryInterval) == [.carry(id(1), keeps: true)])
        #expect(machine.handle(.failed(id(1), .tooMany, other), at: CallMachine.patience - 1) == [])
        #expect(machine.handle(.looked(["w1": other]), at: CallMachine.patience) == [.refuse(id(1), .crowded)])
        #expect(machine.handle(.failed(id(2), .tooMany, other), at: 0) == [.refuse(id(2), .crowded)], "nobody has kept it")
    }

    @Test("what was under way over a link that has ended may have been done, and waits for nothing")
    func unanswered() {
        var machine = CallMachine()
        _ = machine.handle(.called(id(1), call(), other), at: 0)
        #expect(machine.handle(.failed(id(1), .linkEnded, third), at: 1) == [.refuse(id(1), .unanswered)])
        #expect(machine.handle(.failed(id(2), .linkEnded, third), at: 1) == [.refuse(id(2), .unanswered)], "nobody has kept it")
        #expect(machine.workspaces == [] && machine.handle(.looked(["w1": third]), at: 2) == [])
    }

    @Test("a doubt that is over wakes nobody while there is no way")
    func doubtIsOver() {
        var machine = CallMachine()
        _ = machine.handle(.called(id(1), call(), other), at: 0)
        _ = machine.handle(.failed(id(1), .noOwner, nil), at: 0)
        #expect(machine.due == CallMachine.retryInterval)
        #expect(machine.handle(.looked([:]), at: CallMachine.retryInterval) == [])
        #expect(machine.due == CallMachine.patience)
    }

    @Test("what was answered, or may have been done, is never carried again")
    func ended() {
        var machine = CallMachine()
        _ = machine.handle(.called(id(1), call(), other), at: 0)
        #expect(machine.handle(.ended(id(1)), at: 1) == [])
        #expect(machine.handle(.failed(id(1), .noOwner, third), at: 2) == [.refuse(id(1), .noOwner)], "nobody has kept it")
        #expect(machine.handle(.looked(["w1": third]), at: 3) == [])
    }

    @Test("a client that has gone leaves its place to another, and nothing is carried for it")
    func gone() {
        var machine = CallMachine()
        fill(&machine, ["w1", "w2"], each: CallMachine.callsOfWorkspaceMax)
        #expect(machine.handle(.called(id(1), call(of: "w3"), nil), at: 1) == [.refuse(id(1), .tooMany)])
        #expect(machine.handle(.ended(id(1_000)), at: 1) == [])
        #expect(machine.handle(.called(id(2), call(of: "w3"), nil), at: 1) == [])
        let orders = machine.handle(.looked(["w1": .own, "w3": .own]), at: 2)
        #expect(orders.count == CallMachine.callsOfWorkspaceMax && !orders.contains(.carry(id(1_000), keeps: false)))
    }

    @Test("neither a workspace, nor the holder of a token, nor strangers take all places")
    func bounds() {
        var machine = CallMachine()
        fill(&machine, ["w1"], each: CallMachine.callsOfWorkspaceMax)
        #expect(machine.handle(.called(id(1), call(of: "w1"), nil), at: 0) == [.refuse(id(1), .tooMany)])
        for number in 0..<UInt64(CallMachine.callsOfTokenMax) {
            #expect(machine.handle(.called(id(10 + number), call(of: "w2", by: .token("t2")), nil), at: 0) == [])
        }
        #expect(machine.handle(.called(id(2), call(of: "w2", by: .token("t2")), nil), at: 0) == [.refuse(id(2), .tooMany)])
        var taken = 0
        for address in 0..<20 {
            for number in 0..<20 {
                let name = id(UInt64(10_000 + 100 * address + number))
                let orders = machine.handle(.called(name, call(of: "w2", by: .stranger("a\(address)")), nil), at: 0)
                if orders.isEmpty { taken += 1 } else { #expect(orders == [.refuse(name, .tooMany)]) }
            }
            #expect(taken == min((address + 1) * CallMachine.callsOfAddressMax, CallMachine.callsOfStrangersMax))
        }
        let known = machine.handle(.called(id(3), call(of: "w2", by: .token("t3")), nil), at: 0)
        #expect(known == [], "there is room for who is known")
        // A client that was refused may succeed all the same, once there is a way.
        #expect(machine.handle(.called(id(4), call(of: "w3", by: .token("t4")), .own), at: 0) == [.carry(id(4), keeps: false)])
    }

    @Test("what waits has so many bytes at most, of one asker and of all")
    func bytes() {
        var machine = CallMachine()
        let half = CallMachine.bytesOfAskerMax / 2
        #expect(machine.handle(.called(id(1), call(bytes: half), nil), at: 0) == [])
        #expect(machine.handle(.called(id(2), call(bytes: half + 1), nil), at: 0) == [.refuse(id(2), .tooMany)])
        #expect(machine.handle(.called(id(3), call(bytes: half), nil), at: 0) == [])
        var number = UInt64(10)
        while machine.handle(.called(id(number), call(by: .token("\(number)"), bytes: half), nil), at: 0) == [] { number += 1 }
        #expect(Int(number) - 10 + 2 == CallMachine.bytesMax / half)
        #expect(machine.handle(.ended(id(1)), at: 1) == [])
        #expect(machine.handle(.called(id(4), call(by: .token("t4"), bytes: half), nil), at: 1) == [])
    }

    @Test("what is under way beyond so many bytes is carried without being kept, and refused if it comes back")
    func underWay() {
        var machine = CallMachine()
        let size = CallMachine.bytesUnderWayMax / 2
        #expect(machine.handle(.called(id(1), call(bytes: size), other), at: 0) == [.carry(id(1), keeps: true)])
        #expect(machine.handle(.called(id(2), call(bytes: size), other), at: 0) == [.carry(id(2), keeps: true)])
        #expect(machine.handle(.called(id(3), call(), other), at: 0) == [.carry(id(3), keeps: false)])
        #expect(machine.handle(.failed(id(3), .noOwner, nil), at: 1) == [.refuse(id(3), .noOwner)])
        #expect(machine.handle(.ended(id(1)), at: 2) == [])
        #expect(machine.handle(.called(id(4), call(bytes: size), other), at: 3) == [.carry(id(4), keeps: true)])
    }

    @Test("a node that is about to end lets nobody wait, and carries what has a way")
    func drain() {
        var machine = CallMachine()
        _ = machine.handle(.called(id(5), call(), nil), at: 0)
        _ = machine.handle(.called(id(2), call(of: "w2"), nil), at: 0)
        _ = machine.handle(.called(id(3), call(of: "w3"), other), at: 0)
        #expect(machine.handle(.drainOrdered, at: 1) == [.refuse(id(5), .leaving), .refuse(id(2), .leaving)])
        #expect(machine.workspaces == [] && machine.due == nil)
        #expect(machine.handle(.called(id(6), call(), nil), at: 2) == [.refuse(id(6), .leaving)])
        #expect(machine.handle(.called(id(7), call(of: "w4"), other), at: 2) == [.carry(id(7), keeps: true)])
        #expect(machine.handle(.failed(id(3), .noOwner, third), at: 3) == [.refuse(id(3), .leaving)])
    }
}
