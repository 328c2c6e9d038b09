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
        let before = states[session]?.note
        states[session, default: LineState()].learn(head)
        guard let after = states[session]?.note, after != before else { return nil }
        return after
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

    /// The relay has all events of the session. Returns true, once, if it is over.
    mutating func acknowledged(_ session: SessionID) -> Bool {
        guard states[session]?.isEnded == true else { return false }
        forget(session)
        return true
    }

    mutating func forget(_ session: SessionID) {
        states[session] = nil
        said[session] = nil
    }

    var sessions: [SessionID] { states.keys.sorted { $0.rawValue < $1.rawValue } }
}
