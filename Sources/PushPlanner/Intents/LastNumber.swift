import RelayProtocol

/// The last number given in a block. On disk as a record of kind `push`: from the moment that a device is forgotten with its
/// pushes, or its record fails to decode; and, for the block that all workspaces share, with the first workspace, because the
/// others may be removed. If several records exist for one block, the largest counts.
///
/// Without it the next start would give the same numbers again, and with them the same codes: a notification that a forgotten
/// device still shows would decide a request that it has never shown.
struct LastNumber: Equatable {
    private static let prefix = "last/"

    let push: PushID

    init(_ push: PushID) { self.push = push }

    static func isNamed(_ name: String) -> Bool { name.hasPrefix(prefix) }

    /// Distinct from the name of any push's record.
    var name: String { "\(Self.prefix)\(PushNumbers(of: push).workspace)" }

    init(stored bytes: [UInt8]) throws(WireError) {
        push = PushID(rawValue: try JSONDocument(parsing: bytes).root.object().integer("number"))
    }

    var bytes: [UInt8] { JSONWriter.object { $0.field("number", push.rawValue) } }
}
