/// A limit of a workspace, by the name that operators use to set it and clients receive when it is reached.
package enum WorkspaceLimit: String, Sendable, CaseIterable {
    case sessions, megabytes, recordsPerDay, pushesPerDay, connections
}
