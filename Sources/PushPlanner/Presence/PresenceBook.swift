import RelayModel
import RelayProtocol

/// Devices that a person is looking at. A device is spared pushes only on proof: its own app is connected, in the foreground, and
/// has sent something lately.
struct PresenceBook {
    /// The last report of each connection.
    private var presences: [PeerID: Presence] = [:]
    /// Connections in the foreground, by device and by workspace.
    private var ofDevices: [DeviceKey: Set<PeerID>] = [:]
    private var ofWorkspaces: [WorkspaceID: Set<PeerID>] = [:]

    /// First step of a connection's report of its presence. Returns the device that it looked at and no longer does, if there is
    /// one …
    mutating func leave(for presence: Presence, _ peer: PeerID) -> DeviceKey? {
        let old = presences.updateValue(presence, forKey: peer)?.key
        guard let old, old != presence.key || !presence.isForeground else { return nil }
        return ofDevices[old]?.remove(peer) == nil ? nil : old
    }

    /// … second step: enters its present place.
    mutating func enter(_ presence: Presence, _ peer: PeerID) {
        if presence.isForeground {
            ofWorkspaces[presence.workspace, default: []].insert(peer)
            if let key = presence.key { ofDevices[key, default: []].insert(peer) }
        } else {
            ofWorkspaces[presence.workspace]?.remove(peer)
        }
    }

    /// Ends a connection. Returns the device that it looked at.
    mutating func end(_ peer: PeerID) -> DeviceKey? {
        guard let old = presences.removeValue(forKey: peer) else { return nil }
        ofWorkspaces[old.workspace]?.remove(peer)
        return old.key.flatMap { ofDevices[$0]?.remove(peer) == nil ? nil : $0 }
    }

    mutating func heard(_ peer: PeerID, at now: Instant) { presences[peer]?.heardAt = now.uptime }

    mutating func forget(_ key: DeviceKey) { ofDevices[key] = nil }

    /// The device that this connection reports for.
    func device(of peer: PeerID) -> DeviceID? { presences[peer]?.device }

    /// The wall-clock time until which a person counts as looking at this device; nil if not.
    func until(_ key: DeviceKey, at now: Instant) -> Int64? {
        let heard = (ofDevices[key] ?? []).compactMap { presences[$0]?.heardAt }.max()
        guard let heard, heard + WireLimits.presenceMilliseconds > now.uptime else { return nil }
        return now.wall + heard + WireLimits.presenceMilliseconds - now.uptime
    }

    /// True if a person of the workspace is looking at any screen.
    func isAnybodyThere(in workspace: WorkspaceID, at now: Instant) -> Bool {
        (ofWorkspaces[workspace] ?? []).contains { presences[$0]?.isProof(at: now) ?? false }
    }

    var peers: Set<PeerID> {
        let looking = Array(ofDevices.values) + Array(ofWorkspaces.values)
        return looking.reduce(into: Set(presences.keys)) { $0.formUnion($1) }
    }
}
