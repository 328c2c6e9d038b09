/// `heliograph connect [AGENT]` and `disconnect [AGENT]`; without a name, all agents that are found here.
package struct ConnectCommand {
    private struct Connectable {
        let name: String
        let title: String
        let part: any ConnectPart
    }

    private let agents: [any AgentIntegration.Type]
    private let connectable: [Connectable]

    init(agents: [any AgentIntegration.Type]) {
        self.agents = agents
        connectable = agents.compactMap { agent in
            agent.connect.map { Connectable(name: agent.name, title: agent.title, part: $0) }
        }
    }

    // MARK: - For the command line

    package var names: [String] { connectable.map(\.name) }

    /// Description of each agent in the help.
    package var help: String {
        let examples = [("connect", "each that is found on this machine")] + connectable.flatMap(\.part.examples)
        let width = examples.map(\.0.count).max() ?? 0
        let lines = examples.map { "  heliograph \($0.0)\(String(repeating: " ", count: width - $0.0.count))  \($0.1)" }
        let about = connectable.map { "\($0.title): \($0.part.summary)." }
        let remarks = connectable.compactMap(\.part.remark)
        return (about + ["What changes is said first, and asked about.\n", lines.joined(separator: "\n")]).joined(
            separator: "\n")
            + remarks.map { "\n\n\($0)" }.joined()
    }

    /// The fault of the request, as a sentence; nil if there is none.
    package func objection(to request: ConnectRequest, of name: String?) -> String? {
        guard let name else {
            return request.options.isEmpty ? nil : "Name the agent: \(Self.list(request.options, "and")) are one agent's own."
        }
        guard let agent = connectable.first(where: { $0.name == name }) else {
            return "There is no agent '\(name)' to connect; there is \(names.joined(separator: ", "))."
        }
        guard !request.options.isSubset(of: agent.part.options) else { return nil }
        let missing = Set(ConnectOption.allCases).subtracting(agent.part.options)
        return "\(agent.title) has no \(Self.list(missing, "or")) here."
    }

    private static func list(_ options: Set<ConnectOption>, _ last: String) -> String {
        let words = ConnectOption.allCases.filter(options.contains).map(\.words)
        return words.dropLast().joined(separator: ", ") + (words.count > 1 ? " \(last) " : "") + (words.last ?? "")
    }

    // MARK: - Connect

    /// Connects the named agent, or all that are found. Returns the exit code of `ConnectPart.connect`, of several the worst.
    package func connect(_ name: String?, _ request: ConnectRequest) throws(ConnectError) -> Int32 {
        if let name { return try part(name).connect(request) }
        let found = connectable.compactMap { agent in InstalledProgram.path(of: agent.part.program).map { (agent, $0) } }
        let others = agents.flatMap { $0.others }
        guard !found.isEmpty || !others.isEmpty else {
            throw ConnectError(.nothingFound, at: "connect", "this PATH has none of \(programs)")
        }
        for (agent, path) in found {
            let state = agent.part.isConnected(.user) ? "connected" : "not connected"
            Dialog.say("\(agent.title): \(path), \(state)\n")
        }
        for other in others { Dialog.say("\(other)\n") }
        return try each(found.map { ($0.0, .user) }, "connect", request) { part, request throws(ConnectError) in
            try part.connect(request)
        }
    }

    private var programs: String { connectable.map { "\($0.title) (\($0.part.program))" }.joined(separator: ", ") }

    package struct Outcome {
        /// The programs that were looked for, if none of them is on this machine.
        package var missing: String?
        package var failures: [(title: String, error: ConnectError)] = []
    }

    /// Connects all agents that are found here, after one question for all; one that fails does not prevent the others. Nil if
    /// there was nobody to ask, or the answer was no. `onConnecting` gets the agents that were not connected before, each before
    /// its settings change.
    package func connectAll(
        executable: String, assumeYes: Bool, onConnecting: (String) throws -> Void
    ) rethrows -> Outcome? {
        var found = connectable.filter { InstalledProgram.path(of: $0.part.program) != nil }
        var outcome = Outcome()
        if found.isEmpty { outcome.missing = programs }
        var request = ConnectRequest(executable: executable)
        request.dryRun = true
        request.isBrief = true
        found = found.filter { agent in
            Dialog.say("\(agent.title)\n")
            return Self.succeeds(agent, request, &outcome)
        }
        guard !found.isEmpty else { return outcome }
        if !assumeYes {
            guard Dialog.hasTerminal else { return nil }
            Dialog.say("Do this? [y/N] ")
            guard Dialog.answeredYes() else { return nil }
        }
        request.dryRun = false
        request.wasShown = true
        request.assumeYes = true
        for agent in found {
            if !agent.part.isConnected(.user) { try onConnecting(agent.name) }
            _ = Self.succeeds(agent, request, &outcome)
        }
        return outcome
    }

    private static func succeeds(_ agent: Connectable, _ request: ConnectRequest, _ outcome: inout Outcome) -> Bool {
        do throws(ConnectError) {
            _ = try agent.part.connect(request)
            return true
        } catch {
            outcome.failures.append((agent.title, error))
            return false
        }
    }

    /// The connected ones of these agents.
    package func connected(among names: [String]? = nil) -> [String] {
        connectable.filter { names?.contains($0.name) != false && $0.part.isConnected(.user) }.map(\.name)
    }

    /// Disconnects the named agent, or all that are connected for this person or in this folder. Returns the exit code of
    /// `ConnectPart.disconnect`, of several the worst.
    package func disconnect(_ name: String?, _ request: ConnectRequest) throws(ConnectError) -> Int32 {
        if let name { return try part(name).disconnect(request) }
        let connected = connectable.flatMap { agent in
            ConnectPlace.allCases.filter(agent.part.isConnected).map { (agent, $0) }
        }
        guard !connected.isEmpty else { throw ConnectError(.nothingFound, at: "disconnect", "no agent is connected here") }
        for (agent, place) in connected {
            Dialog.say("\(agent.title): connected \(place == .user ? "for all projects" : "for the project in this folder")\n")
        }
        return try each(connected, "disconnect", request) { part, request throws(ConnectError) in
            try part.disconnect(request)
        }
    }

    /// Runs the change of each agent, which is shown and confirmed unless confirmation is off.
    private func each(
        _ chosen: [(agent: Connectable, place: ConnectPlace)], _ command: String, _ request: ConnectRequest,
        _ change: (any ConnectPart, ConnectRequest) throws(ConnectError) -> Int32
    ) throws(ConnectError) -> Int32 {
        guard chosen.isEmpty || request.assumeYes || request.dryRun || Dialog.hasTerminal else {
            throw ConnectError(
                .nobodyToAsk, at: command, "there is no terminal to ask on: name one of these agents, or say --yes for all")
        }
        var worst: Int32 = 0
        for (agent, place) in chosen {
            Dialog.say("\n\(agent.title)\n")
            var request = request
            request.place = place
            worst = max(worst, try change(agent.part, request))
        }
        return worst
    }

    private func part(_ name: String) -> any ConnectPart {
        guard let agent = connectable.first(where: { $0.name == name }) else {
            preconditionFailure("the command line has had `objection` look at the name")
        }
        return agent.part
    }
}
