internal import HostCore
internal import RelayProtocol

extension ClaudeAdapter {
    static let unheardReason = "its hooks do not run: nothing of it is reported"

    /// Shows a session that only the registry reports. Its first hook, if there ever is one, makes it like any other.
    mutating func unheard(_ found: ClaudeUnheard) {
        guard let id = sessionID(found.name) else { return }
        if found.settings?.isBlocked == true, sessions[id]?.isEnded == false { return stopsReporting(id) }
        guard sessions[id]?.isEnded != false, found.settings?.isConnected != false else { return }
        let isKnown = sessions[id] != nil
        var session = sessions[id] ?? ClaudeSession(id: id, home: home)
        session.process = found.process
        session.isUnheard = true
        session.attended = nil
        session.paths.workingDirectory =
            found.folder.map { TextCut.rough($0, bytesMax: WireLimits.lineBytesMax) } ?? session.paths.workingDirectory
        sessions[id] = session
        startSession(id, model: nil, isResumed: isKnown)
        setStatus(.stale, reason: Self.unheardReason, in: id)
    }

    /// Handles settings that stop the hooks of a session that they have reported. Claude Code heeds them at once.
    private mutating func stopsReporting(_ id: SessionID) {
        guard sessions[id]?.isUnheard == false else { return }
        sessions[id]?.isUnheard = true
        setStatus(.stale, reason: Self.unheardReason, in: id)
        remember(id)
        offer(id)
    }

    /// Adopts the process that has a known session open. Its start was lost: no daemon ran, or one ended before its disk took it.
    mutating func goesOn(_ open: ClaudeUnheard) {
        guard let id = sessionID(open.name), let known = sessions[id], !known.isUnheard,
            known.isEnded || known.process != open.process && !known.earlier.contains(open.process)
        else { return }
        sessions[id]?.takeUp(by: open.process)
        costBegins(id, source: "resume")
        startSession(id, model: nil, isResumed: true)
        lookAtRegistry()
    }

    /// A hook has reported the session after all.
    mutating func heard(_ id: SessionID) {
        guard sessions[id]?.isUnheard == true else { return }
        sessions[id]?.isUnheard = false
        setStatus(.running, in: id)
        remember(id)
        if sessions[id]?.attended != nil { offer(id) }
    }
}
