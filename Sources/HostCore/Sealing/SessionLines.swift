internal import Consent
internal import RelayProtocol

/// The lines of all sessions, and which of them went out with which event.
struct SessionLines {
    private struct Said: Equatable {
        var number: Int64
        var line: SessionLine
    }

    private var states: [SessionID: LineState] = [:]
    private var said: [SessionID: Said] = [:]
    /// Sessions that are over, the last that ended last: one that is resumed goes on with its title.
    private var over: [SessionID] = []
    /// People resume what ended lately; each has a note on the host's disk.
    private static let overMax = 64

    private static let notes = "line/"

    /// Name of a session's note.
    static func note(of session: SessionID) -> String { notes + session.rawValue }

    /// The session that a note is about; nil if it is none of these.
    static func session(ofNote key: some StringProtocol) -> SessionID? {
        key.hasPrefix(notes) ? SessionID(String(key.dropFirst(notes.count))) : nil
    }

    mutating func restore(_ note: [UInt8], of session: SessionID) { states[session] = LineState(note: note) }

    /// The session was reported in the open so far, and is sealed from that number on. Returns its note.
    mutating func begin(_ session: SessionID, from number: Int64) -> [UInt8]? {
        guard states[session] == nil else { return nil }
        let state = LineState(sealedFrom: number)
        states[session] = state
        return state.note
    }

    /// Returns the session's note if the event has changed it.
    mutating func learn(_ head: EventHead, of session: SessionID) -> [UInt8]? {
        if case .sessionStarted = head { over.removeAll { $0 == session } }
        let before = states[session]?.note
        states[session, default: LineState()].learn(head)
        guard let after = states[session]?.note, after != before else { return nil }
        return after
    }

    mutating func ended(_ approval: ApprovalID) {
        if let session = states.first(where: { $0.value.asks(approval) })?.key { states[session]?.ended(approval) }
    }

    /// The event of that number leaves sealed. Returns the session's note if it is the first.
    mutating func leaves(_ number: Int64, of session: SessionID) -> [UInt8]? {
        states[session]?.leaves(number) == true ? states[session]?.note : nil
    }

    /// The line to send with the event of that number; nil if the relay has it, unless it `isPart` of the event.
    ///
    /// It is the newest, which an event further on may have made. After a gap, and if an event is sent again, the relay may not have
    /// what was sent before.
    mutating func next(with number: Int64, of session: SessionID, isPart: Bool) -> SessionLine? {
        let line = states[session]?.line ?? SessionLine()
        let before = said[session] ?? Said(number: 0, line: SessionLine())
        said[session] = Said(number: number, line: line)
        let isNext = before.number + 1 == number
        return !isPart && (isNext || line == SessionLine()) && before.line == line ? nil : line
    }

    /// The relay has all events of the session. If it is over, returns those whose time is over with it.
    mutating func acknowledged(_ session: SessionID) -> [SessionID] {
        states[session]?.isEnded == true && !over.contains(session) ? rest([session]) : []
    }

    /// Nothing happens in these. Returns the ones that are forgotten for it.
    mutating func rest(_ sessions: [SessionID]) -> [SessionID] {
        over += sessions
        let forgotten = Array(over.prefix(max(0, over.count - Self.overMax)))
        over.removeFirst(forgotten.count)
        for session in forgotten { (states[session], said[session]) = (nil, nil) }
        return forgotten
    }

    var sessions: [SessionID] { states.keys.sorted { $0.rawValue < $1.rawValue } }
}
