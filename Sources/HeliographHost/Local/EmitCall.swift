internal import AgentLocal
internal import Glibc
internal import HeliographHook
internal import RelayProtocol

/// `heliograph emit`: passes events from standard input to the daemon as they come, one JSON object a line.
///
/// Each line is checked before it is sent, so that a bad one is reported and holds back no other.
package struct EmitCall {
    private let session: String?
    private let agent: String?
    private let isDurable: Bool
    private let request: ProgramRequest
    private var batch: [UInt8] = []
    private var batchCount = 0
    private var number = 0
    private var badCount = 0

    private static let chunkBytes = 64 << 10

    /// `isDurable`: accepted events are on disk, whatever happens to the machine next.
    package init(session: String?, agent: String?, process: Int32?, isDurable: Bool = false) {
        self.session = session
        self.agent = agent
        self.isDurable = isDurable
        request = ProgramRequest(process: process ?? getppid())
    }

    package mutating func run() -> ProgramExit {
        signal(SIGPIPE, SIG_IGN)
        var rest: [UInt8] = []
        // True if the current line is too long; the rest of it is not kept.
        var isOverlong = false
        while let chunk = Self.read(), !chunk.isEmpty {
            rest += chunk
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                if let exit = isOverlong ? nil : take(Array(rest[..<end])) { return exit }
                rest.removeSubrange(...end)
                isOverlong = false
            }
            if rest.count > LocalLimits.requestBytesMax {
                if !isOverlong { refuseLine("longer than \(LocalLimits.requestBytesMax) bytes") }
                isOverlong = true
                rest = []
            }
            if let exit = flush() { return exit }
        }
        if !isOverlong, let exit = take(rest) { return exit }
        return flush() ?? (badCount == 0 ? .done : .refused)
    }

    /// The next part of the input; empty at its end, nil if it cannot be read.
    private static func read() -> [UInt8]? {
        while true {
            var count = 0
            let chunk = unsafe [UInt8](unsafeUninitializedCapacity: chunkBytes) { buffer, initialized in
                count = unsafe Glibc.read(STDIN_FILENO, buffer.baseAddress, chunkBytes)
                // Exactly the bytes that read wrote.
                initialized = max(0, count)
            }
            if count >= 0 { return chunk }
            if errno != EINTR { return nil }
        }
    }

    private mutating func take(_ line: [UInt8]) -> ProgramExit? {
        number += 1
        guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else { return nil }
        let whole = completed(line)
        do throws(LocalError) {
            _ = try LocalEvent(parsing: whole)
        } catch {
            number -= 1
            refuseLine("\(error.path): \(error.message)")
            return nil
        }
        if batchCount == LocalLimits.linesMax || batch.count + whole.count >= LocalLimits.requestBytesMax, let exit = flush() {
            return exit
        }
        batch += whole + [UInt8(ascii: "\n")]
        batchCount += 1
        return nil
    }

    private mutating func refuseLine(_ reason: String) {
        number += 1
        badCount += 1
        ProgramRequest.complain("line \(number): \(reason)")
    }

    /// The line, with the session's and the agent's name added if they are missing.
    private func completed(_ line: [UInt8]) -> [UInt8] {
        guard let root = try? JSONDocument(parsing: line).root, let start = line.firstIndex(of: UInt8(ascii: "{")),
            let members = try? root.members()
        else { return line }
        var added: [UInt8] = []
        for (key, value) in [("session", session), ("agent", agent)] {
            guard let value, !members.contains(where: { $0.key == key }) else { continue }
            added += JSONWriter.string(key) + [UInt8(ascii: ":")] + JSONWriter.string(value) + [UInt8(ascii: ",")]
        }
        if members.isEmpty { _ = added.popLast() }
        return line[...start] + added + line[(start + 1)...]
    }

    /// Sends the batch. Returns nil on success.
    private mutating func flush() -> ProgramExit? {
        guard batchCount > 0 else { return nil }
        defer { (batch, batchCount) = ([], 0) }
        guard let (status, body) = request.exchange(isDurable ? LocalDriver.durableEvents : "events", batch).send() else {
            ProgramRequest.complain("no host daemon answers; is `heliograph host` running? Lines up to \(number) may be lost")
            return .unreachable
        }
        switch status {
        case 200:
            guard let root = try? JSONDocument(parsing: body).root else { return nil }
            // Printed because scripts read it: these sessions have to ask before each tool.
            if let held = root.optional("held") {
                HookStream.write(JSONWriter.object { $0.raw("held", held.bytes) } + [UInt8(ascii: "\n")])
            }
            for name in (try? root.optional("notTaken")?.array().map { try $0.string() }) ?? [] {
                badCount += 1
                ProgramRequest.complain(
                    "nothing was taken of session \(name): another host of this workspace has one of that name; choose another name"
                )
            }
            return nil
        case 204:
            ProgramRequest.complain("the host's disk takes no events now; lines up to \(number) may be lost")
            return .failed
        default:
            ProgramRequest.complain(ProgramRequest.sentence(status, body))
            return .refused
        }
    }
}
