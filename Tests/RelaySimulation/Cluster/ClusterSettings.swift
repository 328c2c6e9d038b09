/// Settings of a run of a cluster, apart from its seed.
package struct ClusterSettings: Sendable {
    /// Nil draws it from the seed, from one to four.
    package var nodes: Int?
    /// Nil draws it from the seed, from one to three.
    package var workspaces: Int?
    package var plant: ClusterPlant?
    /// Nil draws it from the world.
    package var drill: ClusterDrill?
    /// Workspaces are made, renamed and removed; nil: by the seed.
    package var isAdministered: Bool?
    /// A person in each workspace has a phone; nil: by the seed.
    package var hasPhones: Bool?
    /// Clients and hosts write letters to each other; nil: by the seed.
    package var hasLetters: Bool?
    /// Virtual milliseconds with faults.
    package var duration: Int64 = 30_000
    /// True if a host's hello shows which of its connections is the newer.
    package var hasAttempts = true

    package init() {}
}
