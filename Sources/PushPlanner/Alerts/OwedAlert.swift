import RelayProtocol

/// An alert about what has happened, until APNs has taken it or it is not worth sending any more. On disk in its device's record.
struct OwedAlert: Equatable {
    /// Never given twice in one life of the relay.
    var number: Int64 = 0
    var kind: AlertKind
    var text: AlertText
    /// Its words where the person has since chosen another text for pushes, and those around what is sealed.
    var cover: AlertText
    /// The choice that `text` was made for.
    var chosen: PushText
    var level: Payload.Level
    var thread: String
    /// However often it is sent, the person sees one notification.
    var collapse: String
    /// Nil: of no session, as a digest is.
    var session: SessionID?
    /// Milliseconds since 1970.
    var worthUntil: Int64
    /// The push that is under way with it.
    var push: PushID?

    init(
        _ kind: AlertKind, _ text: AlertText, cover: AlertText, chosen: PushText, level: Payload.Level, thread: String,
        collapse: String, session: SessionID?, at now: Int64
    ) {
        self.kind = kind
        self.text = text
        self.cover = cover
        self.chosen = chosen
        self.level = level
        self.thread = thread
        self.collapse = collapse
        self.session = session
        worthUntil = now + PushPolicy.alertAge
    }

    init(stored value: JSONValue) throws(WireError) {
        kind = try value.word("kind")
        text = try AlertText(stored: value.required("text"))
        cover = try AlertText(stored: value.required("cover"))
        chosen = try value.word("chosen")
        level = try value.word("level")
        thread = try value.string("thread")
        collapse = try value.string("collapse")
        session = try value.optionalIdentifier("session")
        worthUntil = try value.integer("worthUntil")
        push = try value.optionalInteger("push").map { PushID(rawValue: $0) }
    }

    var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.field("kind", kind.rawValue)
            writer.raw("text", text.stored)
            writer.raw("cover", cover.stored)
            writer.field("chosen", chosen.rawValue)
            writer.field("level", level.rawValue)
            writer.field("thread", thread)
            writer.field("collapse", collapse)
            writer.field("session", session)
            writer.field("worthUntil", worthUntil)
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
