internal import AgentClaude
import Glibc
internal import HeliographHook
internal import HeliographPlatform
internal import HostCore
internal import RelayProtocol

/// The session that the Claude Code in a terminal of ours has open: its state as its files show it, and its connection to the
/// daemon.
///
/// The session changes while the program runs: `/clear` begins another, `/resume` opens an earlier one.
struct HeldSession: HeldProgram {
    private let inbox: LoopInbox<RunItem>
    private let config: String
    private var machine: TypingMachine
    private var process: AgentProcess?
    private var stamp: FileStamp?
    private var name: String?
    private var id: SessionID?
    /// The session opened since the machine last got a fact.
    private var opening: SessionID??
    private var link: SteeringLink?
    private var transcript: String?
    private var transcripts = TranscriptTail()
    /// Claude Code's name for the last prompt that its hook has reported, until its outcome is known.
    private var submitted: String?
    private var doing: String?

    init(mode: String?, inbox: LoopInbox<RunItem>) {
        self.inbox = inbox
        machine = TypingMachine(mode: mode)
        config = ClaudeDirectory.path()
    }

    static var directory: String {
        // The C library allocates the path, which is freed after it was read.
        guard let directory = unsafe getcwd(nil, 0) else { return "" }
        defer { unsafe free(directory) }
        return unsafe String(cString: directory)
    }

    private static let otherSession = "another conversation was opened at its terminal"

    func variables(_ socket: String) -> (added: [String], without: [String]) {
        (["\(TerminalNotice.variable)=\(socket)"], [ClaudeHooks.run])
    }

    var nextDeadline: Int64? { machine.nextDeadline }
    var isAtWork: Bool { machine.isAtWork }
    var session: SessionID? { id }
    var listed: (session: String?, doing: String?, program: String?) { (name, doing, nil) }

    mutating func began(process: pid_t) { self.process = AgentProcessTable.process(process) }

    /// Reads the changes in the agent's files.
    mutating func look() -> [TypingFact] {
        guard let process else { return [] }
        var facts: [TypingFact] = []
        let path = "\(config)/sessions/\(process.id).json"
        let stamp = FileStamp(of: path)
        // A half-written file is read again at the next look.
        if stamp != self.stamp, let entry = stamp == nil ? JSONDocument?.none : RegistryReader.read(path) {
            self.stamp = stamp
            facts += says(TerminalStanding(entry, startedAt: process.startedAt))
        }
        if opening == nil, let id {
            for line in transcripts.lines(of: id, with: [InterruptLine.word] + SubmissionLine.words) {
                if InterruptLine.isOne(line) { facts.append(.interruptWritten) }
                if let outcome = SubmissionLine(line) { facts += shown(outcome) }
            }
        }
        return facts
    }

    private mutating func shown(_ outcome: SubmissionLine) -> [TypingFact] {
        if case .kept(let prompt) = outcome, prompt != submitted { return [] }
        submitted = nil
        return [.submitted(outcome)]
    }

    private mutating func says(_ standing: TerminalStanding?) -> [TypingFact] {
        var facts: [TypingFact] = []
        if let standing, standing.name != name {
            name = standing.name
            opening = .some(Self.id(standing.name))
            facts.append(.opened)
        }
        doing =
            switch standing?.doing {
            case .idle: "idle"
            case .busy: "busy"
            case .waiting: "waiting"
            case .unknown: "unknown"
            case nil: nil
            }
        return facts + [.does(standing?.doing)]
    }

    /// The session's id for Claude Code's own name of it.
    static func id(_ name: String) -> SessionID? { SessionID("claude-" + name) }

    private mutating func open(_ id: SessionID?) {
        close()
        self.id = id
        transcript = nil
        submitted = nil
        guard let id,
            let link = try? SteeringLink(session: id, socketPath: HostPaths().socket, inbox: inbox, limits: .ofSoleProgram),
            link.start()
        else { return }
        self.link = link
    }

    /// Closes the link on another thread, because that waits for a daemon that is away.
    private mutating func close() {
        guard let link else { return }
        self.link = nil
        link.close(Self.otherSession)
        _ = BackgroundThread.start { link.finish() }
    }

    mutating func reported(_ prompt: TakenPrompt) -> Bool {
        guard prompt.session == name else { return false }
        transcript = prompt.transcript
        guard let id, let transcript, let name = prompt.name else { return false }
        // The agent waits for our answer, so the prompt's line is still to come.
        transcripts.follow(id, transcript)
        submitted = name
        return true
    }

    mutating func handle(_ fact: TypingFact, at now: Int64) -> [TypingOrder] {
        // A command for the earlier session was refused when its link was closed.
        if case .steered(let request) = fact, request.session != id || link?.takes(request.name) != true { return [] }
        var orders: [TypingOrder] = []
        var due = machine.handle(fact, at: now)
        if case .opened = fact, let opened = opening {
            // Outcomes of commands go to the link of the previous session.
            for case .tell(let change) in due { link?.tell(change) }
            due.removeAll { if case .tell = $0 { true } else { false } }
            opening = nil
            open(opened)
        }
        for order in due {
            switch order {
            // A transcript that a prompt's line is still to come in is followed already.
            case .followTranscript:
                if let id, let transcript, submitted == nil { transcripts.follow(id, transcript) }
            case .stand(var offer, let standing):
                offer.hasScreen = true
                link?.stand(offer, standing)
            case .tell(let change): link?.tell(change)
            default: orders.append(order)
            }
        }
        return orders
    }

    mutating func finish(exit: Int32) {
        link?.finish()
        link = nil
    }
}
