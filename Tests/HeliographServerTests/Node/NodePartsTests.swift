import PushPlanner
import RelayCluster
import RelayProtocol
import Testing

@testable import HeliographServer

/// A node's knowledge of workspaces and their numbers.
@Suite struct NodePartsTests {
    private func row(_ workspace: String, _ number: Int32, epoch: Epoch? = nil) -> PlacementView.Row {
        PlacementView.Row(scope: workspace, number: number, generation: 1, holder: "other", isFree: false, epoch: epoch)
    }

    @Test func `a node that does not reach the database does not know who may come in`() {
        let (parts, now) = (NodeParts(holder: "own", WorkspaceWays()), ContinuousClock.now)
        let view = PlacementView(rows: [row("w1", 1)], nodes: [])
        #expect(!parts.seesDatabase(at: now), "it has not looked yet")
        parts.saw(view, at: now)
        #expect(parts.seesDatabase(at: now + .seconds(9)) && !parts.seesDatabase(at: now + NodeParts.blindMax))
        // The same view counts as a look, too.
        parts.saw(view, at: now + .seconds(9))
        #expect(parts.seesDatabase(at: now + .seconds(18)))
    }

    private static let secret = [UInt8](repeating: 7, count: PushCodes.secretBytes)

    private static func codes(_ epoch: Epoch) -> PushCodes {
        PushCodes(directory: "/nowhere", secret: secret, epoch: epoch, logger: silent)
    }

    private static func code(_ number: Int64, _ epoch: String) throws -> String {
        try codes(Epoch(epoch)!).code(of: PushID(rawValue: number << 32 + 5))
    }

    @Test
    func `a wrong code is known to be wrong at any node, whoever has its number, and a right one by its workspace's epoch`()
        throws
    {
        let (parts, now) = (NodeParts(holder: "own", WorkspaceWays()), ContinuousClock.now)
        func judge(_ code: String, after seconds: Int = 0) throws -> NodeParts.PresentedCode {
            try parts.judge(code, by: Self.codes, at: now + .seconds(seconds))
        }
        let right = try Self.code(2, "life2")
        #expect(try judge(right) == .undecided && judge("7.x") == .undecided, "it has not looked yet")
        let rows = [row("w2", 2, epoch: Epoch("life2")), row("w1", 1, epoch: Epoch("life1")), row("w3", 3)]
        parts.saw(PlacementView(rows: rows, nodes: []), at: now)
        #expect(try judge(right) == .right(WorkspaceID("w2")!))
        #expect(try judge(Self.code(0, "life1")) == .right(WorkspaceID("w1")!), "the first")
        let tag = String(repeating: "A", count: 22)
        let wrong = [
            "", "7", "\(2 << 32 + 5).\(tag)", "\(1 << 32 + 5).\(tag)", "\(3 << 32 + 5).\(tag)", "\(99 << 32 + 5).\(tag)",
            try Self.code(2, "life1"), try Self.code(3, "life2"), try Self.code(99, "life2"),
            try Self.code(3, "00000000000000000000"),
        ]
        for code in wrong { #expect(try judge(code) == .wrong, "\(code)") }
        // The view may be outdated, so that no phone gets a final answer that may be wrong.
        for code in wrong { #expect(try judge(code, after: 60) == .undecided, "\(code)") }
        #expect(try judge(right, after: 60) == .right(WorkspaceID("w2")!))
    }
}
