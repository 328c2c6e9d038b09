import Glibc
internal import HeliographHook
internal import HeliographPlatform
internal import HostCore
internal import RelayProtocol

/// Passes clients' looks and keys on to the processes that hold the terminals, over one connection to each while somebody looks there.
///
/// Its thread sleeps while there is no look.
final class TerminalDesk: Sendable {
    private struct Holder {
        let descriptor: Int32
        var reader = TerminalFrameReader()
        var output: OutputBuffer
        var waiting: [Int64: SteeringName] = [:]
        var lastNumber: Int64 = 0

        init(_ descriptor: Int32) {
            self.descriptor = descriptor
            output = OutputBuffer(descriptor: descriptor)
        }
    }

    private let inbox: LoopInbox<ScreenCall>
    private let answered: @Sendable (SteeringName, ScreenAnswer) -> Void

    private static let limits = TerminalLimits()
    /// Milliseconds after which an unused connection is closed.
    private static let idleFor: Int32 = 15_000
    private static let gone = ScreenAnswer.failed(.unavailable, "the process that held this terminal is gone")

    /// `answered` is called on another thread. Throws if no thread can be started.
    init(answered: @escaping @Sendable (SteeringName, ScreenAnswer) -> Void) throws {
        inbox = try LoopInbox()
        self.answered = answered
        guard BackgroundThread.start({ self.run() }) else { throw HostError(.system, "no thread is left") }
    }

    func ask(_ call: ScreenCall) { inbox.put(call) }

    // MARK: - On its thread

    private func run() {
        var holders: [SessionID: Holder] = [:]
        while true {
            wait(&holders)
            for call in inbox.take() { pass(call, &holders) }
        }
    }

    private func wait(_ holders: inout [SessionID: Holder]) {
        let sessions = Array(holders.keys)
        var entries = [pollfd(fd: inbox.pipe.readEnd, events: Int16(POLLIN), revents: 0)]
        for session in sessions {
            guard let holder = holders[session] else { continue }
            let events = POLLIN | (holder.output.count > 0 ? POLLOUT : 0)
            entries.append(pollfd(fd: holder.descriptor, events: Int16(events), revents: 0))
        }
        guard unsafe poll(&entries, nfds_t(entries.count), sessions.isEmpty ? -1 : Self.idleFor) > 0 else {
            for session in sessions where holders[session]?.waiting.isEmpty == true { close(session, &holders) }
            return
        }
        for (place, session) in sessions.enumerated() where entries[place + 1].revents != 0 { serve(session, &holders) }
    }

    private func pass(_ call: ScreenCall, _ holders: inout [SessionID: Holder]) {
        if holders[call.session] == nil, let descriptor = Self.connect(to: call.session) {
            holders[call.session] = Holder(descriptor)
        }
        guard var holder = holders[call.session] else { return answered(call.name, Self.gone) }
        holder.lastNumber += 1
        holder.waiting[holder.lastNumber] = call.name
        holder.output.append(TerminalFrame(.call, TerminalQuestion(holder.lastNumber, call).content).bytes)
        holder.output.write(bytesMax: Self.limits.writeBytes)
        holders[call.session] = holder
        if holder.output.isBroken { close(call.session, &holders) }
    }

    private static func connect(to session: SessionID) -> Int32? {
        let paths = HostPaths()
        guard let terminal = HeldTerminal.all(paths).last(where: { $0.shown == session }) else { return nil }
        return HeldTerminal.connect(terminal.id, paths)
    }

    private func serve(_ session: SessionID, _ holders: inout [SessionID: Holder]) {
        guard var holder = holders[session] else { return }
        holder.output.write(bytesMax: Self.limits.writeBytes)
        let bytes = PipeRead.bytes(from: holder.descriptor, max: Self.limits.readBytes)
        for frame in holder.reader.take(bytes ?? []) where frame.kind == .answer {
            guard let (number, answer) = TerminalQuestion.readAnswer(frame.content),
                let name = holder.waiting.removeValue(forKey: number)
            else { continue }
            answered(name, answer)
        }
        holders[session] = holder
        if bytes?.isEmpty == true || holder.reader.isBroken || holder.output.isBroken { close(session, &holders) }
    }

    /// Closes the connection to a holder. Keys that were on their way may have been typed.
    private func close(_ session: SessionID, _ holders: inout [SessionID: Holder]) {
        guard let holder = holders.removeValue(forKey: session) else { return }
        Glibc.close(holder.descriptor)
        for (_, name) in holder.waiting.sorted(by: { $0.key < $1.key }) { answered(name, Self.gone) }
    }
}
