import RelayProtocol

/// A node's access to the database: a connection for each purpose, and queries that are answered in time or not.
final class NodeDatabase {
    /// Time limit of a query, about the same as the product's `PostgresDatabase.askingMax`.
    static let askingMax: Int64 = 3_000
    /// Longest time until the database notices that a connection is dead.
    static let noticedMax: Int64 = 8_000

    private unowned let node: ClusterNode
    private var world: ClusterWorld { node.world }
    /// Connections in order of creation.
    private var connections: [DatabaseConnection] = []
    private var lastQuestion = 0
    /// Time of each query that is neither answered nor given up.
    private var questions: [Int: Int64] = [:]

    init(_ node: ClusterNode) { self.node = node }

    /// Sends a query on this purpose's connection; `answer` gets nil if none came in time.
    func ask<Answer>(
        _ purpose: DatabaseConnection.Purpose, within limit: Int64 = NodeDatabase.askingMax,
        _ question: @escaping (ClusterDatabase, DatabaseConnection, @escaping (Answer) -> Void) -> Void,
        answer: @escaping (Answer?) -> Void
    ) {
        var isOver = false
        let life = node.life
        let connection = node.databaseIsCutUntil <= world.now ? connection(purpose) : nil
        lastQuestion += 1
        let number = lastQuestion
        questions[number] = world.now
        // Retained by the connection, so it must not retain the connection.
        let end = { [unowned node = node, weak connection] (value: Answer?) in
            guard !isOver, life == node.life else { return }
            isOver = true
            node.database.questions[number] = nil
            if value == nil, let connection { node.database.drop(connection) }
            answer(value)
        }
        node.inThisLife(after: limit) { end(nil) }
        guard node.databaseIsCutUntil <= world.now else { return }
        guard let connection else { return node.inThisLife(after: 20) { end(nil) } }
        connection.whenClosed = { [weak node] in node?.inThisLife(after: 5) { end(nil) } }
        world.after(transit) { [node, self] world in
            guard connection.isOpen, node.databaseIsCutUntil <= world.now else { return }
            question(world.database, connection) { value in
                world.after(self.transit) { world in
                    guard life == node.life, node.databaseIsCutUntil <= world.now else { return }
                    node.inThisLife(after: 0) { end(value) }
                }
            }
        }
    }

    /// Transit time one way, in milliseconds: a query may wait for others, and its answer may be outdated.
    private var transit: Int64 {
        world.dice.chance(world.faults.databaseDelay) ? world.dice.within(20...1_500) : world.dice.within(0...2)
    }

    private func connection(_ purpose: DatabaseConnection.Purpose) -> DatabaseConnection? {
        if let open = connections.first(where: { $0.purpose == purpose }), open.isOpen { return open }
        connections.removeAll { $0.purpose == purpose }
        let fresh = world.database.connect(as: node.holder, for: purpose)
        if let fresh { connections.append(fresh) }
        return fresh
    }

    func isConnected(for purpose: DatabaseConnection.Purpose) -> Bool {
        connections.contains { $0.purpose == purpose && $0.isOpen }
    }

    private func drop(_ connection: DatabaseConnection) {
        connections.removeAll { $0 === connection }
        connection.giveUp()
        // An unreachable connection takes longer to be noticed.
        world.after(node.reachesDatabase ? 5 : world.dice.within(3_000...Self.noticedMax)) { _ in connection.close() }
    }

    /// Closes the workspace's connections.
    func close(_ workspace: WorkspaceID) {
        for connection in connections where connection.purpose == .log(workspace) || connection.purpose == .reads(workspace) {
            drop(connection)
        }
    }

    /// True if no query from before that time is pending.
    func isDone(withAllAskedBy time: Int64) -> Bool { questions.values.allSatisfy { $0 > time } }

    // MARK: Ends

    /// The node is cut off: its connections end at once, or are noticed later.
    func isCut() { if world.dice.chance(0.5) { for connection in connections { connection.close() } } }

    /// The process has ended.
    func lose() {
        for connection in connections { world.after(world.dice.within(1...20)) { _ in connection.close() } }
        connections = []
    }
}
