import RelayProtocol

/// The intent on disk, as part of a push's record.
extension PushIntent {
    func bytes(by channel: any PushChannel) -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("id", id.rawValue)
            writer.field("device", device)
            writer.field("service", service.inRecord)
            writer.field("purpose", purpose.rawValue)
            writer.field("session", session)
            writer.field("bundle", app)
            switch target {
            case .device(let token): writer.field("token", token)
            case .broadcast(let channel): writer.field("broadcast", channel)
            case .makeChannel: writer.field("makeChannel", true)
            case .deleteChannel(let channel): writer.field("deleteChannel", channel)
            }
            writer.field("environment", environment.rawValue)
            writer.flag("proven", isEnvironmentProven)
            channel.write(self, to: &writer)
            if !payload.isEmpty { writer.raw("payload", payload) }
            if let seal {
                writer.object("seal") {
                    $0.field("key", seal.key)
                    $0.raw("text", seal.text)
                }
            }
            if let code {
                writer.object("code") {
                    $0.field("session", code.session)
                    $0.field("approval", code.approval)
                    $0.field("digest", code.digest.rawValue)
                    $0.field("expiresAt", code.expiresAt)
                }
            }
            writer.field("tokenRegisteredAt", toldAt)
            writer.flag("harmless", isHarmlessToRepeat)
            writer.field("worthUntil", worthUntil)
            writer.field("plannedAt", plannedAt)
        }
    }

    init(stored value: JSONValue, in workspace: WorkspaceID, _ channels: [PushService: any PushChannel]) throws(WireError) {
        let target: Target
        if let token = try value.optionalString("token") {
            target = .device(token: token)
        } else if let channel = try value.optionalString("broadcast") {
            target = .broadcast(channel: channel)
        } else if let channel = try value.optionalString("deleteChannel") {
            target = .deleteChannel(channel: channel)
        } else {
            target = .makeChannel
        }
        let service = try PushService(inRecord: value)
        guard let channel = channels[service] else {
            throw WireError(.badValue, at: "\(value.path).service", "nothing is pushed by \(service.rawValue)")
        }
        self.init(
            id: PushID(rawValue: try value.integer("id")), workspace: workspace, device: try value.identifier("device"),
            service: service, purpose: try value.word("purpose"), session: try value.optionalIdentifier("session"),
            app: try value.string("bundle"), target: target, environment: try value.word("environment"),
            worthUntil: try value.integer("worthUntil"), plannedAt: try value.integer("plannedAt"))
        isEnvironmentProven = try value.flag("proven")
        try channel.read(&self, from: value)
        if let payload = value.optional("payload") { self.payload = Array(payload.bytes) }
        if let seal = value.optional("seal") {
            self.seal = PushSeal(key: try seal.string("key"), text: Array(try seal.required("text").bytes))
        }
        // A code in an older record, without the digest of its input, is ignored.
        if let code = value.optional("code"), let digest = try code.optionalString("digest").flatMap(InputDigest.init) {
            self.code = PushCode(
                session: try code.identifier("session"), approval: try code.identifier("approval"), digest: digest,
                expiresAt: try code.integer("expiresAt"))
        }
        toldAt = try value.integer("tokenRegisteredAt")
        isHarmlessToRepeat = try value.flag("harmless")
    }
}

extension PushService {
    init(inRecord value: JSONValue) throws(WireError) {
        self = value.optional("service") == nil ? .ofUnmarkedRecords : try value.word("service")
    }

    /// The service's name in records; nil for the service that records without a name have.
    var inRecord: String? { self == .ofUnmarkedRecords ? nil : rawValue }
}
