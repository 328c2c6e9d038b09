internal import Glibc
package import HeliographHook
internal import RelayProtocol

/// `heliograph host projects add|list|remove`: the folders in which clients may start sessions.
package enum ProjectsCall {
    /// Adds a folder. `isHome`: the person said explicitly that the whole home folder is meant. Returns the text for the person.
    package static func add(
        _ directory: String, name: String?, isHome: Bool, paths: HostPaths = HostPaths()
    ) throws(HostError) -> String {
        guard let folder = ProjectsFile.folder(directory) else {
            throw HostError(.badConfiguration, "\(directory) is no folder that can be looked into")
        }
        guard folder != "/" else { throw HostError(.badConfiguration, "the whole machine cannot be a project") }
        let home = ProjectsFile.folder(paths.home) ?? paths.home
        guard isHome || !(home + "/").hasPrefix(folder + "/") else {
            throw HostError(
                .badConfiguration,
                "\(folder) holds your keys and settings too: add a folder in it, or say --home-too if you mean it")
        }
        guard folder.utf8.count <= WireLimits.lineBytesMax else { throw HostError(.badConfiguration, "that path is too long") }
        let name = name ?? String(folder[folder.index(after: folder.lastIndex(of: "/") ?? folder.startIndex)...])
        guard (1...WireLimits.nameBytesMax).contains(name.utf8.count), VisibleText.line(name) == name else {
            throw HostError(.badConfiguration, "that is no name to show: give it one with --name")
        }
        let known = try ProjectsFile(paths).update { (projects) throws(HostError) -> ProjectsFile.Project? in
            if let known = projects.first(where: { $0.folder == folder }) { return known }
            if let other = projects.first(where: { $0.name == name }) {
                throw HostError(.badConfiguration, "\(name) is \(other.folder): give this one another name with --name")
            }
            guard projects.count < WireLimits.projectsMax else {
                throw HostError(.badConfiguration, "there are \(WireLimits.projectsMax) projects already: remove one first")
            }
            projects.append(.init(name: name, folder: folder))
            return nil
        }
        if let known { return "\(known.name) is \(folder) already." }
        return "\(name) is \(folder). Anyone who may steer this host may start sessions there.\(tellDaemon(paths))"
    }

    /// Removes the project of that name or folder.
    package static func remove(_ project: String, paths: HostPaths = HostPaths()) throws(HostError) -> String {
        let folder = ProjectsFile.folder(project)
        let removed = try ProjectsFile(paths).update { (projects) throws(HostError) in
            guard
                let place = projects.firstIndex(where: { $0.name == project }) ?? projects.firstIndex(where: {
                    $0.folder == project
                })
                    ?? projects.firstIndex(where: { $0.folder == folder })
            else { throw HostError(.badConfiguration, "there is no project \(project): heliograph host projects list") }
            return projects.remove(at: place)
        }
        return "\(removed.name) is removed. What runs in \(removed.folder) runs on.\(tellDaemon(paths))"
    }

    /// The projects, one line each, or as JSON.
    package static func list(isJSON: Bool, paths: HostPaths = HostPaths()) throws(HostError) -> String {
        let projects = try ProjectsFile(paths).read()
        guard !isJSON else {
            let entries = projects.map { project in
                JSONWriter.object {
                    $0.field("name", project.name)
                    $0.field("folder", project.folder)
                    $0.field("there", project.folderNow != nil)
                }
            }
            return JSONLine.text(JSONWriter.object { $0.array("projects", entries) })
        }
        guard !projects.isEmpty else { return "no projects: clients cannot start sessions here" }
        return projects.map { project in
            "\(VisibleText.line(project.name))  \(VisibleText.line(project.folder))"
                + (project.folderNow == nil ? "  (not there, or another folder now)" : "")
        }.joined(separator: "\n")
    }

    private static func tellDaemon(_ paths: HostPaths) -> String {
        LaunchDriver.tellDaemon(paths) ? "" : "\nNo host that can be steered runs here now; the next one reads it."
    }
}
