import RelayProtocol

/// A broadcast channel that its service made for one card. On disk as a record of kind `channel`, named by the push that made it, until
/// the service has deleted it.
struct Channel {
    /// The push whose service made it.
    let name: String
    let maker: PushID
    /// The device for whose card the channel was made.
    let device: DeviceKey
    let service: PushService
    /// The app whose cards listen to it.
    let app: String
    let environment: PushEnvironment
    /// True if no card needs it any more: it is to be deleted …
    var isOver = false
    /// … no earlier than this, in milliseconds since 1970.
    var dueAt: Int64 = 0

    // MARK: Not on disk

    /// Consecutive failed deletions.
    var tries: Int64 = 0
    /// The push that deletes it, while under way.
    var inFlight: PushID?

    /// A channel made by `push`, which the service accepted in this environment.
    init(_ name: String, madeBy push: PlannedPush, _ environment: PushEnvironment) {
        self.name = name
        maker = push.intent.id
        device = push.key
        service = push.intent.service
        app = push.intent.app
        self.environment = environment
    }

    init(stored bytes: [UInt8], in workspace: WorkspaceID) throws(WireError) {
        let value = try JSONDocument(parsing: bytes).root.object()
        name = try value.string("channel")
        maker = PushID(rawValue: try value.integer("maker"))
        device = DeviceKey(workspace: workspace, device: try value.identifier("device"))
        service = try .init(inRecord: value)
        app = try value.string("bundle")
        environment = try value.word("environment")
        isOver = try value.flag("over")
        dueAt = try value.optionalInteger("dueAt") ?? 0
    }

    /// Moves its deletion forward to this time at the latest.
    mutating func limit(to latest: Int64) { dueAt = min(dueAt, latest) }

    var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.field("channel", name)
            writer.field("maker", maker.rawValue)
            writer.field("device", device.device)
            writer.field("service", service.inRecord)
            writer.field("bundle", app)
            writer.field("environment", environment.rawValue)
            writer.flag("over", isOver)
            if isOver { writer.field("dueAt", dueAt) }
        }
    }
}
