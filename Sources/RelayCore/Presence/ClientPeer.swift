import RelayModel
import RelayProtocol

/// One connection of a client.
struct ClientPeer {
    let identity: ClientIdentity
    var hasSaidHello = false
    /// True once the token is revoked and the connection is being closed.
    var isShownOut = false

    var workspace: WorkspaceID { identity.workspace.id }
    var key: ClientKey { ClientKey(workspace: workspace, client: identity.client.id) }
}
