internal import Consent
internal import RelayProtocol

/// The lines of all sessions, and the events with which they were sent.
struct SessionLines {
    private struct Said: Equatable {
        var number: Int64
        var line: SessionLine
    }

    private var states: [SessionID: LineState] = [:]
    private var said: [SessionID: Said] = [:]
    /// Sessions that are over, the latest last: one that is resumed keeps its title.
    private var over: [SessionID] = []
    /// Ended sessions that are kept: people resume recent ones, and each has a note on the host's disk.
    private static let overMax = 64

    private static let notes = "line/"

    static func note(of session: SessionID) -> String { notes + session.rawValue }

    /// The session that a note is about; nil for another kind of note.
    static func session(ofNote key: some StringProtocol) -> SessionID? {
        key.hasPrefix(notes) ? SessionID(String(key.dropFirst(notes.count))) : nil
    }

    mutating func restore(_ note: [UInt8], of session: SessionID) { states[session] = LineState(note: note) }

    /// Begins to seal a session, reported in the open so far, from that number on. Returns its note.
    mutating func begin(_ session: SessionID, from number: Int64) -> [UInt8]? {
        guard states[session] == nil else { return nil }
        let state = LineState(sealedFrom: number)
        states[session] = state
        return state.note
    }

    /// Takes an event. Returns the session's note if the event has changed it.
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

    /// Handles the sending of the event with that number, sealed. Returns the session's note if it is the first.
    mutating func leaves(_ number: Int64, of session: SessionID) -> [UInt8]? {
        states[session]?.leaves(number) == true ? states[session]?.note : nil
    }

    /// The line to send with the event of that number; nil if the relay has it, unless it `isPart` of the event.
    ///
    /// It is the newest line, even if a later event changed it. After a gap, and if an event is sent again, the relay may lack an
    /// earlier line.
    mutating func next(with number: Int64, of session: SessionID, isPart: Bool) -> SessionLine? {
        let line = states[session]?.line ?? SessionLine()
        let before = said[session] ?? Said(number: 0, line: SessionLine())
        said[session] = Said(number: number, line: line)
        let isNext = before.number + 1 == number
        return !isPart && (isNext || line == SessionLine()) && before.line == line ? nil : line
    }

    /// Handles a session whose events the relay has all received. If it is over, returns the sessions that are forgotten for it.
    mutating func acknowledged(_ session: SessionID) -> [SessionID] {
        states[session]?.isEnded == true && !over.contains(session) ? rest([session]) : []
    }

    /// Marks these sessions as over. Returns those that are forgotten for them.
    mutating func rest(_ sessions: [SessionID]) -> [SessionID] {
        over += sessions
        let forgotten = Array(over.prefix(max(0, over.count - Self.overMax)))
        over.removeFirst(forgotten.count)
        for session in forgotten { (states[session], said[session]) = (nil, nil) }
        return forgotten
    }

    var sessions: [SessionID] { states.keys.sorted { $0.rawValue < $1.rawValue } }
}
