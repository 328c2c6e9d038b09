/// A client's rights, as the relay reports them: a page offers nothing that would be refused.
package enum ClientRight: String, Sendable, CaseIterable {
    case watch, decide, steer, administer

    /// Nothing is said of them by a relay that knew of none: all but steering, which it did not have.
    static func set(from value: JSONValue) throws(WireError) -> Set<ClientRight> {
        guard value.optional("may") != nil else { return [.watch, .decide, .administer] }
        var rights: Set<ClientRight> = []
        for entry in try value.array("may") {
            if let right = ClientRight(rawValue: try entry.string()) { rights.insert(right) }
        }
        return rights
    }
}
