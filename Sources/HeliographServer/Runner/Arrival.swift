import RelayCore
import RelayProtocol
import WebSocketEngine

/// A loop's input for the core: facts, in the order of each connection.
enum Arrival: Sendable {
    indirect case opened(ConnectionID, AuthenticatedPeer)
    case closed(ConnectionID, CloseReason)
    case congested(ConnectionID)
    case drained(ConnectionID)
    /// A peer said something, decoded; of so many bytes.
    case said(Input, on: ConnectionID, bytes: Int)
    /// A peer said something, which the owner decodes.
    case unread([UInt8], on: ConnectionID)
    indirect case request(HTTPRequest, HTTPRequestID)
    /// The request's client left before it was answered.
    case requestAborted(HTTPRequestID)
    /// A token that is not known here: it may have been made a moment ago on another node.
    case tokenUnknown([UInt8])
    /// A peer of this workspace was refused, which has as many connections as it may.
    case turnedAway(from: WorkspaceID)
    /// An edge, by the number that the names of its peers have.
    case linkOpened(Int, ConnectionID)
    /// Each of its peers was told as closed before.
    case linkClosed(Int, CloseReason)
    case linkCongested(Int)
    case linkDrained(Int)
}
