import HeliographPlatform
import RelayCluster
import RelayCore
import RelayProtocol
import WebSocketEngine

extension Access {
    /// Numbers tell how much one works. They are for this machine, or for who has a token; a proxy's visitors are neither. A page that was
    /// led here by a name of its own (DNS rebinding) names another host.
    ///
    /// The numbers are of all workspaces together. If there are several, a token counts only if a program was let in with it at the relay's
    /// own machine, in the first workspace: no member of one is to see how much another works.
    func mayReadMetrics(_ request: HTTPRequest) -> Bool {
        if case .unix = request.peer { return NodePeer(request.peer) == .administrator }
        let name = request.header("host").flatMap(HostHeader.name)
        let isLocal =
            request.peer.isLocal && !request.isNamedByProxy
            && !Forwarding.hasTraces(request)
            && name.map(Loopback.contains) == true
        if isLocal { return true }
        guard let token = try? authenticate(request, to: []) else { return false }
        return workspaces.count <= 1
            || token.kind == .program && token.role.isClient && token.parent == nil && token.workspace == firstWorkspace
    }
}
