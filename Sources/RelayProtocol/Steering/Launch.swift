/// A client's request to a host: start a session in one of its projects, resume an old one, or list the old ones.
package struct Launch: Sendable, Equatable {
    package enum Purpose: Sendable, Equatable {
        case start
        /// Resumes the session that has this identifier in the agent's list of past sessions.
        case resume(String)
        /// Lists past sessions and starts nothing.
        case past
    }

    package var purpose: Purpose
    /// The name under which the host offers the project.
    package var project: String
    package var agent: String
    /// One of the modes that the agent offers; nil: the one that asks most.
    package var mode: String?
    package var model: String?
    /// The first prompt.
    package var text: String?
    /// Pictures for the first prompt.
    package var pictures: [Picture]

    package init(
        _ purpose: Purpose, project: String, agent: String, mode: String? = nil, model: String? = nil, text: String? = nil,
        pictures: [Picture] = []
    ) {
        self.purpose = purpose
        self.project = project
        self.agent = agent
        self.mode = mode
        self.model = model
        self.text = text
        self.pictures = pictures
    }

    package var kind: SteeringAction.Kind {
        switch purpose {
        case .start: .start
        case .resume: .resume
        case .past: .past
        }
    }

    /// Decodes all but the text and the pictures, which are content.
    init(_ kind: SteeringAction.Kind, target value: JSONValue) throws(WireError) {
        pictures = []
        project = try value.object().string("project", bytesMax: WireLimits.nameBytesMax)
        agent = try value.string("agent", bytesMax: WireLimits.nameBytesMax)
        switch kind {
        case .resume: purpose = .resume(try value.string("past", bytesMax: WireLimits.nameBytesMax))
        case .past: purpose = .past
        default: purpose = .start
        }
        guard kind != .past else { return }
        mode = try value.optionalString("mode", bytesMax: WireLimits.nameBytesMax)
        model = try value.optionalString("model", bytesMax: WireLimits.nameBytesMax)
    }

    package func writeTarget(to writer: inout JSONWriter) {
        writer.field("project", project)
        writer.field("agent", agent)
        if case .resume(let past) = purpose { writer.field("past", past) }
        writer.field("mode", mode)
        writer.field("model", model)
    }
}

/// A folder in which a host lets sessions be started.
package struct ProjectOffer: Sendable, Equatable {
    /// Name of the project, unique on this host only.
    package var name: String
    /// The folder as people write it: `~/work/site`.
    package var folder: String

    package init(name: String, folder: String) {
        self.name = name
        self.folder = folder
    }

    init(from value: JSONValue) throws(WireError) {
        name = try value.object().string("name", bytesMax: WireLimits.nameBytesMax)
        folder = try value.string("folder", bytesMax: WireLimits.lineBytesMax)
    }

    var bytes: [UInt8] {
        JSONWriter.object {
            $0.field("name", name)
            $0.field("folder", folder)
        }
    }
}

/// An agent that a host can start.
package struct StartableAgent: Sendable, Equatable {
    package var name: String
    /// The agent's name as its maker writes it.
    package var title: String
    package var modes: [String]
    /// Models to choose from; empty if the agent accepts any name.
    package var models: [String]
    /// True if pictures can be sent with the first prompt.
    package var takesPictures: Bool

    package init(name: String, title: String, modes: [String] = [], models: [String] = [], takesPictures: Bool = false) {
        self.name = name
        self.title = title
        self.modes = modes
        self.models = models
        self.takesPictures = takesPictures
    }

    init(from value: JSONValue) throws(WireError) {
        name = try value.object().string("name", bytesMax: WireLimits.nameBytesMax)
        title = try value.string("title", bytesMax: WireLimits.nameBytesMax)
        modes = try value.names("modes", countMax: WireLimits.steeringModesMax)
        models = try value.names("models", countMax: WireLimits.steeringModelsMax)
        takesPictures = try value.flag("pictures")
    }

    var bytes: [UInt8] {
        JSONWriter.object {
            $0.field("name", name)
            $0.field("title", title)
            $0.flag("pictures", takesPictures)
            if !modes.isEmpty { $0.strings("modes", modes) }
            if !models.isEmpty { $0.strings("models", models) }
        }
    }
}

/// A session of a project that an agent can resume. Content: it is in the body of the event that answers `past`.
package struct PastSession: Sendable, Equatable {
    /// The agent's own identifier of the session.
    package var id: String
    package var title: String
    /// Time of the session's last activity, in milliseconds since 1970.
    package var at: Int64
    /// True if some program has the session open, so that it cannot be resumed.
    package var isOpen: Bool

    package init(id: String, title: String, at: Int64, isOpen: Bool = false) {
        self.id = id
        self.title = title
        self.at = at
        self.isOpen = isOpen
    }

    /// The sessions that an event lists; nil if it lists none.
    package static func list(inEvent bytes: [UInt8]) -> [PastSession]? {
        guard let body = try? JSONDocument(parsing: bytes).root.optional("body"), body.optional("sessions") != nil else {
            return nil
        }
        return try? list(body)
    }

    private static func list(_ body: JSONValue) throws(WireError) -> [PastSession] {
        var list: [PastSession] = []
        for entry in try body.array("sessions", countMax: WireLimits.pastSessionsMax) {
            list.append(
                PastSession(
                    id: try entry.string("id", bytesMax: WireLimits.nameBytesMax),
                    title: try entry.string("title", bytesMax: WireLimits.lineBytesMax), at: try entry.integer("at"),
                    isOpen: try entry.flag("open")))
        }
        return list
    }

    package var bytes: [UInt8] {
        JSONWriter.object {
            $0.field("id", id)
            $0.field("title", title)
            $0.field("at", at)
            $0.flag("open", isOpen)
        }
    }
}
