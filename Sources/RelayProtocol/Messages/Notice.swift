/// Information for a peer: a refused message, a limit, a store that refuses writes.
package struct Notice: Sendable, Equatable {
    package var code: String
    package var message: String
    package var path: String?
    /// The session concerned, if the host has to know it.
    package var session: SessionID?
    /// The host's number of the event that it has to leave out, if only that is refused.
    package var seq: Int64?
    /// The workspace's limit that was reached, if clients have to know it; may be a word of a later version.
    package var limit: String?

    /// Code of the refusal of a token whose workspace was removed.
    package static let workspaceRemoved = "workspaceRemoved"

    package init(
        code: String, message: String, path: String? = nil, session: SessionID? = nil, seq: Int64? = nil,
        limit: WorkspaceLimit? = nil
    ) {
        self.code = code
        self.message = message
        self.path = path
        self.session = session
        self.seq = seq
        self.limit = limit?.rawValue
    }

    package init(_ error: WireError) {
        self.init(code: error.code.rawValue, message: error.message, path: error.path)
    }

    package init(from value: JSONValue) throws(WireError) {
        code = try value.object().string("code")
        message = try value.string("message")
        path = try value.optionalString("path")
        session = try value.optionalIdentifier("session")
        seq = try value.optionalInteger("seq")
        limit = try value.optionalString("limit")
    }

    func write(to writer: inout JSONWriter) {
        writer.field("code", code)
        writer.field("message", message)
        writer.field("path", path)
        writer.field("session", session)
        writer.field("seq", seq)
        writer.field("limit", limit)
    }
}

/// The codes of errors and notices besides those of `WireError`.
package enum ErrorCode: String, Sendable, CaseIterable {
    case helloFirst, unsupportedVersion, notFound, alreadyDecided, closed, digestMismatch, notWhole, wrongKind, badAnswer
    case unsupported, unavailable, damaged, tooMany, forbidden, unknownPicture
}
