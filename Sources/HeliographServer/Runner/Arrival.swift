import RelayCore
import RelayProtocol
import WebSocketEngine

/// A loop's input for the core: facts, in the order of each connection.
enum Arrival: Sendable {
    indirect case opened(ConnectionID, AuthenticatedPeer)
    case closed(ConnectionID, CloseReason)
    case congested(ConnectionID)
    case drained(ConnectionID)
    /// A decoded message of a peer. `bytes`: its size.
    case said(Input, on: ConnectionID, bytes: Int)
    /// A message of a peer that the owner decodes.
    case unread([UInt8], on: ConnectionID)
    indirect case request(HTTPRequest, HTTPRequestID)
    /// The request's client has disconnected before it was answered.
    case requestAborted(HTTPRequestID)
    /// A token that is unknown here: another node may have made it a moment ago.
    case tokenUnknown([UInt8])
    /// A peer was refused because this workspace has the maximum of connections.
    case turnedAway(from: WorkspaceID)
    /// An edge has opened a link. The number is part of its peers' identifiers.
    case linkOpened(Int, ConnectionID)
    /// A link has ended. Its peers were reported as closed before.
    case linkClosed(Int, CloseReason)
    case linkCongested(Int)
    case linkDrained(Int)
}
