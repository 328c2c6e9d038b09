internal import Glibc
internal import HeliographHook
internal import RelayProtocol

/// `projects.json` in the configuration directory: the folders in which this host's owner lets clients start sessions, each
/// absolute and with links resolved.
///
/// Readable only by its owner. With a file that cannot be read nothing can be started.
struct ProjectsFile {
    struct Project: Equatable {
        var name: String
        var folder: String
    }

    private static let bytesMax = 1 << 20

    private let directory: String

    var path: String { directory + "/projects.json" }

    init(_ paths: HostPaths) { directory = paths.configDirectory }

    func read() throws(HostError) -> [Project] {
        guard let bytes = try Files.read(path, bytesMax: Self.bytesMax) else { return [] }
        do throws(WireError) {
            var projects: [Project] = []
            for entry in try JSONDocument(parsing: bytes).root.array("projects", countMax: WireLimits.projectsMax) {
                projects.append(
                    Project(
                        name: try entry.string("name", bytesMax: WireLimits.nameBytesMax),
                        folder: try entry.string("folder", bytesMax: WireLimits.lineBytesMax)))
            }
            return projects
        } catch {
            throw HostError(.badConfiguration, "\(path) is not as `heliograph host projects` writes it: \(error)")
        }
    }

    /// Changes the projects in one step, so that two commands at once both take effect. Writes nothing if they stay the same.
    func update<Result>(_ change: (inout [Project]) throws(HostError) -> Result) throws(HostError) -> Result {
        try Files.edit(in: directory) { () throws(HostError) in
            let before = try read()
            var projects = before
            let result = try change(&projects)
            if projects != before { try write(projects) }
            return result
        }
    }

    private func write(_ projects: [Project]) throws(HostError) {
        let bytes = JSONWriter.object { writer in
            writer.array(
                "projects",
                projects.map { project in
                    JSONWriter.object {
                        $0.field("name", project.name)
                        $0.field("folder", project.folder)
                    }
                })
        }
        try Files.replace(path, with: bytes + [UInt8(ascii: "\n")])
    }

    /// The folder that a path leads to, with all links resolved; nil if there is none.
    static func folder(_ path: String) -> String? {
        // The C library allocates the path, which is freed after it was read.
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        var facts = stat()
        guard unsafe stat(real, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else { return nil }
        return unsafe String(cString: real)
    }
}

extension ProjectsFile.Project {
    /// The folder, if it is still the one that was allowed; nil if a link that was added since leads elsewhere.
    var folderNow: String? { ProjectsFile.folder(folder).flatMap { $0 == folder ? $0 : nil } }
}
