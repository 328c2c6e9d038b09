package import RelayCore
package import RelayModel
package import RelayProtocol
internal import Synchronization

extension InMemoryStore: PictureStore {
    package func keep(_ picture: KeptPicture, of session: SessionKey, at: Int64) -> Bool {
        content.withLock { content in
            guard content.session(session)?.state != nil else { return false }
            content.pictures.removeAll { $0.key == session && $0.picture.named.digest == picture.named.digest }
            content.pictures.append((session, picture, at))
            while content.isOverfull(session.workspace),
                let oldest = content.pictures.firstIndex(where: { $0.key.workspace == session.workspace })
            {
                content.pictures.remove(at: oldest)
            }
            return true
        }
    }

    package func picture(_ digest: PictureDigest, in workspace: WorkspaceID, of host: HostID?) -> KeptPicture? {
        content.withLock { content in
            content.pictures.first { entry in
                entry.key.workspace == workspace && entry.picture.named.digest == digest
                    && (host == nil || content.session(entry.key)?.place.host == host)
            }?.picture
        }
    }

    package func hasPictures(_ pictures: [Picture], of session: SessionKey) -> Bool {
        content.withLock { content in
            pictures.allSatisfy { picture in
                content.pictures.contains { $0.key == session && $0.picture.named == picture }
            }
        }
    }
}

extension InMemoryStore.Content {
    fileprivate func isOverfull(_ workspace: WorkspaceID) -> Bool {
        let own = pictures.filter { $0.key.workspace == workspace }
        return own.count > PictureLimits.workspaceCountMax
            || own.reduce(0) { $0 + $1.picture.content.count } > PictureLimits.workspaceBytesMax
    }

    /// Removes pictures older than the last removed event, or all of them with the session.
    mutating func forgetPictures(of trim: SessionTrim, upTo last: Int64?) {
        guard let end = trim.state == nil ? Int64.max : last else { return }
        pictures.removeAll { $0.key == trim.key && $0.at <= end }
    }
}
