package import RelayProtocol

/// Every session in its committed state: the only views that are ever shown.
package struct CommittedSessions {
    package private(set) var views: [SessionKey: SessionView] = [:]
    private var live: [WorkspaceID: LiveSessions] = [:]

    package init() {}

    package subscript(key: SessionKey) -> SessionView? { views[key] }

    // Getters for parts of a view, which copy no view: they are called with every commit.
    package func costMicroUSD(of key: SessionKey) -> Int64? {
        views.index(forKey: key).map { views.values[$0].costMicroUSD }
    }
    package func hostSeq(of key: SessionKey) -> Int64? { views.index(forKey: key).map { views.values[$0].hostSeq } }
    package func seq(of key: SessionKey) -> Int64? { views.index(forKey: key).map { views.values[$0].seq } }

    package mutating func put(_ view: SessionView, for key: SessionKey) {
        views[key] = view
        live[key.workspace, default: LiveSessions()].file(key.session, view.state.summary)
    }

    package mutating func remove(_ key: SessionKey) {
        views[key] = nil
        live[key.workspace]?.file(key.session, nil)
    }

    /// Changes a view in a way that does not affect how much a session needs attention.
    package mutating func update(_ key: SessionKey, _ change: (inout SessionView) -> Void) {
        guard let place = views.index(forKey: key) else { return }
        change(&views.values[place])
    }

    /// The workspace's sessions that have not ended.
    package func live(in workspace: WorkspaceID) -> LiveSessions { live[workspace] ?? LiveSessions() }

    /// True if the list of live sessions differs from the one that all sessions would give.
    package var isLiveMisfiled: Bool {
        var expected: [WorkspaceID: LiveSessions] = [:]
        for (key, view) in views { expected[key.workspace, default: LiveSessions()].file(key.session, view.state.summary) }
        return Set(live.keys).union(expected.keys).contains { live(in: $0) != expected[$0] ?? LiveSessions() }
    }
}
