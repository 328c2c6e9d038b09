internal import HostCore
internal import RelayProtocol

/// The agent's unanswered questions for the content of terminals at the editor.
struct TerminalReads: Sendable {
    private var open: [(request: [UInt8], session: String, terminal: String)] = []

    mutating func began(_ request: [UInt8], _ params: JSONValue?, countMax: Int) {
        guard let session = params?.text("sessionId"), let terminal = params?.text("terminalId") else { return }
        open.removeAll { $0.request == request }
        open.append((request, session, terminal))
        if open.count > countMax { open.removeFirst() }
    }

    mutating func answered(_ request: [UInt8]) -> (session: String, terminal: String)? {
        guard let place = open.firstIndex(where: { $0.request == request }) else { return nil }
        let read = open.remove(at: place)
        return (read.session, read.terminal)
    }
}
