internal import AgentClaude
internal import HostCore
internal import Logging
internal import RelayProtocol
internal import WebSocketEngine

/// What the adapter says goes to disk, and what becomes of it where the disk does not take it.
extension HostDaemon {
    /// Between two tries of a disk that failed: a person who made room looks at it for about as long.
    static let diskRetryAfter = Duration.seconds(5)

    /// One write for all of it. False where it failed.
    func record(_ effects: [ClaudeEffect]) -> Bool {
        var items: [Spool.Item] = []
        var approvals: [(event: Int, id: ApprovalID, session: SessionID, isAsked: Bool)] = []
        var sessions: [SessionID] = []
        for effect in effects {
            switch effect {
            case .emit(let session, let bytes, let isKept):
                // What the relay would refuse would stop all that comes after it.
                guard let event = try? Event(stored: bytes) else {
                    logger.error("an event of ours is not as the wire has it", metadata: ["session.id": "\(session)"])
                    continue
                }
                switch event.head {
                case .approvalRequested(let request): approvals.append((sessions.count, request.approval, session, true))
                case .approvalDelivered(let id): approvals.append((sessions.count, id, session, false))
                default: break
                }
                sessions.append(session)
                items.append(Self.item(event.head, session, bytes, isKept: isKept))
            case .remember(let key, let note): items.append(.note(key, note))
            default: break
            }
        }
        guard !items.isEmpty else { return true }
        hasNews = true
        do {
            let numbers = try spool.append(items)
            for one in approvals where one.isAsked { asked[one.id.rawValue] = (one.session, numbers[one.event]) }
        } catch {
            logger.error("the spool did not take an event", metadata: ["error": "\(error)"])
            sessionsWithGaps.formUnion(sessions)
            for approval in approvals { tell(.notRecorded(approval.id)) }
            return false
        }
        // What is settled is no question any more.
        for case .remember(let key, nil) in effects {
            if let place = asked.removeValue(forKey: key) { spool.release(place.session, seq: place.seq) }
        }
        return true
    }

    /// The end of what others wait for comes late rather than never. A question does not: its hook was told that nobody decides.
    private static func item(_ head: EventHead, _ session: SessionID, _ bytes: [UInt8], isKept: Bool) -> Spool.Item {
        switch head {
        case .approvalApplied, .approvalCancelled, .approvalStale, .sessionStarted, .sessionRenamed, .sessionEnded:
            .owed(session, bytes)
        default: .event(session, bytes, isKept: isKept)
        }
    }

    func armDiskRetry() {
        guard diskTimer == nil else { return }
        diskTimer = loop.schedule(after: Self.diskRetryAfter) { [unowned self] in
            diskTimer = nil
            retryDisk()
        }
    }

    private func retryDisk() {
        if hasUnsavedHolds { saveHolds() }
        do {
            try spool.retry()
        } catch {
            logger.error("the spool still does not take events", metadata: ["error": "\(error)"])
            armDiskRetry()
            return
        }
        logger.info("the spool takes events again")
        let sessions = sessionsWithGaps
        sessionsWithGaps = []
        tell(.eventsLost(sessions))
        drive(.sendAgain)
    }
}
