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
        let name = request.header("host").flatMap(HostHeader.name)
        let isLocal =
            request.peer.isLocal && !request.isNamedByProxy
            && !Forwarding.hasTraces(request)
            && name.map(Loopback.contains) == true
        return isLocal || (try? authenticate(request, to: [])) != nil
    }
}
