import RelayProtocol

/// A block of numbers for pushes: one for each workspace, and the first for planners of all workspaces.
///
/// Planners of single workspaces know nothing of each other, and a planner of all workspaces may load what each of them left. Had each
/// counted from 1, two pushes would have the same number there; and a code names its push by the number alone, so it would decide in
/// another workspace. With a block each, a number tells every node to which workspace's owner a code is to be carried.
package struct PushNumbers: Hashable, Sendable {
    /// 4 billion pushes: 10 a second for 13 years.
    private static let bits = 32
    /// The last workspace that has a block: a number is exact in JSON up to 2⁵³.
    package static let workspaceMax: Int64 = JSONValue.integerMax >> bits

    /// The one that planners of all workspaces begin in.
    package static let ofAll = PushNumbers(block: 0)

    /// The store's number of the workspace, from 1; 0 for all workspaces.
    package let workspace: Int64

    private init(block: Int64) { workspace = block }

    /// Nil if the workspace's number is not from 1 to `workspaceMax`.
    package init?(workspace: Int64) {
        guard 1...Self.workspaceMax ~= workspace else { return nil }
        self.workspace = workspace
    }

    /// The block that this push is numbered in.
    package init(of push: PushID) { workspace = push.rawValue >> Self.bits }

    /// Nil: its first.
    package func next(after last: PushID?) -> PushID {
        let next = PushID(rawValue: (last?.rawValue ?? workspace << Self.bits) + 1)
        precondition(PushNumbers(of: next) == self, "a block has more numbers than a relay plans pushes")
        return next
    }
}
