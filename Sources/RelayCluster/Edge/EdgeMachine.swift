package import RelayModel

/// An edge as a pure machine: it forwards its peers' messages to the owner and back, and reads none of them.
///
/// It knows the connected peers and the queued bytes; the owner knows the rest. When a link ends, all its peers are disconnected:
/// they reconnect, with their positions, and the edge had no other state of theirs.
package struct EdgeMachine {
    package enum Fact: Sendable {
        /// A connection was authenticated and upgraded.
        case peerOpened(PeerID, PeerOpening)
        case peerSaid(PeerID, [UInt8])
        case peerClosed(PeerID)
        case peerCongested(PeerID)
        case peerDrained(PeerID)
        /// An HTTP request that only the owner can answer.
        case called(CallID, HTTPCall)
        case linkOpened
        case linkEnded
        /// The link is full: its peers are not read until it has drained.
        case linkCongested
        case linkDrained
        /// The peer with this number has used up its share of the link's queued bytes, and must not be read until that has drained.
        case shareFilled(Int)
        case shareDrained(Int)
        case ownerSaid(OwnerMessage)
        /// This node ends, or becomes the owner.
        case left
    }

    package enum Order: Sendable, Equatable {
        case tell(EdgeMessage)
        case send([UInt8], to: [PeerID])
        case close(PeerID, code: UInt16, reason: String)
        /// Disconnect these, spread over time, hosts first.
        case dismiss(hosts: [PeerID], clients: [PeerID])
        case pauseReading(PeerID)
        case resumeReading(PeerID)
        case answer(CallID, HTTPAnswer)
        case fail(CallID, CallFailure)
    }

    /// Identifies one HTTP request at this edge; never used again.
    package struct CallID: Hashable, Sendable {
        package let rawValue: UInt64
        package init(rawValue: UInt64) { self.rawValue = rawValue }
    }

    /// Reason for the lack of an answer from the owner.
    package enum CallFailure: Sendable, Equatable {
        /// The request was not begun: there is no link, or the node at its other end does not own the workspace (any more, or yet).
        case noOwner
        /// The request was not begun: too many are under way.
        case tooMany
        /// The link ended: the owner may have carried out the request.
        case linkEnded
    }

    private enum Link {
        /// There is no link to an owner. Becomes `open`.
        case away
        /// The link is open. Becomes `away`.
        case open(isCongested: Bool)
        /// The node ends, or owns the workspace itself. Final.
        case left
    }

    private struct Peer {
        let number: Int
        let isHost: Bool
        /// Reasons why the peer is not read; reading resumes when all of them have ended.
        var pauses: Set<Pause> = []
    }

    private enum Pause { case owner, link, share }

    private enum Slot {
        /// The number is unused. Becomes `open`.
        case free
        /// The number is a connected peer's. Becomes `leaving`.
        case open(PeerID)
        /// The owner was told that the peer has disconnected. Becomes `free` when the owner replies with `forgotten`.
        case leaving
    }

    private var link = Link.away
    private var peers: [PeerID: Peer] = [:]
    /// Peers by their number on the link.
    private var slots: [Slot] = []
    private var freeNumbers: [Int] = []
    private var calls: [UInt64: CallID] = [:]
    private var lastCall: UInt64 = 0
    /// Orders collected while one fact is handled.
    private var orders: [Order] = []

    package init() {}

    /// True if new peers are accepted.
    package var isServing: Bool { if case .open = link { true } else { false } }
    package var peerCount: Int { peers.count }

    package mutating func handle(_ fact: Fact) -> [Order] {
        switch fact {
        case .peerOpened(let peer, let opening): opened(peer, opening)
        case .peerSaid(let peer, let bytes): said(bytes, by: peer)
        case .peerClosed(let peer): closed(peer)
        case .peerCongested(let peer): if let number = peers[peer]?.number { orders.append(.tell(.congested(number))) }
        case .peerDrained(let peer): if let number = peers[peer]?.number { orders.append(.tell(.drained(number))) }
        case .called(let id, let call): called(id, call)
        case .linkOpened: if case .away = link { link = .open(isCongested: false) }
        case .linkEnded: end(as: .away)
        case .linkCongested: linkCongested()
        case .linkDrained: linkDrained()
        case .shareFilled(let number): if let peer = peer(number) { pause(peer, for: .share) }
        case .shareDrained(let number): if let peer = peer(number) { resume(peer, from: .share) }
        case .ownerSaid(let message): ownerSaid(message)
        case .left: end(as: .left)
        }
        defer { orders = [] }
        return orders
    }

    // MARK: - Peers

    private mutating func opened(_ peer: PeerID, _ opening: PeerOpening) {
        guard case .open = link, slots.count - freeNumbers.count < NodeLinkLimits.peersMax else {
            // The link has ended after the peer was admitted.
            return orders.append(.dismiss(hosts: opening.isHost ? [peer] : [], clients: opening.isHost ? [] : [peer]))
        }
        let number = freeNumbers.popLast() ?? slots.count
        if number == slots.count { slots.append(.free) }
        slots[number] = .open(peer)
        peers[peer] = Peer(number: number, isHost: opening.isHost)
        orders.append(.tell(.open(number, opening)))
        if isCongested { pause(peer, for: .link) }
    }

    private mutating func said(_ bytes: [UInt8], by peer: PeerID) {
        guard let number = peers[peer]?.number else { return }
        orders.append(.tell(.text(number, bytes)))
    }

    private mutating func closed(_ peer: PeerID) {
        guard let number = peers.removeValue(forKey: peer)?.number else { return }
        slots[number] = .leaving
        orders.append(.tell(.closed(number)))
    }

    private mutating func pause(_ peer: PeerID, for reason: Pause) {
        guard let pauses = peers[peer]?.pauses else { return }
        peers[peer]?.pauses.insert(reason)
        if pauses.isEmpty { orders.append(.pauseReading(peer)) }
    }

    private mutating func resume(_ peer: PeerID, from reason: Pause) {
        guard peers[peer]?.pauses.remove(reason) != nil, peers[peer]?.pauses.isEmpty == true else { return }
        orders.append(.resumeReading(peer))
    }

    // MARK: - Calls

    private mutating func called(_ id: CallID, _ call: HTTPCall) {
        guard case .open = link else { return orders.append(.fail(id, .noOwner)) }
        guard !isCongested, calls.count < NodeLinkLimits.callsMax else { return orders.append(.fail(id, .tooMany)) }
        lastCall += 1
        calls[lastCall] = id
        orders.append(.tell(.call(lastCall, call)))
    }

    // MARK: - The link

    private var isCongested: Bool { if case .open(isCongested: true) = link { true } else { false } }

    /// Pauses all peers at once: one more message from each could exceed the link's limit.
    private mutating func linkCongested() {
        guard case .open = link else { return }
        link = .open(isCongested: true)
        for peer in peers.keys.sorted() { pause(peer, for: .link) }
    }

    private mutating func linkDrained() {
        guard case .open = link else { return }
        link = .open(isCongested: false)
        for peer in peers.keys.sorted() { resume(peer, from: .link) }
    }

    private mutating func end(as state: Link) {
        if case .left = link { return }
        link = state
        let everybody = peers.sorted { $0.key < $1.key }
        if !everybody.isEmpty {
            orders.append(
                .dismiss(
                    hosts: everybody.filter(\.value.isHost).map(\.key),
                    clients: everybody.filter { !$0.value.isHost }.map(\.key)))
        }
        for (_, call) in calls.sorted(by: { $0.key < $1.key }) { orders.append(.fail(call, .linkEnded)) }
        (peers, slots, freeNumbers, calls) = ([:], [], [], [:])
    }

    private mutating func ownerSaid(_ message: OwnerMessage) {
        guard case .open = link else { return }
        switch message {
        case .text(let numbers, let bytes):
            var there: [PeerID] = []
            there.reserveCapacity(numbers.count)
            for number in numbers where slots.indices.contains(number) {
                if case .open(let peer) = slots[number] { there.append(peer) }
            }
            if !there.isEmpty { orders.append(.send(bytes, to: there)) }
        case .close(let number, let code, let reason):
            if let peer = peer(number) { orders.append(.close(peer, code: code, reason: reason)) }
        case .pause(let number): if let peer = peer(number) { pause(peer, for: .owner) }
        case .resume(let number): if let peer = peer(number) { resume(peer, from: .owner) }
        case .forgotten(let number):
            guard slots.indices.contains(number), case .leaving = slots[number] else { return }
            slots[number] = .free
            freeNumbers.append(number)
        case .answer(let number, let answer):
            guard let id = calls.removeValue(forKey: number) else { return }
            orders.append(answer.saysNotOwner ? .fail(id, .noOwner) : .answer(id, answer))
        }
    }

    /// Nil if the peer has disconnected and the owner does not know yet.
    private func peer(_ number: Int) -> PeerID? {
        guard slots.indices.contains(number), case .open(let peer) = slots[number] else { return nil }
        return peer
    }
}
