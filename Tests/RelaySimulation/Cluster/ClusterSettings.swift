/// Settings of a run of a cluster, apart from its seed.
package struct ClusterSettings: Sendable {
    /// Nil draws it from the seed, from one to four.
    package var nodes: Int?
    /// Nil draws it from the seed, from one to three.
    package var workspaces: Int?
    package var plant: ClusterPlant?
    /// Nil for the world's choice.
    package var drill: ClusterDrill?
    /// True if workspaces are made, renamed and removed; nil for the seed's choice.
    package var isAdministered: Bool?
    /// True if a person in each workspace has a phone; nil for the seed's choice.
    package var hasPhones: Bool?
    /// True if clients and hosts write letters to each other; nil for the seed's choice.
    package var hasLetters: Bool?
    /// Virtual milliseconds with faults.
    package var duration: Int64 = 30_000
    /// True if a host's hello shows which of its connections is the newer.
    package var hasAttempts = true

    package init() {}
}
