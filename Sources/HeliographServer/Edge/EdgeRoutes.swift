import RelayCluster
import RelayProtocol
import WebSocketEngine

/// Plain HTTP at an edge: what is the same at every node is answered here, all else by the owner. Lives on the main loop's thread.
final class EdgeRoutes {
    private let configuration: ServerConfiguration
    private let loops: EventLoopGroup
    private var port: UInt16 = 0
    private let access: Access
    private let responder: Responder
    private let registry: PrometheusRegistry
    private let reads: EntrantReads
    /// Requests that may let somebody in, or end that: whoever is answered finds it done at this node, too.
    private var changing: [HTTPRequestID: Caller] = [:]

    private enum Caller {
        /// This machine's operator, who waits for no turn.
        case administrator
        case peer
    }

    init(
        _ configuration: ServerConfiguration, _ loops: EventLoopGroup, access: Access, reads: EntrantReads,
        responder: Responder, registry: PrometheusRegistry
    ) {
        (self.configuration, self.loops) = (configuration, loops)
        self.access = access
        self.reads = reads
        self.responder = responder
        self.registry = registry
    }

    /// Connections are accepted now.
    func listens(at port: UInt16) { self.port = port }

    /// False: the owner answers it.
    func answer(_ request: HTTPRequest, _ id: HTTPRequestID, isServing: Bool) -> Bool {
        switch (request.method, request.path) {
        case ("GET", "/readyz"), ("HEAD", "/readyz"):
            responder.respond(
                id, isServing ? .text(200, "ready\n") : .text(503, "no relay that owns the log is reached\n"))
        case ("GET", "/metrics"):
            responder.respond(
                id,
                access.mayReadMetrics(request) ? .metrics(registry.exposition) : .text(401, "a token is needed\n"))
        // With an owner it is one of those that are handed on: a token that this machine has made is known there, too, by the answer.
        case ("POST", AdminPath.reload) where !isServing && NodePeer(request.peer) == .administrator: reload(id)
        case ("GET", AdminPath.edge) where NodePeer(request.peer) == .administrator:
            report(id, isServing: isServing)
        default:
            if responder.answersAlike(request, id) { return true }
            if Routes.changesEntrants(request) {
                changing[id] = NodePeer(request.peer) == .administrator ? .administrator : .peer
            }
            return false
        }
        return true
    }

    /// Revoked peers are out here by the answer; elsewhere each node finds out by itself, as it does of what another machine changes.
    private func reload(_ id: HTTPRequestID) {
        access.reload { [responder] result in
            switch result {
            case .success: responder.respond(id, .text(200, "reloaded\n"))
            case .failure:
                responder.respond(
                    id, .json(503, Notice(code: ErrorCode.unavailable.rawValue, message: "the relay's store does not answer")))
            }
        }
    }

    private func report(_ id: HTTPRequestID, isServing: Bool) {
        loops.census { [configuration, port, responder] engine in
            let report = EdgeReport(
                configuration: configuration, address: configuration.localURL(port: port), engine: engine, isReady: isServing)
            responder.respond(id, .json(200, report.bytes))
        }
    }

    func answered(_ id: HTTPRequestID, _ response: HTTPResponse) {
        guard let caller = changing.removeValue(forKey: id), response.status < 300 else { return responder.pass(id, response) }
        switch caller {
        case .administrator: access.reload { [responder] _ in responder.pass(id, response) }
        case .peer: reads.askInTime { [responder] in responder.pass(id, response) }
        }
    }

    func failed(_ id: HTTPRequestID, _ failure: EdgeMachine.CallFailure) {
        changing[id] = nil
        let sentence =
            switch failure {
            case .noOwner: "no relay that owns the log is reached; try again"
            case .tooMany: "too many ask at once; try again"
            case .linkEnded: "there was no answer in time; it may have been done all the same"
            }
        responder.respond(id, .json(503, Notice(code: ErrorCode.unavailable.rawValue, message: sentence)))
    }
}
