internal import HostCore
internal import RelayProtocol

/// The adapter's state of one session of a program.
struct LocalSession {
    let id: SessionID
    /// The program's process: the first that reported the session, as long as it lives. When it ends, the session ends.
    private(set) var process: AgentProcess?
    /// Another process that reported the session since: the first may have been a command that a script started.
    private(set) var heir: AgentProcess?
    var isEnded = false
    /// The last reported status.
    var status: SessionStatus?
    var statusReason: String?
    /// True if the program reported its status in an event, which takes precedence over the steering standing.
    var isStatusSaid = false
    /// The folder in which it works, in full; nil if the program has not reported it.
    var folder: String?
    /// True if it has asked a person about a tool, and has since then run none unasked while it was held.
    var hasAsked = false
    var askedCalls = AskedCalls()
    /// The last reported reach of a hold; nil if none was reported.
    var saidHold: HoldReach?
    /// The program that fetches clients' commands; nil if the session cannot be steered.
    var program: SteeredProgram?
    /// The last reported steering standing.
    var stood: SteeringStanding?
    /// Rank of its last use; grows with each.
    var lastUse = 0

    init(id: SessionID, process: AgentProcess?) {
        self.id = id
        self.process = process
    }

    /// Resets the status, because the session begins, or continues in another process before the end of the first is known.
    mutating func began() {
        status = nil
        statusReason = nil
        isStatusSaid = false
    }

    /// Takes the process of a report. Returns true if the remembered state changed.
    mutating func heard(from other: AgentProcess?) -> Bool {
        guard let other, other != process else { return false }
        if process == nil { process = other } else { heir = other }
        return process == other
    }

    /// Hands the session to the process that took it over. Returns false if there is none.
    mutating func inherited() -> Bool {
        guard let heir else { return false }
        process = heir
        self.heir = nil
        return true
    }

    /// The reason with which it is idle, such as what goes on in the background. Any other status can be over after a restart.
    var idleReason: String? { status == .idle ? statusReason : nil }

    // MARK: Over a restart

    var note: [UInt8] {
        JSONWriter.object {
            process?.write(to: &$0)
            $0.field("folder", folder)
            $0.flag("asked", hasAsked)
            $0.field("idle", idleReason)
        }
    }

    init?(id: SessionID, note: [UInt8]) {
        guard let value = try? JSONDocument(parsing: note).root.object() else { return nil }
        self.init(id: id, process: AgentProcess(from: value))
        folder = value.text("folder")
        hasAsked = value.isTrue("asked")
        statusReason = value.text("idle")
        if statusReason != nil { status = .idle }
    }
}
