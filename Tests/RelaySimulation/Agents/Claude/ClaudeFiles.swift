import AgentClaude
import HostCore
import RelayProtocol

/// Files of a simulated Claude Code: its registry entry, written a moment after its hooks report the same, and lines of its
/// transcript.
final class ClaudeFiles {
    private unowned let world: World
    private unowned let host: HostProcess
    /// Its registry entry, and the daemon's last reading of it.
    private(set) var entry: String?
    private var shown: [SessionID: String?] = [:]
    private var doing: ClaudeAgent.Doing?
    private var name = ""
    /// Generation of the entry; writes for earlier ones are dropped.
    private var life = 0
    private var lastWriteAt: Int64 = 0
    /// Lines of the transcript that the daemon has not read.
    var lines: [String] = []

    init(world: World, host: HostProcess) {
        self.world = world
        self.host = host
    }

    // MARK: Writing

    func write(_ name: String, _ entrypoint: String, _ doing: ClaudeAgent.Doing) {
        guard name != self.name || doing != self.doing else { return }
        (self.name, self.doing) = (name, doing)
        let life = life
        let status =
            [ClaudeAgent.Doing.idle: #""idle""#, .busy: #""busy""#, .asking: #""waiting","waitingFor":"permission prompt""#][
                doing] ?? ""
        let text =
            #"{"sessionId":"\#(name)","entrypoint":"\#(entrypoint)","status":\#(status),"#
            + #""statusUpdatedAt":\#(host.instant.wall)}"#
        // Writes stay in order.
        lastWriteAt = max(lastWriteAt, world.now + world.dice.within(0...50))
        world.at(lastWriteAt) { [self] _ in if life == self.life { entry = text } }
    }

    func remove() {
        life += 1
        (entry, doing) = (nil, nil)
    }

    func daemonGone() { shown = [:] }

    // MARK: The daemon's reader

    func carryOut(_ order: any Sendable, of hooks: ClaudeHooks) {
        guard let order = order as? ClaudeOrder else { return }
        switch order {
        case .readRegistry(let files):
            let path = "/srv/dev/.claude/sessions/\(hooks.process.id).json"
            for file in files where file.path == path { readRegistry(file.session) }
        case .findOpen: if entry != nil { findOpen(hooks) }
        case .readTranscript(let session) where session == ClaudeHooks.session(hooks.name): readTranscript(session)
        case .readTranscriptEnd(let request) where hooks.past.contains { ClaudeHooks.session($0) == request.session }:
            host.tell(ClaudeFact.transcriptEndRead(request, nil), of: ClaudeHooks.adapter)
        case .readTranscriptEnd, .readTranscript, .followTranscript, .readTasks, .launch, .sendMessage: break
        }
    }

    private func readRegistry(_ session: SessionID) {
        // Only a change since the last look; the previous one may have crashed the daemon.
        guard host.daemon != nil, shown[session] != .some(entry) else { return }
        shown[session] = .some(entry)
        let document = entry.flatMap { try? JSONDocument(parsing: $0) }
        host.tell(ClaudeFact.registryRead(session, document), of: ClaudeHooks.adapter)
    }

    private func findOpen(_ hooks: ClaudeHooks) {
        let open = ClaudeUnheard(name: name, process: hooks.process, folder: nil)
        host.tell(ClaudeFact.openFound([open]), of: ClaudeHooks.adapter)
    }

    private func readTranscript(_ session: SessionID) {
        let read = lines.compactMap { try? JSONDocument(parsing: $0) }
        lines = []
        if !read.isEmpty { host.tell(ClaudeFact.transcriptRead(session, read), of: ClaudeHooks.adapter) }
    }
}
