/// A project of a host, by the name that the summaries of its sessions have. Projects of different hosts may share a name.
package struct HostProject: Sendable, Hashable, Comparable {
    package var host: HostID
    package var project: String

    package init(host: HostID, project: String) {
        self.host = host
        self.project = project
    }

    init(from value: JSONValue) throws(WireError) {
        host = try value.object().identifier("host")
        project = try value.string("project", bytesMax: WireLimits.nameBytesMax)
    }

    var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.field("host", host)
            writer.field("project", project)
        }
    }

    package static func < (left: HostProject, right: HostProject) -> Bool {
        (left.host.rawValue, left.project) < (right.host.rawValue, right.project)
    }
}
