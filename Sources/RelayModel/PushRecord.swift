package import RelayProtocol

/// One record of the push planner's persistent state, in the planner's own encoding: devices, cards, pushes, channels, budgets,
/// costs. The store knows only names and bytes.
package struct PushRecord: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case device, card, push, budget, channel, cost

        /// True if the core keeps this record by counting, beside the planner. After a failed commit it is counted again, with the
        /// events that come again.
        package var isCount: Bool { self == .budget || self == .cost }
    }

    package var workspace: WorkspaceID
    package var kind: Kind
    /// Name of the record, unique within its kind and workspace; at most 256 bytes.
    package var name: String
    /// JSON; nil removes the record.
    package var bytes: [UInt8]?
    /// All addresses of the record's device or card, if its app or another app has just reported them or one of them: from now on
    /// they belong to no other device or card, in any workspace. Nil: nothing was reported, and ownership does not change. Not
    /// loaded from the store.
    package var addresses: [PushAddress]?

    package init(workspace: WorkspaceID, kind: Kind, name: String, bytes: [UInt8]?, addresses: [PushAddress]? = nil) {
        self.workspace = workspace
        self.kind = kind
        self.name = name
        self.bytes = bytes
        self.addresses = addresses
    }

    /// The record as a load returns it.
    package var stored: PushRecord { PushRecord(workspace: workspace, kind: kind, name: name, bytes: bytes) }

    /// The last record with each name, with the addresses that were last reported for it.
    package static func latest(_ records: [PushRecord]) -> [PushRecord] {
        var places: [String: Int] = [:]
        var latest: [PushRecord] = []
        for record in records {
            let name = "\(record.workspace)/\(record.kind)/\(record.name)"
            if let place = places[name] {
                let told = record.bytes == nil ? nil : record.addresses ?? latest[place].addresses
                latest[place] = record
                latest[place].addresses = told
            } else {
                places[name] = latest.count
                latest.append(record)
            }
        }
        return latest
    }
}
