/// Probabilities of faults in a cluster, per second unless stated otherwise.
struct ClusterFaults {
    var kill = 0.0
    /// A node is asked to end, and hands over its workspaces first.
    var drain = 0.0
    /// A node is asked to end at once.
    var stop = 0.0
    /// An operator takes a workspace from its living owner.
    var fence = 0.0
    /// A node cannot load workspaces that it claims for a while.
    var unreadable = 0.0
    /// For one node: it joins later than the others.
    var join = 0.0
    var freeze = 0.0
    /// Nodes cannot reach each other.
    var linkCut = 0.0
    /// Links of a node are slow for a while.
    var linkSlow = 0.0
    /// For one message of a link: it arrives late.
    var linkDelay = 0.0
    /// A node cannot reach the database.
    var databaseCut = 0.0
    /// For one query to the database, and for its answer.
    var databaseDelay = 0.0
    /// For one commit.
    var slowCommit = 0.0
    /// For one commit: its answer is lost.
    var unclearCommit = 0.0
    var standbyAway = 0.0
    var promotion = 0.0
    /// A peer's connection breaks.
    var cut = 0.0
    /// For one message between a peer and its node.
    var delay = 0.0
    /// An operator makes, renames or removes a workspace.
    var adding = 0.0
    var renaming = 0.0
    var removing = 0.0
    /// For one push: its service rejects it for now, its outcome is unknown, or the answer comes late.
    var refusedPush = 0.0
    var unknownPush = 0.0
    var latePush = 0.0

    /// Longest time without a database.
    static let outageMax: Int64 = 5_000

    static let none = ClusterFaults()

    /// Draws faults; each kind is absent from half of the worlds, so that each is also met alone.
    static func drawn(by dice: inout Dice) -> ClusterFaults {
        var faults = ClusterFaults()
        func some(_ low: Double, _ high: Double) -> Double { dice.chance(0.5) ? dice.spread(low, high) : 0 }
        faults.kill = some(0.005, 0.1)
        faults.drain = some(0.005, 0.1)
        faults.stop = some(0.005, 0.05)
        faults.fence = some(0.005, 0.1)
        faults.unreadable = some(0.005, 0.1)
        faults.join = some(0.2, 0.8)
        faults.freeze = some(0.01, 0.15)
        faults.linkCut = some(0.01, 0.15)
        faults.linkSlow = some(0.02, 0.2)
        faults.linkDelay = some(0.001, 0.1)
        faults.databaseCut = some(0.01, 0.1)
        faults.databaseDelay = some(0.001, 0.1)
        faults.slowCommit = some(0.005, 0.1)
        faults.unclearCommit = some(0.005, 0.1)
        faults.standbyAway = some(0.01, 0.1)
        faults.promotion = some(0.005, 0.04)
        faults.cut = some(0.02, 0.3)
        faults.delay = some(0.001, 0.05)
        return faults
    }

    mutating func drawAdministration(by dice: inout Dice) {
        adding = dice.spread(0.02, 0.3)
        renaming = dice.spread(0.01, 0.1)
        removing = dice.spread(0.01, 0.15)
    }

    mutating func drawPushes(by dice: inout Dice) {
        refusedPush = dice.pick([0, 0.05, 0.2])
        unknownPush = dice.pick([0, 0.1, 0.3])
        latePush = dice.pick([0, 0.1, 0.3])
    }
}
