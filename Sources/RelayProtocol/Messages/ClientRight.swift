/// A client's right, as the relay reports it: a page offers nothing that would be refused.
package enum ClientRight: String, Sendable, CaseIterable {
    case watch, decide, steer, administer

    /// Decodes the rights. A relay of a version without rights sends none: its clients have all but steering, which it did not
    /// support.
    static func set(from value: JSONValue) throws(WireError) -> Set<ClientRight> {
        guard value.optional("may") != nil else { return [.watch, .decide, .administer] }
        var rights: Set<ClientRight> = []
        for entry in try value.array("may") {
            if let right = ClientRight(rawValue: try entry.string()) { rights.insert(right) }
        }
        return rights
    }
}
