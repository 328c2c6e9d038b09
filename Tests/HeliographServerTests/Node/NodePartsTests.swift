import RelayCluster
import RelayProtocol
import Testing

@testable import HeliographServer

/// A node's knowledge of workspaces and their numbers.
@Suite struct NodePartsTests {
    private func row(_ workspace: String, _ number: Int32) -> PlacementView.Row {
        PlacementView.Row(scope: workspace, number: number, generation: 1, holder: "other", isFree: false)
    }

    @Test func `a node that does not reach the database does not know who may come in`() {
        let (parts, now) = (NodeParts(holder: "own", WorkspaceWays()), ContinuousClock.now)
        let view = PlacementView(rows: [row("w1", 1)], nodes: [])
        #expect(!parts.seesDatabase(at: now), "it has not looked yet")
        parts.saw(view, at: now)
        #expect(parts.seesDatabase(at: now + .seconds(9)) && !parts.seesDatabase(at: now + NodeParts.blindMax))
        // The same again is a look, too.
        parts.saw(view, at: now + .seconds(9))
        #expect(parts.seesDatabase(at: now + .seconds(18)))
    }

    @Test func `a node that has not looked at the database says of no number that it is nobody's`() {
        let parts = NodeParts(holder: "own", WorkspaceWays())
        for number in [0, 1, 7] as [Int64] { #expect(parts.workspace(numbered: number) == .unseen, "\(number)") }
        parts.saw(PlacementView(rows: [row("w2", 2), row("w1", 1)], nodes: []))
        #expect(parts.workspace(numbered: 2) == .workspace(WorkspaceID("w2")!))
        #expect(parts.workspace(numbered: 0) == .workspace(WorkspaceID("w1")!), "the first")
        for number in [7, -1, 1 << 40] as [Int64] { #expect(parts.workspace(numbered: number) == .unused, "\(number)") }
    }
}
