import RelayProtocol

/// An alert about a past event, kept until its service has accepted it or it is not worth sending any more. On disk in its device's
/// record.
struct OwedAlert {
    /// Unique in one run of the relay.
    var number: Int64 = 0
    let kind: AlertKind
    var alert: Alert
    /// The amount of text that the person had chosen when its text was composed.
    let chosen: PushText
    /// The push that carries it now.
    var push: PushID?

    init(
        _ kind: AlertKind, _ text: AlertText, cover: AlertText, chosen: PushText, level: AlertLevel, thread: String,
        replaces: String, session: SessionID?, at now: Int64
    ) {
        self.kind = kind
        self.chosen = chosen
        alert = Alert(
            kind: kind, text: text, cover: cover, level: level, thread: thread, replaces: replaces, session: session,
            worthUntil: now + PushPolicy.alertAge)
    }

    /// True if it is a later alert of the same notification. Each crossing of a budget is news of its own.
    func replaces(_ other: OwedAlert) -> Bool {
        number > other.number && kind != .budget && kind == other.kind && alert.replaces == other.alert.replaces
    }

    /// Prefix of the notification names of alerts about unfinished runs.
    static let running = "running."

    /// True if it is about an unfinished run that no card shows any more.
    var isOfRunThatGoesOn: Bool { alert.replaces.hasPrefix(Self.running) }

    /// True if it only replaces an alert whose subject is settled. (The digest has the same level, but no session.)
    var isSettlement: Bool { alert.level == .passive && alert.session != nil }

    /// The alert as it may be sent now: only its cover if the person has since chosen another amount of text.
    func asWanted(_ text: PushText?) -> Alert {
        var wanted = alert
        if text != chosen { wanted.text = alert.cover }
        return wanted
    }

    init(stored value: JSONValue) throws(WireError) {
        kind = try value.word("kind")
        chosen = try value.word("chosen")
        alert = Alert(
            kind: kind, text: try AlertText(stored: value.required("text")),
            cover: try AlertText(stored: value.required("cover")), level: try value.word("level"),
            thread: try value.string("thread"), replaces: try value.string("collapse"),
            session: try value.optionalIdentifier("session"), worthUntil: try value.integer("worthUntil"))
        push = try value.optionalInteger("push").map { PushID(rawValue: $0) }
    }

    var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.field("kind", kind.rawValue)
            writer.raw("text", alert.text.stored)
            writer.raw("cover", alert.cover.stored)
            writer.field("chosen", chosen.rawValue)
            writer.field("level", alert.level.rawValue)
            writer.field("thread", alert.thread)
            writer.field("collapse", alert.replaces)
            writer.field("session", alert.session)
            writer.field("worthUntil", alert.worthUntil)
            writer.field("push", push?.rawValue)
        }
    }
}

extension AlertText {
    fileprivate init(stored value: JSONValue) throws(WireError) {
        self.init(
            title: try value.string("title"), subtitle: try value.optionalString("subtitle"), body: try value.string("body"),
            isWhole: false)
    }

    fileprivate var stored: [UInt8] {
        JSONWriter.object { writer in
            writer.field("title", title)
            writer.field("subtitle", subtitle)
            writer.field("body", body)
        }
    }
}
