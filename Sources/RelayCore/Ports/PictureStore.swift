package import RelayModel
package import RelayProtocol

/// The port to the pictures in prompts. They are stored next to the log, in the same store: no snapshot contains them, and
/// retention removes them in the same transaction as the events that they belong to.
///
/// Called on any thread; a write waits for others and takes as long as the disk. One contract suite (`PictureStoreContract`) runs
/// on every implementation.
package protocol PictureStore: Sendable {
    /// Stores a picture with a session, as its newest, and removes the workspace's oldest ones if `PictureLimits` requires that. A
    /// picture that is stored already is not stored twice. False if there is no such session.
    func keep(_ picture: KeptPicture, of session: SessionKey, at: Int64) throws(LogError) -> Bool

    /// Nil if no session of the workspace has the picture or, with a host, none of that host's. Throws `damaged` if it was changed
    /// since it was written.
    func picture(_ digest: PictureDigest, in workspace: WorkspaceID, of host: HostID?) throws(LogError) -> KeptPicture?

    /// True if all of these are stored with this session, with the same type and size.
    func hasPictures(_ pictures: [Picture], of session: SessionKey) throws(LogError) -> Bool
}

extension PictureStore {
    package func find(_ pictures: [Picture], of session: SessionKey) throws(LogError) -> PictureFinding {
        try hasPictures(pictures, of: session) ? .all : .lacking
    }
}

/// A picture with its bytes.
package struct KeptPicture: Sendable, Equatable {
    package let named: Picture
    package let content: [UInt8]

    package init(_ named: Picture, _ content: [UInt8]) {
        self.named = named
        self.content = content
    }
}

package enum PictureFinding: Sendable, Equatable {
    case all
    /// At least one picture is missing.
    case lacking
    /// The lookup failed.
    case failed(String)
}

package enum PictureLimits {
    /// Bytes of a workspace's pictures: some hundred photos, each looked at once or twice. The oldest are removed first.
    package static let workspaceBytesMax = 64 << 20
    /// Number of a workspace's pictures, which is counted at each upload.
    package static let workspaceCountMax = 2_048
}
