internal import HeliographLink
internal import RelayProtocol

/// Options of `heliograph start`, `resume` and `projects PROJECT`, which are requests to a host.
package struct LaunchWish: Sendable {
    /// The project's name, or its folder as the host shows it; nil for the only one.
    package var project: String?
    /// The host's name or id; nil for the one that has the project.
    package var host: String?
    /// The agent; nil for the only one that can be started there.
    package var agent: String?
    package var mode: String?
    package var model: String?
    /// The first prompt; `-` for standard input.
    package var text: String?
    /// Files of pictures that are sent with it.
    package var pictures: [String] = []
    /// The agent's own name of the session to resume.
    package var past: String?
    package var isList = false

    package init(project: String?) { self.project = project }

    var kind: SteeringAction.Kind { isList ? .past : past == nil ? .start : .resume }
}

/// Finds the project that a person means, and the session that represents its host.
enum LaunchLookup {
    struct Place {
        let summary: Summary
        let project: ProjectOffer
    }

    static func find(
        _ wish: LaunchWish, _ pictures: [Picture] = [], in view: ClientView
    ) throws(ClientError) -> (SessionID, SteeringAction) {
        let place = try self.place(wish, in: view)
        let agents = place.summary.steering?.agents ?? []
        let agent: StartableAgent
        if let wanted = wish.agent {
            guard let known = agents.first(where: { $0.name == wanted }) else {
                throw ClientError(.refused, "\(wanted) cannot be started there", advice: "There: \(names(agents))")
            }
            agent = known
        } else if let only = agents.first, agents.count == 1 {
            agent = only
        } else {
            throw ClientError(.usage, "say which agent: --agent NAME", advice: "There: \(names(agents))")
        }
        let purpose: Launch.Purpose = wish.isList ? .past : wish.past.map { .resume($0) } ?? .start
        let text = try wish.text.map { text throws(ClientError) in try PromptText.read(text) }
        return (
            place.summary.session,
            .launch(
                Launch(
                    purpose, project: place.project.name, agent: agent.name, mode: wish.mode, model: wish.model, text: text,
                    pictures: pictures))
        )
    }

    private static func names(_ agents: [StartableAgent]) -> String {
        agents.isEmpty ? "none" : agents.map { VisibleText.line($0.name) }.joined(separator: ", ")
    }

    private static func place(_ wish: LaunchWish, in view: ClientView) throws(ClientError) -> Place {
        let all = places(in: view).filter { wish.host.map($0.summary.host.isCalled) ?? true }
        let fitting =
            wish.project.map { wanted in all.filter { $0.project.name == wanted || $0.project.folder == wanted } } ?? all
        guard let place = fitting.first else {
            throw ClientError(
                .notFound, wish.project.map { "no host offers a project “\($0)”" } ?? "no host offers a project",
                advice: "heliograph projects shows them; heliograph host projects add DIR offers one.")
        }
        guard fitting.count == 1 else {
            throw ClientError(
                .usage, "\(fitting.count) projects fit: say which, and on which --host",
                advice: fitting.prefix(5).map {
                    "  \(VisibleText.line($0.project.name)) on \(VisibleText.line($0.summary.host.name))"
                }
                .joined(separator: "\n"))
        }
        return place
    }

    /// The projects of all hosts, in an order that is the same each time.
    static func places(in view: ClientView) -> [Place] {
        view.sessions.values.filter(\.standsForHost).sorted {
            ($0.host.name, $0.session.rawValue) < ($1.host.name, $1.session.rawValue)
        }
        .flatMap { summary in (summary.steering?.projects ?? []).map { Place(summary: summary, project: $0) } }
    }
}

extension Named where Tag == HostTag {
    func isCalled(_ wanted: String) -> Bool { name == wanted || id.rawValue == wanted }
}
