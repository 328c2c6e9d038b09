import HeliographPlatform
import RelayCluster
import RelayCore
import RelayProtocol
import WebSocketEngine

extension Access {
    /// Numbers tell how much one works. They are for this machine, or for who has a token; a proxy's visitors are neither. A page that was
    /// led here by a name of its own (DNS rebinding) names another host.
    func mayReadMetrics(_ request: HTTPRequest) -> Bool {
        if case .unix = request.peer { return NodePeer(request.peer) == .administrator }
        let host = request.header("host") ?? ""
        let name = host.hasPrefix("[::1]") ? "::1" : host.split(separator: ":").first.map(String.init) ?? ""
        let isLocal =
            request.peer.isLocal && !request.isNamedByProxy
            && !Forwarding.hasTraces(request)
            && Loopback.contains(name)
        return isLocal || (try? authenticate(request, to: [])) != nil
    }
}
