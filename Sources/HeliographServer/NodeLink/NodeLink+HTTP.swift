import Glibc
import RelayCluster
import WebSocketEngine

/// Converts the engine's values to those of a link, and back.
extension HTTPCall {
    init(_ request: HTTPRequest) {
        self.init(
            method: request.method, path: request.path, query: request.query,
            headers: request.headers.map { HTTPField($0.name, $0.value) }, body: request.body, peer: NodePeer(request.peer),
            isNamedByProxy: request.isNamedByProxy, isTLS: request.isTLS)
    }
}

extension HTTPRequest {
    init(_ call: HTTPCall) {
        self.init(
            method: call.method, path: call.path, query: call.query, headers: call.headers.map { ($0.name, $0.value) },
            body: call.body, peer: Peer(call.peer), isTLS: call.isTLS)
        isNamedByProxy = call.isNamedByProxy
    }
}

extension HTTPAnswer {
    init(_ response: HTTPResponse) {
        let body: [UInt8] =
            switch response.body {
            case .bytes(let bytes): bytes
            case .staticBytes(let text): Array(text.description.utf8)
            }
        self.init(status: response.status, headers: response.headers.map { HTTPField($0.0, $0.1) }, body: body)
    }
}

extension HTTPResponse {
    init(_ answer: HTTPAnswer) {
        self.init(status: answer.status, headers: answer.headers.map { ($0.name, $0.value) }, body: .bytes(answer.body))
    }
}

extension NodePeer {
    init(_ peer: Peer) {
        switch peer {
        case .ip(let address): self = .ip(address)
        case .unix(let userID, _): self = userID == geteuid() || userID == 0 ? .administrator : .local
        }
    }
}

extension Peer {
    /// Converts a peer at the owner: an edge's administrator counts as the owner's, whichever user runs the edge.
    init(_ peer: NodePeer) {
        switch peer {
        case .ip(let address): self = .ip(address)
        case .administrator: self = .unix(userID: geteuid(), processID: 0)
        case .local: self = .unix(userID: uid_t.max, processID: 0)
        }
    }
}
