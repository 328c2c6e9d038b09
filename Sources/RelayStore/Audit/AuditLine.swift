internal import RelayCore
package import RelayProtocol

/// One line of the audit log as it is read back.
package struct AuditLine {
    package let workspace: WorkspaceID
    package let n: Int64
    let previous: String
    package let hash: String
    /// The decision, in a record of one, and what it decided.
    package let decision: (key: AuditedApproval, decision: Decision)?
    /// True if `hash` is the hash of this very line.
    let isIntact: Bool

    /// Throws if this is no audit record at all.
    init(parsing bytes: [UInt8]) throws(WireError) {
        let value = try JSONDocument(parsing: bytes).root.object()
        workspace = try value.identifier("workspace")
        n = try value.integer("n", in: 1...JSONValue.integerMax)
        previous = try value.string("previous", bytesMax: 64)
        hash = try value.string("hash", bytesMax: 64)
        if try value.string("what") == AuditWord.decided {
            let key = AuditedApproval(
                workspace: workspace, session: try value.identifier("session"), approval: try value.identifier("approval"))
            decision = (key, try Decision(from: value.required("decision")))
        } else {
            decision = nil
        }
        // Byte for byte as it was written: no other spelling of the same has this hash.
        let suffix = Array(",\"hash\":\"\(hash)\"}".utf8)
        let bare = Array(bytes.dropLast(suffix.count)) + [UInt8(ascii: "}")]
        isIntact = bytes.suffix(suffix.count).elementsEqual(suffix) && AuditHead.hash(of: bare, after: previous) == hash
    }
}

/// An approval's name in the whole file.
package struct AuditedApproval: Hashable {
    package let workspace: WorkspaceID
    package let session: SessionID
    package let approval: ApprovalID

    package init(workspace: WorkspaceID, session: SessionID, approval: ApprovalID) {
        (self.workspace, self.session, self.approval) = (workspace, session, approval)
    }
}
