/// What a run of a cluster is like, apart from its seed.
package struct ClusterSettings: Sendable {
    /// Nil draws it from the seed, from one to four.
    package var nodes: Int?
    /// Nil draws it from the seed, from one to three.
    package var workspaces: Int?
    package var plant: ClusterPlant?
    /// Virtual milliseconds with faults.
    package var duration: Int64 = 30_000
    /// And without, within which everybody is level: the time of two leases, of a commit's deadline, and of coming back.
    package var levelWithin: Int64 = 60_000
    /// And from then on, until each workspace is where it belongs: one that came back stays for ten minutes, and a node hands over one in ten
    /// seconds.
    package var placedWithin: Int64 = 700_000
    /// A host says in its hello which of its connections is the newer.
    package var hasAttempts = true

    package init() {}
}
