import HeliographLink
import RelayProtocol

@testable import HostCore

/// A relay as the wire describes it: takes each number once, and knows a gap from a break.
struct ModelRelay {
    struct Log: Equatable {
        var through: Int64 = 0
        /// Events in order, and "-3" for three that are gone at the host.
        var lines: [String] = []
    }

    var logs: [SessionID: Log] = [:]

    /// Nil is "send again from where I am".
    mutating func take(_ session: SessionID, first: Int64, isAfterGap: Bool, _ events: [String]) -> Int64? {
        var log = logs[session] ?? Log()
        if first > log.through + 1 {
            guard isAfterGap else { return nil }
            log.lines.append("-\(first - log.through - 1)")
            log.through = first - 1
        }
        let repeated = Int(log.through + 1 - first)
        for event in events.dropFirst(repeated) {
            log.lines.append(event)
            log.through += 1
        }
        logs[session] = log
        return log.through
    }
}

/// Successive runs of a host on one disk, with one relay: the real spool and the real link.
struct HostRig {
    let disk: MemoryDisk
    var relay = ModelRelay()
    var limits = SpoolLimits()
    private(set) var spool: Spool
    private var link = LinkMachine(software: "test", name: nil)
    private var isConnected = false
    private let now = HostInstant(wall: 0, monotonic: 0)

    init(_ disk: MemoryDisk = MemoryDisk(), limits: SpoolLimits = SpoolLimits()) throws {
        self.disk = disk
        self.limits = limits
        spool = try Spool(disk: disk, limits: limits) { _ in }
    }

    /// Begins another run on the same disk.
    mutating func restart() throws {
        spool = try Spool(disk: disk, limits: limits) { _ in }
        link = LinkMachine(software: "test", name: nil)
        isConnected = false
    }

    mutating func disconnect() {
        if isConnected { tell(.closed(.failed("x"), dice: 0)) }
        isConnected = false
    }

    private mutating func tell(_ input: LinkMachine.Input) {
        for effect in link.handle(input, index: spool.index, active: [], at: now) {
            switch effect {
            case .acknowledge(let session, let through): spool.acknowledge(session, through: through)
            case .drop(let session, let seq): spool.drop(session, seq: seq)
            case .send(let bytes): answer(bytes)
            default: break
            }
        }
    }

    private mutating func answer(_ bytes: [UInt8]) {
        guard case .hello(let hello)? = try? HostMessage(parsing: bytes) else { return }
        let progress = hello.sessions.map { SessionProgress(session: $0, through: relay.logs[$0]?.through ?? 0) }
        let welcome = Welcome(software: "r", epoch: Epoch("e")!, heartbeat: Heartbeat(pingSeconds: 7, hangUpSeconds: 9))
        tell(.received(.welcome(welcome, host: Named(id: HostID("h")!, name: "n"), sessions: progress)))
    }

    /// Sends at most `countMax` messages, or all that there is. What the disk does not confirm is not sent.
    mutating func exchange(countMax: Int = .max, acknowledges: Bool = true) throws {
        if !isConnected {
            tell(.started)
            tell(.retry)
            isConnected = true
            tell(.opened)
        }
        var count = 0
        while count < countMax {
            while let question = link.nextQuestion(spool.index) { answer(question) }
            try spool.synchronize()
            guard let batch = link.nextBatch(spool.index) else { return }
            count += 1
            guard let events = try readOrDrop(batch) else {
                tell(.sendAgain)
                continue
            }
            let through = relay.take(batch.session, first: batch.first, isAfterGap: batch.isAfterGap, events)
            if let through {
                if acknowledges { tell(.received(.ack([SessionProgress(session: batch.session, through: through)]))) }
            } else {
                tell(.received(.resend(batch.session, from: (relay.logs[batch.session]?.through ?? 0) + 1)))
            }
        }
    }

    /// Nil if one of them was damaged.
    private func readOrDrop(_ batch: SpoolIndex.Batch) throws -> [String]? {
        do throws(SpoolError) {
            return try spool.read(batch).map { String(decoding: $0, as: UTF8.self) }
        } catch {
            if error.code == .damaged { return nil }
            throw error
        }
    }

    mutating func resend() { tell(.resendDue) }

    func lines(_ session: SessionID) -> [String] { relay.logs[session]?.lines ?? [] }
}
