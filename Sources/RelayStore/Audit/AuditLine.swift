internal import RelayCore
package import RelayProtocol

/// One line of the audit log as it is read back.
package struct AuditLine {
    package let workspace: WorkspaceID
    package let n: Int64
    let previous: String
    package let hash: String
    /// For the record of a decision: the decision, and the approval it is about.
    package let decision: (key: AuditedApproval, decision: Decision)?
    /// True if `hash` is the hash of exactly this line.
    let isIntact: Bool

    /// Throws if this is not an audit record.
    init(parsing bytes: [UInt8]) throws(WireError) {
        let value = try JSONDocument(parsing: bytes).root.object()
        workspace = try value.identifier("workspace")
        n = try value.integer("n", in: 1...JSONValue.integerMax)
        previous = try value.string("previous", bytesMax: 64)
        hash = try value.string("hash", bytesMax: 64)
        if [AuditWord.decided, AuditWord.ruled].contains(try value.string("what")) {
            let key = AuditedApproval(
                workspace: workspace, session: try value.identifier("session"), approval: try value.identifier("approval"))
            decision = (key, try Decision(from: value.required("decision")))
        } else {
            decision = nil
        }
        // Byte for byte as it was written. Lines written before controls were escaped may be shown with them escaped.
        isIntact =
            Self.isIntact(bytes, hash, after: previous) || Self.isIntact(Self.asFirstWritten(bytes), hash, after: previous)
    }

    private static func isIntact(_ bytes: [UInt8], _ hash: String, after previous: String) -> Bool {
        let suffix = Array(",\"hash\":\"\(hash)\"}".utf8)
        let bare = Array(bytes.dropLast(suffix.count)) + [UInt8(ascii: "}")]
        return bytes.suffix(suffix.count).elementsEqual(suffix) && AuditHead.hash(of: bare, after: previous) == hash
    }

    // MARK: - Controls

    /// Escapes C1 control characters, which control a terminal, and line separators, because an export shows these bytes as they
    /// are. In an object that we wrote, only strings contain bytes other than ASCII.
    package static func spelledOut(_ json: [UInt8]) -> [UInt8] {
        guard json.contains(where: { $0 == 0xC2 || $0 == 0xE2 }) else { return json }
        var spelled: [UInt8] = []
        spelled.reserveCapacity(json.count + 16)
        var rest = json[...]
        while let first = rest.first {
            let second = rest.dropFirst().first ?? 0
            if first == 0xC2, (0x80...0x9F).contains(second) {
                spelled += "\\u00\(String(second, radix: 16))".utf8
                rest = rest.dropFirst(2)
            } else if first == 0xE2, second == 0x80, let third = rest.dropFirst(2).first, third == 0xA8 || third == 0xA9 {
                spelled += "\\u202\(third == 0xA8 ? 8 : 9)".utf8
                rest = rest.dropFirst(3)
            } else {
                spelled.append(first)
                rest = rest.dropFirst()
            }
        }
        return spelled
    }

    /// The line before anything was escaped: old records contained those characters unescaped.
    private static func asFirstWritten(_ json: [UInt8]) -> [UInt8] {
        var written: [UInt8] = []
        written.reserveCapacity(json.count)
        var rest = json[...]
        while let first = rest.first {
            // Other escapes are kept, and an escaped backslash is not taken for the beginning of the next escape.
            guard first == UInt8(ascii: "\\") else {
                written.append(first)
                rest = rest.dropFirst()
                continue
            }
            let digits = String(decoding: rest.dropFirst(2).prefix(4), as: UTF8.self)
            if rest.dropFirst().first == UInt8(ascii: "u"), let code = UInt16(digits, radix: 16), digits.utf8.count == 4,
                (0x80...0x9F).contains(code) || code == 0x2028 || code == 0x2029, let scalar = Unicode.Scalar(code)
            {
                written += String(scalar).utf8
                rest = rest.dropFirst(6)
            } else {
                written += rest.prefix(2)
                rest = rest.dropFirst(2)
            }
        }
        return written
    }
}

/// Identifies an approval among all workspaces.
package struct AuditedApproval: Hashable {
    package let workspace: WorkspaceID
    package let session: SessionID
    package let approval: ApprovalID

    package init(workspace: WorkspaceID, session: SessionID, approval: ApprovalID) {
        (self.workspace, self.session, self.approval) = (workspace, session, approval)
    }
}
