/// A limit of a workspace, as its clients hear that it was reached, and operators set it.
package enum WorkspaceLimit: String, Sendable, CaseIterable {
    case sessions, megabytes, pushesPerDay, connections
}
