/// Space that a workspace takes in the store: only sizes and counts, nothing that identifies people.
package struct WorkspaceUsage: Sendable, Equatable {
    package var sessions: Int64 = 0
    package var eventBytes: Int64 = 0
    package var pictureBytes: Int64 = 0

    package init(sessions: Int64 = 0, eventBytes: Int64 = 0, pictureBytes: Int64 = 0) {
        self.sessions = sessions
        self.eventBytes = eventBytes
        self.pictureBytes = pictureBytes
    }
}
