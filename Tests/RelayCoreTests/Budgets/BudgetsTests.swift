import RelayModel
import RelayProtocol
import Testing

@testable import RelayCore

@Suite("Budgets of workspaces")
struct BudgetsTests {
    typealias P = PartTranscript

    private func order(_ microUSD: Int64, _ id: String) -> BudgetOrder {
        BudgetOrder(
            peer: P.peer(1), command: CommandID(id)!, workspace: P.home, budget: Budget(scope: .day, microUSD: microUSD))
    }

    @Test("a budget holds when it is on disk, and the last of several is kept")
    func ordered() throws {
        var budgets = Budgets(restoring: [])
        var orders = Orders()
        var records: [PushRecord] = []
        for (amount, id) in [(5, "k1"), (7, "k2")] as [(Int64, String)] {
            #expect(budgets.ordered(order(amount, id), isSessionShown: true, hasRoom: true, &orders) == true)
        }
        #expect(budgets.ordered(order(9, "k3"), isSessionShown: true, hasRoom: false, &orders) == false)
        budgets.applyOrders(&records)
        budgets.cut()
        #expect(records.map(\.name) == ["day"])
        let shown = CommittedSessions()
        #expect(budgets.reports(of: P.home, seeing: shown, cannotHold: { _ in [] }).isEmpty)
        #expect(budgets.committed() == [P.home])
        #expect(budgets.answer(.done, &orders) == [P.peer(1), P.peer(1)])
        #expect(try orders.said() == ["1: reply k3 tooMany", "1: reply k1", "1: reply k2"])
        #expect(budgets.reports(of: P.home, seeing: shown, cannotHold: { _ in [] }).map(\.budget.microUSD) == [7])
    }

    @Test("what a batch spent is taken back with it, and what was ordered since is answered too")
    func lost() throws {
        var budgets = Budgets(restoring: [])
        var orders = Orders()
        var records: [PushRecord] = []
        _ = budgets.ordered(order(5, "k1"), isSessionShown: true, hasRoom: true, &orders)
        budgets.applyOrders(&records)
        #expect(budgets.spend(P.key("s1"), from: 0, to: 5).map(\.level) == [50, 80, 100])
        budgets.keepCounts(&records)
        budgets.cut()
        _ = budgets.ordered(order(6, "k2"), isSessionShown: true, hasRoom: true, &orders)
        budgets.lost()
        #expect(budgets.answer(.failed(.unavailable, "no space"), &orders).count == 2)
        #expect(try orders.said() == ["1: reply k1 unavailable", "1: reply k2 unavailable"])
        records = []
        #expect(budgets.spend(P.key("s1"), from: 0, to: 5).isEmpty, "there is no budget")
        budgets.keepCounts(&records)
        #expect(records.count == 1)
    }

    @Test("a connection is told what of its host is held, and only when that changes")
    func holds() throws {
        var budgets = Budgets(restoring: [])
        var orders = Orders()
        let shown = CommittedSessions()
        budgets.sayHolds(of: [P.key("s1")], in: P.home, to: P.peer(1), seeing: shown, &orders)
        budgets.sayHolds(of: [P.key("s1")], in: P.home, to: P.peer(1), seeing: shown, &orders)
        #expect(try orders.said() == ["1: hold"])
        budgets.hostLeft(P.peer(1))
        budgets.sayHolds(of: [P.key("s1")], in: P.home, to: P.peer(1), seeing: shown, &orders)
        #expect(try orders.said() == ["1: hold"])
    }
}
