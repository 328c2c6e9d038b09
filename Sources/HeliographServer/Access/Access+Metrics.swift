import HeliographPlatform
import RelayCluster
import RelayCore
import RelayProtocol
import WebSocketEngine

extension Access {
    /// True if the request may read metrics, which tell how much people work: only from this machine or with a token, and not by
    /// visitors through a proxy. A page that reached us under its own name (DNS rebinding) sends another host.
    ///
    /// The metrics are of all workspaces together. If there are several, a token counts only if it belongs to a program and was
    /// made on the relay's own machine, in the first workspace: members of one workspace must not see the activity of another.
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
