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
    /// Everywhere that the device or card of the record is reached, where its app has just said so, or another has: these addresses are nobody
    /// else's from now on, in whatever workspace. Nil: nobody has said anything, and whose they are stays as it is. Not loaded.
    package var addresses: [PushAddress]?

    package init(workspace: WorkspaceID, kind: Kind, name: String, bytes: [UInt8]?, addresses: [PushAddress]? = nil) {
        self.workspace = workspace
        self.kind = kind
        self.name = name
        self.bytes = bytes
        self.addresses = addresses
    }

    /// As it is loaded again.
    package var stored: PushRecord { PushRecord(workspace: workspace, kind: kind, name: name, bytes: bytes) }

    /// The last one of each name, with the addresses that were told last.
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
