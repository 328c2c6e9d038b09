import RelayModel
import RelayProtocol

/// RemovedSessions that are not at hand, read from the log when a host names their sessions.
extension Relay {
    func isRemovalKnown(of key: SessionKey) -> Bool { sessions[key] != nil || removed.knows(key) }

    /// Events are not kept until then: their host is asked for them again, from where the session goes on.
    mutating func readRemovedSessions(of keys: [SessionKey], for hello: Hello?, _ peer: PeerID) {
        // In a run of messages, the first asks for all.
        if hello == nil, removedSessionsReads.values.contains(where: { $0.peer == peer && $0.hello == nil && $0.keys == keys })
        {
            return
        }
        guard removedSessionsReads.values.count(where: { $0.peer == peer }) < Limits.removedSessionsReadsMax else {
            send(.notice(.init(.unavailable, "too many sessions are being looked up; try again")), toHost: peer)
            return
        }
        removed.readBegan(keys)
        let id = orders.nextReadID()
        removedSessionsReads[id] = RemovedSessionsRead(peer: peer, keys: keys, hello: hello)
        orders.add(.readRemovedSessions(id, keys))
    }

    mutating func removedSessionsRead(_ id: ReadID, _ places: [SessionKey: RemovedSession]) {
        guard let read = endRemovedSessionsRead(id) else { return }
        // What became known meanwhile is newer.
        for key in read.keys where !isRemovalKnown(of: key) { removed.add(key, places[key]) }
        if let host = presence.hosts[read.peer] {
            if let hello = read.hello {
                answer(hello, of: host, read.peer)
            } else {
                for key in read.keys {
                    let through = sessions[key]?.staged.hostSeq ?? removed[key]?.hostSeq ?? 0
                    send(.resend(key.session, from: through + 1), toHost: read.peer)
                }
            }
        }
        shrinkRemovedSessions()
    }

    /// Nil where the read was for something else.
    private mutating func endRemovedSessionsRead(_ id: ReadID) -> RemovedSessionsRead? {
        guard let read = removedSessionsReads.removeValue(forKey: id) else { return nil }
        removed.readEnded(read.keys)
        return read
    }

    /// Whoever waits for `welcome` comes back; events are sent again.
    /// False where the read was for something else.
    mutating func removedSessionsReadFailed(_ id: ReadID, _ reason: String) -> Bool {
        guard let read = endRemovedSessionsRead(id) else { return false }
        guard presence.hosts[read.peer] != nil else { return true }
        if read.hello == nil {
            send(.notice(.init(.unavailable, reason)), toHost: read.peer)
        } else {
            orders.add(.close(read.peer, .restarting))
        }
        return true
    }

    mutating func shrinkRemovedSessions() {
        // A copy to look at: the places are being changed.
        let sessions = sessions
        removed.shrink(to: configuration.removedSessionsMax) { sessions[$0] != nil }
    }
}
