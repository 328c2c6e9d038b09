/// An approval as the relay keeps it, for the host that requested it: an entry of `GET /v1/requests`.
package struct KeptRequest: Sendable {
    /// The full path of the session's folder, if known.
    package var folder: String?
    package var approval: Approval

    package init(folder: String?, approval: Approval) {
        self.folder = folder
        self.approval = approval
    }

    /// Decodes the whole answer. `next`: the number before which the next page begins; nil if there is none.
    package static func page(parsing bytes: [UInt8]) throws(WireError) -> (requests: [KeptRequest], next: Int64?) {
        let root = try JSONDocument(parsing: bytes).root.object()
        var requests: [KeptRequest] = []
        for entry in try root.array("requests") {
            requests.append(
                KeptRequest(
                    folder: try entry.object().optionalString("folder"),
                    approval: try Approval(from: entry.required("approval"))))
        }
        return (requests, try root.optionalInteger("next"))
    }

    package var bytes: [UInt8] {
        JSONWriter.object {
            $0.field("folder", folder)
            $0.raw("approval", approval.bytes)
        }
    }
}
