internal import HeliographLink
internal import RelayProtocol

/// `heliograph projects`: the folders and agents with which sessions can be started.
final class ProjectsTask: ClientTask {
    private unowned let run: ClientRun

    init(_ run: ClientRun) {
        self.run = run
        run.expectWorkspace()
    }

    func heard(_ news: RelayLink.News) {
        guard case .changed(.workspaceKnown) = news else { return }
        let places = LaunchLookup.places(in: run.view)
        if run.options.isJSON {
            let projects = places.map { place in
                JSONWriter.object { writer in
                    writer.field("session", place.summary.session)
                    writer.object("host") {
                        $0.field("id", place.summary.host.id)
                        $0.field("name", place.summary.host.name)
                        $0.field("connected", place.summary.hostIsConnected)
                    }
                    writer.field("project", place.project.name)
                    writer.field("folder", place.project.folder)
                    writer.strings("agents", (place.summary.steering?.agents ?? []).map(\.name))
                }
            }
            run.terminal.print(JSONLine.text(JSONWriter.object { $0.array("projects", projects) }))
        } else if places.isEmpty {
            run.terminal.print("no host offers a project: heliograph host projects add DIR, on the host")
        } else {
            var table = TextTable([
                .init("PROJECT"), .init("HOST"), .init("FOLDER", flexibleMin: 16), .init("AGENTS", flexibleMin: 8),
            ])
            for place in places {
                let agents = (place.summary.steering?.agents ?? []).map(\.name).joined(separator: ", ")
                table.rows.append([
                    .init(VisibleText.line(place.project.name), .cyan),
                    .init(VisibleText.line(place.summary.host.name) + (place.summary.hostIsConnected ? "" : ", away")),
                    .init(VisibleText.line(place.project.folder)), .init(VisibleText.line(agents)),
                ])
            }
            run.terminal.print(table)
        }
        run.finish(.done)
    }

    /// The past sessions of a project, as its host listed them.
    static func table(_ sessions: [PastSession], now: Int64) -> TextTable {
        var table = TextTable([.init("SESSION"), .init("FIRST PROMPT", flexibleMin: 24), .init("AGE", alignsRight: true)])
        for session in sessions {
            table.rows.append([
                .init(VisibleText.line(session.id), .cyan),
                .init((session.isOpen ? "(open) " : "") + VisibleText.line(session.title)),
                .init(Moment.age(now - session.at), .dim),
            ])
        }
        return table
    }
}
