import Glibc
internal import HeliographHook
internal import HeliographPlatform
internal import HostCore

/// Shows a holder's terminal in the person's own, until the agent ends or the person leaves.
struct TerminalWindow {
    enum End: Equatable {
        case left
        /// The agent's exit status.
        case ended(Int32)
        /// The holder is gone.
        case lost
    }

    private let connection: Int32
    private let inbox: LoopInbox<Int32>
    private let limits = TerminalLimits()
    private var toHolder: OutputBuffer
    private var toTerminal = OutputBuffer(descriptor: STDOUT_FILENO)
    private var reader = TerminalFrameReader()
    private var parser = TerminalParser()
    private var modes = TerminalModes()
    private var leaveKey = LeaveKey()
    /// Time at which held keys are passed on; nil if none are held.
    private var holdsUntil: ContinuousClock.Instant?

    /// `inbox`: the signals sent to us.
    init(_ connection: Int32, _ inbox: LoopInbox<Int32>) {
        self.connection = connection
        self.inbox = inbox
        toHolder = OutputBuffer(descriptor: connection)
    }

    mutating func run() -> End {
        let size = RawTerminal.size ?? (24, 80)
        toHolder.append(TerminalFrame(.attach, rows: size.rows, columns: size.columns).bytes)
        let end = passAll()
        toTerminal.append(modes.reset)
        let until = ContinuousClock.now + .milliseconds(limits.farewellGrace)
        while toTerminal.count > 0, !toTerminal.isBroken, .now < until {
            _ = HookSocket.wait(for: POLLOUT, on: STDOUT_FILENO, until: until)
            toTerminal.write(bytesMax: limits.writeBytes)
        }
        return end
    }

    private mutating func passAll() -> End {
        while true {
            let writes = toHolder.count > 0 ? POLLOUT : 0
            var entries = [
                pollfd(fd: inbox.pipe.readEnd, events: Int16(POLLIN), revents: 0),
                pollfd(fd: toHolder.count < limits.inputBytes ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
                // If the terminal is slow to show output, the rest waits at the holder.
                pollfd(
                    fd: connection, events: Int16((toTerminal.count < limits.outputBytes ? POLLIN : 0) | writes), revents: 0),
                pollfd(fd: toTerminal.count > 0 ? STDOUT_FILENO : -1, events: Int16(POLLOUT), revents: 0),
            ]
            let count = unsafe poll(&entries, nfds_t(entries.count), leaveKey.isHolding ? limits.keyGap : -1)
            // The deadline of held keys is checked in every pass, also while other input comes.
            if let holdsUntil, holdsUntil <= .now {
                pass(leaveKey.flush())
                self.holdsUntil = nil
            }
            guard count > 0 else { continue }
            for signal in inbox.take() {
                guard signal == SIGWINCH else { return .left }
                guard let size = RawTerminal.size else { continue }
                toHolder.append(TerminalFrame(.resize, rows: size.rows, columns: size.columns).bytes)
            }
            if entries[1].revents != 0, let bytes = PipeRead.bytes(from: STDIN_FILENO, max: limits.readBytes) {
                // The end of the input means that the window was closed.
                if bytes.isEmpty { return .left }
                if typed(bytes) { return .left }
            }
            if entries[2].revents & Int16(~POLLOUT) != 0, let end = readHolder() { return end }
            toHolder.write(bytesMax: limits.writeBytes)
            toTerminal.write(bytesMax: limits.writeBytes)
            if toTerminal.isBroken { return .left }
        }
    }

    /// Handles typed bytes. Returns true if the person leaves; what was typed before that is passed on.
    private mutating func typed(_ bytes: [UInt8]) -> Bool {
        let (keys, leaves) = leaveKey.take(bytes)
        pass(keys)
        holdsUntil = leaveKey.isHolding ? .now + .milliseconds(limits.keyGap) : nil
        if leaves { toHolder.write(bytesMax: limits.writeBytes) }
        return leaves
    }

    private mutating func pass(_ keys: [UInt8]) {
        if !keys.isEmpty { toHolder.append(TerminalFrame(.keys, keys).bytes) }
    }

    private mutating func readHolder() -> End? {
        guard let bytes = PipeRead.bytes(from: connection, max: limits.readBytes) else { return nil }
        guard !bytes.isEmpty else { return .lost }
        for frame in reader.take(bytes) {
            switch frame.kind {
            case .output:
                for token in parser.take(frame.content) { modes.take(token) }
                toTerminal.append(frame.content)
            case .message: toTerminal.append(Array("heliograph: ".utf8) + frame.content)
            case .ended: return .ended(Int32(String(decoding: frame.content, as: UTF8.self)) ?? 1)
            default: return .lost
            }
        }
        return reader.isBroken ? .lost : nil
    }
}
