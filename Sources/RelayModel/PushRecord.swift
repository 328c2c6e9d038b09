package import RelayProtocol

/// What the planner keeps on disk, in its own words: devices, cards, pushes, channels, budgets. The store knows only names and bytes.
package struct PushRecord: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case device, card, push, budget, channel
    }

    package var workspace: WorkspaceID
    package var kind: Kind
    /// Unique within its kind and workspace; at most 256 bytes.
    package var name: String
    /// JSON; nil removes the record.
    package var bytes: [UInt8]?

    package init(workspace: WorkspaceID, kind: Kind, name: String, bytes: [UInt8]?) {
        self.workspace = workspace
        self.kind = kind
        self.name = name
        self.bytes = bytes
    }

    /// The last one of each name.
    package static func latest(_ records: [PushRecord]) -> [PushRecord] {
        var places: [String: Int] = [:]
        var latest: [PushRecord] = []
        for record in records {
            let name = "\(record.workspace)/\(record.kind)/\(record.name)"
            if let place = places[name] {
                latest[place] = record
            } else {
                places[name] = latest.count
                latest.append(record)
            }
        }
        return latest
    }
}
