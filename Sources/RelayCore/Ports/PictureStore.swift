package import RelayModel
package import RelayProtocol

/// The port to the pictures that go with prompts. They are kept next to the log, in the same store: nothing of them is in a snapshot, and
/// retention takes them with the events that they belong to, in its own transaction.
///
/// From any thread; a write waits for others' and takes as long as the disk. One contract suite (`PictureStoreContract`) runs on every
/// implementation.
package protocol PictureStore: Sendable {
    /// Keeps a picture with a session, as its newest, and removes the workspace's oldest for it if `PictureLimits` requires that. The
    /// same one again is kept once. False if there is no such session.
    func keep(_ picture: KeptPicture, of session: SessionKey, at: Int64) throws(LogError) -> Bool

    /// Nil if no session of the workspace has it, or, with a host, none of that host's. Throws `damaged` if it is not as it was written.
    func picture(_ digest: PictureDigest, in workspace: WorkspaceID, of host: HostID?) throws(LogError) -> KeptPicture?

    /// True if all of these are kept with this session, as they are named.
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
    /// One of them is not there.
    case lacking
    /// Unknown.
    case failed(String)
}

package enum PictureLimits {
    /// All of a workspace: some hundred photos, each looked at once or twice. The oldest go first.
    package static let workspaceBytesMax = 64 << 20
    /// Counted at each upload.
    package static let workspaceCountMax = 2_048
}
