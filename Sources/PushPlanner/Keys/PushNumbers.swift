import RelayProtocol

/// A block of numbers for pushes: one for each workspace, and the first for planners of all workspaces.
///
/// Planners of single workspaces do not see each other, and a planner of all workspaces may load the pushes of each. If each
/// counted from 1, two pushes would have the same number there; and because a code names its push by the number alone, it would
/// decide in another workspace. With a block each, any node can route a code to its workspace's owner by the number.
package struct PushNumbers: Hashable, Sendable {
    /// Bits of a number within its block: 4 billion pushes, 10 a second for 13 years.
    private static let bits = 32
    /// The last workspace that has a block: a number is exact in JSON up to 2⁵³.
    package static let workspaceMax: Int64 = JSONValue.integerMax >> bits

    /// The first block of planners of all workspaces.
    package static let ofAll = PushNumbers(block: 0)

    /// The store's number of the workspace, from 1; 0 for all workspaces.
    package let workspace: Int64

    private init(block: Int64) { workspace = block }

    /// Nil if the workspace's number is not from 1 to `workspaceMax`.
    package init?(workspace: Int64) {
        guard 1...Self.workspaceMax ~= workspace else { return nil }
        self.workspace = workspace
    }

    /// The block of this push's number.
    package init(of push: PushID) { workspace = push.rawValue >> Self.bits }

    /// The number after `last`; the block's first if that is nil.
    package func next(after last: PushID?) -> PushID {
        let next = PushID(rawValue: (last?.rawValue ?? workspace << Self.bits) + 1)
        precondition(PushNumbers(of: next) == self, "a block has more numbers than a relay plans pushes")
        return next
    }
}
