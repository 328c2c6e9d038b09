/// Rendezvous hashing: each node has a number for each workspace, and the workspace belongs to the node with the highest. If a node
/// comes or goes, only its workspaces move.
package enum Rendezvous {
    /// The holder of the node that `key` belongs to; nil if there is none.
    package static func preferred(for key: String, among nodes: [NodeAddress]) -> String? {
        nodes.max { order($0, key) < order($1, key) }?.holder
    }

    /// Computed from the name, which is the same after a restart; two processes with one name differ by their holders.
    private static func order(_ node: NodeAddress, _ key: String) -> (UInt64, String) {
        (mixed(hash("\(node.name)\u{0}\(key)")), node.holder)
    }

    /// FNV-1a: any hash that is the same on all nodes is suitable.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    /// Mixes the bits, with the last steps of SplitMix64: the last bytes of a text hardly change FNV-1a's highest bits, which
    /// decide, so that workspaces whose ids differ only at their end would all belong to one node.
    private static func mixed(_ hash: UInt64) -> UInt64 {
        let first = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
        let second = (first ^ first >> 27) &* 0x94D0_49BB_1331_11EB
        return second ^ second >> 31
    }
}
