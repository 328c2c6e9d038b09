import RelayProtocol

/// The last number that was given in a block. On disk as a record of kind `push`, from the moment a device is forgotten with its pushes, or its record is found not to decode; and with
/// the first workspace for what the others are pushed, as they may be removed. Where there are several for one block, the largest counts.
///
/// The next start would else give the same numbers again, and with them the codes: a notification that the forgotten device still shows would
/// decide something that it has never shown.
struct LastNumber: Equatable {
    private static let prefix = "last/"

    let push: PushID

    init(_ push: PushID) { self.push = push }

    static func isNamed(_ name: String) -> Bool { name.hasPrefix(prefix) }

    /// No push's record is named so.
    var name: String { "\(Self.prefix)\(PushNumbers(of: push).workspace)" }

    init(stored bytes: [UInt8]) throws(WireError) {
        push = PushID(rawValue: try JSONDocument(parsing: bytes).root.object().integer("number"))
    }

    var bytes: [UInt8] { JSONWriter.object { $0.field("number", push.rawValue) } }
}
