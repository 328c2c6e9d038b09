import RelayProtocol

/// An approval that a card's push rings for.
struct CallName: Hashable, Comparable {
    let session: SessionID
    let approval: ApprovalID

    init(session: SessionID, approval: ApprovalID) {
        self.session = session
        self.approval = approval
    }

    init(stored value: JSONValue) throws(WireError) {
        session = try value.identifier("session")
        approval = try value.identifier("approval")
    }

    var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.field("session", session)
            writer.field("approval", approval)
        }
    }

    static func < (left: CallName, right: CallName) -> Bool {
        (left.session.rawValue, left.approval.rawValue) < (right.session.rawValue, right.approval.rawValue)
    }
}
