/// HTTP requests for workspaces that arrive at a node's own sockets, as a pure machine: each is forwarded to the owner of its
/// workspace. If this node knows no owner, the request waits for a moment. See decision record 0104.
///
/// A request waits only while no node has begun it: it was not forwarded yet, or the node that it was forwarded to replied that it
/// does not own the workspace. A request that may have been carried out is never forwarded again.
package struct CallMachine {
    package typealias CallID = EdgeMachine.CallID

    package enum Fact: Sendable {
        /// A request arrived. The route to its workspace; nil: there is none.
        case called(CallID, Call, Way?)
        /// The node that the request was forwarded to gave no answer. The route is the current one.
        case failed(CallID, EdgeMachine.CallFailure, Way?)
        /// The request was answered, or its client has disconnected.
        case ended(CallID)
        /// The current routes to `workspaces`, because some have changed, or `due` has passed.
        case looked([String: Way])
        /// This node is about to end.
        case drainOrdered
    }

    package enum Order: Sendable, Equatable {
        /// Forward the request along its workspace's current route. `keeps`: keep it until it ends, as it may have to be forwarded
        /// again.
        case carry(CallID, keeps: Bool)
        case refuse(CallID, Refusal)
    }

    /// The properties of a request that the machine needs.
    package struct Call: Sendable, Equatable {
        package let workspace: String
        package let asker: Asker
        /// Bytes of body and headers.
        package let bytes: Int

        package init(workspace: String, asker: Asker, bytes: Int) {
            (self.workspace, self.asker, self.bytes) = (workspace, asker, bytes)
        }
    }

    package enum Asker: Hashable, Sendable {
        /// The id of the token in the request.
        case token(String)
        /// A request with a pairing code or the like, which only the owner can check; counted by its address.
        case stranger(String)
    }

    /// The route to a workspace; equal as long as nothing has changed.
    package enum Way: Hashable, Sendable {
        /// This node owns it.
        case own
        /// There is a link to the node with this holder.
        case link(String)
    }

    package enum Refusal: Sendable, Equatable {
        /// The workspace had no owner for as long as a request may wait.
        case noOwner
        /// The limit of waiting requests is reached.
        case tooMany
        /// The link to the owner was full as long as a request may wait.
        case crowded
        /// The request was forwarded over a link that has ended, and may have been carried out.
        case unanswered
        /// This node is about to end: the client should ask another one.
        case leaving
    }

    /// Longest time of a request in this node, from its arrival, in milliseconds. A takeover from a killed owner takes about a
    /// second, a hand-over half of one; an app that iOS woke waits 10 s for an answer, the page's worker 20 s, and a proxy longer.
    package static let patience: Int64 = 5_000
    /// Time until a route is tried again after the node did not own the workspace, or the link was full, in milliseconds: by then
    /// this node has looked up the owner, and a full link has carried many requests.
    package static let retryInterval: Int64 = 250
    /// Waiting requests. Each occupies a connection: a quarter of those that a listener has without a WebSocket
    /// (`Limits.pendingMax`).
    package static let callsMax = 256
    /// Waiting requests of one workspace. This limit and the following ones keep one party from taking all places.
    package static let callsOfWorkspaceMax = 128
    /// Waiting requests with codes, valid or not, of all addresses.
    package static let callsOfStrangersMax = 64
    /// Waiting requests with codes of one address, behind which there may be several phones.
    package static let callsOfAddressMax = 8
    /// Waiting requests of one token: a page that opens makes a dozen.
    package static let callsOfTokenMax = 16
    /// Bytes of waiting requests: ten pictures, or every request with an ordinary body.
    package static let bytesMax = 8 << 20
    package static let bytesOfAskerMax = 2 << 20
    /// Bytes of requests that were forwarded and are kept in case they come back. Requests beyond this are forwarded all the same,
    /// and refused if they come back.
    package static let bytesUnderWayMax = 8 << 20

    private struct Entry {
        let call: Call
        /// Number in the order of arrival.
        let number: UInt64
        let until: Int64
        /// The refusal to send when the request's time has run out.
        var lack = Refusal.noOwner
    }

    /// A route that failed: the node did not own the workspace although the database says so, or the link was full. Not used again
    /// before `until`.
    private struct Doubt {
        let way: Way
        let until: Int64
    }

    private var waiting: [CallID: Entry] = [:]
    private var underWay: [CallID: (entry: Entry, way: Way)] = [:]
    private var bytesUnderWay = 0
    /// Failed routes, by workspace.
    private var doubts: [String: Doubt] = [:]
    private var lastNumber: UInt64 = 0
    private var isLeaving = false
    /// Orders collected while one fact is handled.
    private var orders: [Order] = []

    package init() {}

    /// Workspaces that requests wait for.
    package var workspaces: Set<String> { Set(waiting.values.lazy.map(\.call.workspace)) }

    package var waitingCount: Int { waiting.count }

    /// Time of the next look even if no route has changed; nil if nothing waits.
    package var due: Int64? {
        waiting.values.lazy.map { [doubts] in min($0.until, doubts[$0.call.workspace]?.until ?? .max) }.min()
    }

    /// `now`: milliseconds.
    package mutating func handle(_ fact: Fact, at now: Int64) -> [Order] {
        switch fact {
        case .called(let id, let call, let way): called(id, call, way, at: now)
        case .failed(let id, .noOwner, let way): returned(id, way, for: .noOwner, at: now)
        case .failed(let id, .tooMany, let way): returned(id, way, for: .crowded, at: now)
        case .failed(let id, .linkEnded, _):
            _ = takeUnderWay(id)
            refuse(id, .unanswered)
        case .ended(let id):
            waiting[id] = nil
            _ = takeUnderWay(id)
        case .looked(let ways): looked(ways, at: now)
        case .drainOrdered:
            isLeaving = true
            for id in inOrder({ _ in true }) { refuse(id, .leaving) }
        }
        defer { orders = [] }
        return orders
    }

    private mutating func called(_ id: CallID, _ call: Call, _ way: Way?, at now: Int64) {
        precondition(waiting[id] == nil && underWay[id] == nil, "a request comes once")
        lastNumber += 1
        let entry = Entry(call: call, number: lastNumber, until: now + Self.patience)
        guard let way, isOpen(way, to: call.workspace, at: now) else { return wait(id, entry) }
        release(call.workspace, along: way)
        carry(id, entry, along: way)
    }

    /// Handles a forwarded request that came back without having been begun.
    private mutating func returned(_ id: CallID, _ way: Way?, for lack: Refusal, at now: Int64) {
        guard let taken = takeUnderWay(id) else { return refuse(id, isLeaving ? .leaving : lack) }
        var entry = taken.entry
        entry.lack = lack
        doubts = doubts.filter { now < $0.value.until }
        doubts[entry.call.workspace] = Doubt(way: taken.way, until: now + Self.retryInterval)
        guard now < entry.until else { return refuse(id, lack) }
        wait(id, entry)
        if let way, isOpen(way, to: entry.call.workspace, at: now) { release(entry.call.workspace, along: way) }
    }

    private mutating func looked(_ ways: [String: Way], at now: Int64) {
        doubts = doubts.filter { now < $0.value.until }
        for workspace in workspaces.sorted() {
            if let way = ways[workspace], isOpen(way, to: workspace, at: now) { release(workspace, along: way) }
        }
        for id in inOrder({ $0.until <= now }) { refuse(id, waiting[id]?.lack ?? .noOwner) }
    }

    // MARK: - One request

    private mutating func wait(_ id: CallID, _ entry: Entry) {
        if isLeaving { return refuse(id, .leaving) }
        guard hasRoom(for: entry.call) else { return refuse(id, .tooMany) }
        waiting[id] = entry
    }

    private mutating func carry(_ id: CallID, _ entry: Entry, along way: Way) {
        // Not kept for this node's own core, which answers every request.
        let keeps = way != .own && bytesUnderWay + entry.call.bytes <= Self.bytesUnderWayMax
        if keeps {
            underWay[id] = (entry, way)
            bytesUnderWay += entry.call.bytes
        }
        orders.append(.carry(id, keeps: keeps))
    }

    private mutating func refuse(_ id: CallID, _ refusal: Refusal) {
        waiting[id] = nil
        orders.append(.refuse(id, refusal))
    }

    private mutating func takeUnderWay(_ id: CallID) -> (entry: Entry, way: Way)? {
        guard let taken = underWay.removeValue(forKey: id) else { return nil }
        bytesUnderWay -= taken.entry.call.bytes
        return taken
    }

    // MARK: - All that wait

    private func isOpen(_ way: Way, to workspace: String, at now: Int64) -> Bool {
        guard let doubt = doubts[workspace] else { return true }
        return doubt.way != way || now >= doubt.until
    }

    private mutating func release(_ workspace: String, along way: Way) {
        for id in inOrder({ $0.call.workspace == workspace }) {
            if let entry = waiting.removeValue(forKey: id) { carry(id, entry, along: way) }
        }
    }

    private func inOrder(_ isMeant: (Entry) -> Bool) -> [CallID] {
        waiting.filter { isMeant($0.value) }.sorted { $0.value.number < $1.value.number }.map(\.key)
    }

    private func hasRoom(for call: Call) -> Bool {
        let others = waiting.values.lazy.map(\.call)
        let ofAsker = others.filter { $0.asker == call.asker }
        let hasItsOwn: Bool
        switch call.asker {
        case .token: hasItsOwn = ofAsker.count < Self.callsOfTokenMax
        case .stranger:
            let strangers = others.filter { if case .stranger = $0.asker { true } else { false } }
            hasItsOwn = ofAsker.count < Self.callsOfAddressMax && strangers.count < Self.callsOfStrangersMax
        }
        return hasItsOwn && waiting.count < Self.callsMax
            && others.filter { $0.workspace == call.workspace }.count < Self.callsOfWorkspaceMax
            && ofAsker.reduce(call.bytes) { $0 + $1.bytes } <= Self.bytesOfAskerMax
            && others.reduce(call.bytes) { $0 + $1.bytes } <= Self.bytesMax
    }
}
