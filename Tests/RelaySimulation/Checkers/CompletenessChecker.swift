import HostCore
import RelayModel
import RelayProtocol

/// Checks that each event of an agent is in the log once and in order, or counted by a truncated event. For one host.
struct CompletenessChecker {
    private struct Entry {
        var bytes: [UInt8]
        /// True if the disk refused it, or reported so: it may be missing.
        var isSkipped = false
        var isSynchronized = false
        /// True if it was skipped and the host has restarted since: the disk may have kept another event that it refused then.
        var isUncertain = false
    }

    /// Events of each session, by the host's numbers, from 1.
    private var entries: [SessionID: [Entry]] = [:]
    /// The next number of each session that the log has to account for.
    private var next: [SessionID: Int] = [:]
    /// Events that the disk reported as refused but may have: of an append that failed at its end and could not be truncated.
    private var refused: [SessionID: Set<[UInt8]>] = [:]
    /// Number of adapters' events that wait in the daemon's memory until the disk accepts them, when they are numbered.
    private var owed = 0
    /// Number of events that adapters emitted, and of events given to the spool, accepted or not.
    private var said = 0
    private var given = 0
    private var lastTaken: SessionID?
    /// The first end of each approval that a host sent.
    private var sentEnds: [ApprovalID: EventHead] = [:]
    /// Time at which each stored end was recorded, and approvals that the relay may have forgotten: it records further ends of
    /// those.
    private var storedEnds: [ApprovalID: Int64] = [:]
    private var forgettable: Set<ApprovalID> = []
    private var powerWasLost = false

    // MARK: The host

    mutating func emitted() { said += 1 }

    /// Checks that every event of an adapter was given to the spool.
    func heardAll() -> String? { said == given ? nil : "\(said) events were said, and \(given) went to the spool" }

    mutating func took(_ items: [Spool.Item], _ numbers: [Int64]) -> String? {
        let events = items.compactMap(Self.event)
        given += events.count { !SteeringChecker.isMadeByDesk($0.session, $0.bytes) } - owed
        owed = 0
        guard events.count == numbers.count else { return "\(events.count) events have \(numbers.count) numbers" }
        lastTaken = events.last?.session
        var complaints: [String] = []
        for (event, number) in zip(events, numbers) {
            if let complaint = wrote(event.session, number, event.bytes) { complaints.append(complaint) }
        }
        return complaints.first
    }

    /// Refused events use up numbers, or wait.
    mutating func refused(_ items: [Spool.Item]) {
        given += items.compactMap(Self.event).count { !SteeringChecker.isMadeByDesk($0.session, $0.bytes) }
        for (session, bytes) in items.compactMap(Self.event) { refused[session, default: []].insert(bytes) }
        for item in items {
            switch item {
            case .event(let session, let bytes, _): entries[session, default: []].append(Entry(bytes: bytes, isSkipped: true))
            case .owed(let session, let bytes): if !SteeringChecker.isMadeByDesk(session, bytes) { owed += 1 }
            case .note: break
            }
        }
    }

    private static func event(_ item: Spool.Item) -> (session: SessionID, bytes: [UInt8])? {
        switch item {
        case .event(let session, let bytes, _), .owed(let session, let bytes): (session, bytes)
        case .note: nil
        }
    }

    private mutating func wrote(_ session: SessionID, _ number: Int64, _ bytes: [UInt8]) -> String? {
        entries[session, default: []].append(Entry(bytes: bytes))
        let expected = entries[session]?.count ?? 0
        return number == expected ? nil : "\(session) numbers an event \(number), and not \(expected)"
    }

    mutating func synchronized() {
        for (session, list) in entries {
            for index in list.indices.reversed() {
                if list[index].isSynchronized { break }
                entries[session]?[index].isSynchronized = true
            }
        }
    }

    mutating func lostPower() { powerWasLost = true }

    /// A planted fault: empties the last event.
    mutating func misremember() {
        if let session = lastTaken, let last = entries[session]?.indices.last { entries[session]?[last].bytes = [] }
    }

    /// The spool was opened again: only events that the disk had refused, or not synchronized, may be missing.
    mutating func opened(_ index: SpoolIndex) -> String? {
        defer { powerWasLost = false }
        // Waiting events were in the daemon's memory, which ended with the process.
        owed = 0
        for (session, list) in entries.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let count = Int(index.nextSeq(of: session)) - 1
            guard count <= list.count else { return "\(session) goes on after \(count), and \(list.count) were written" }
            for number in count..<list.count {
                let entry = list[number]
                if entry.isSkipped || (powerWasLost && !entry.isSynchronized) { continue }
                return "event \(number + 1) of \(session) was written, and is gone after a restart"
            }
            entries[session]?.removeLast(list.count - count)
            for index in 0..<count where list[index].isSkipped { entries[session]?[index].isUncertain = true }
        }
        return nil
    }

    /// True if the disk once reported that it refused events of the session.
    func hasRefused(_ session: SessionID) -> Bool { refused[session] != nil }

    /// True if the disk refused all its events, and the host's memory of them ended with the process.
    func isLost(_ session: SessionID) -> Bool { entries[session]?.isEmpty == true }

    /// A host sends this to the relay, perhaps again: an approval has one end, over all runs of the host.
    mutating func sends(_ message: [UInt8]) -> String? {
        guard case .events(let batch)? = try? HostMessage(parsing: message) else { return nil }
        for event in batch.events {
            guard let (id, isEnd) = Self.report(event.head), isEnd else { continue }
            let first = sentEnds[id] ?? event.head
            sentEnds[id] = first
            if first != event.head { return "\(id) was \(first.kind), and is \(event.head.kind) then" }
        }
        return nil
    }

    private static func report(_ head: EventHead) -> (ApprovalID, isEnd: Bool)? {
        switch head {
        case .approvalDelivered(let id): (id, false)
        case .approvalApplied(let id, _), .approvalCancelled(let id, _), .approvalStale(let id, _): (id, true)
        default: nil
        }
    }

    // MARK: The log

    /// To be called before and after a change of the clock, and before events are stored. Milliseconds since 1970.
    mutating func relayClock(shows wall: Int64) {
        for (id, at) in storedEnds where abs(wall - at) > SessionLimits.resolvedApprovalsAge { forgettable.insert(id) }
    }

    /// Events that have become durable at the relay; `waiting` are the numbers that are still in the host's spool. `areSealed`:
    /// they were opened for this check; none is skipped.
    mutating func stored(
        _ events: [[UInt8]], of session: SessionID, through hostSeq: Int64, waiting: Set<Int64>, areSealed: Bool = false
    ) -> String? {
        func isPassedOver(_ number: Int) -> Bool { !areSealed && self.isPassedOver(session, number) }
        var number = next[session] ?? 1
        for bytes in events {
            guard let event = try? Event(stored: bytes) else { return "the log holds what is no event" }
            switch event.head {
            case .approvalExpired(let id), .approvalStale(let id, "tooMany"),
                .approvalStale(let id, ApprovalStage.sessionEnded):
                storedEnds[id] = event.at
                continue
            case .approvalDecided, .budgetCrossed: continue
            case let head where SteeringChecker.isMadeByRelay(head): continue
            // There is no count if the host's machine went down.
            case .truncated(let count?):
                // An event that begins a session anew is counted, not skipped.
                while number + Int(count) <= Int(hostSeq), isPassedOver(number),
                    entries[session]?[number - 1].isSkipped == false
                { number += 1 }
                for lost in number..<number + Int(count) where waiting.contains(Int64(lost)) && !isRefusable(session, lost) {
                    return "event \(lost) of \(session) is counted as lost, and waits in the spool"
                }
                number += Int(count)
            default:
                let list = entries[session] ?? []
                while isPassedOver(number), list[number - 1].bytes != bytes, !list[number - 1].isUncertain {
                    number += 1
                }
                if let (id, isEnd) = Self.report(event.head) {
                    if storedEnds[id] != nil, !forgettable.contains(id), !areSealed {
                        return "\(id) has a report after its end in the log"
                    }
                    if isEnd { storedEnds[id] = event.at }
                }
                guard number <= list.count else { return "\(session) has an event \(number) that its host never wrote" }
                let entry = list[number - 1]
                if entry.bytes != bytes, !entry.isUncertain || refused[session]?.remove(bytes) == nil {
                    return "event \(number) of \(session) is not what its host wrote"
                }
                number += 1
            }
        }
        while number <= hostSeq, isPassedOver(number) { number += 1 }
        next[session] = number
        guard Int64(number - 1) == hostSeq else {
            return "\(session) is said to be through \(hostSeq), its events are through \(number - 1)"
        }
        return nil
    }

    /// True for an event that uses up a number but is not in the log: a report of a command that the relay does not wait for, or of
    /// an approval whose end is in the log.
    private func isPassedOver(_ session: SessionID, _ number: Int) -> Bool {
        guard let list = entries[session], list.indices.contains(number - 1),
            let head = (try? Event(stored: list[number - 1].bytes))?.head
        else { return false }
        if case .steeringChanged = head { return true }
        return Self.report(head).map { storedEnds[$0.0] != nil } ?? false
    }

    /// True for a report of a command: a session that begins with one has it counted in the log.
    private func isRefusable(_ session: SessionID, _ number: Int) -> Bool {
        guard let list = entries[session], list.indices.contains(number - 1),
            case .steeringChanged? = (try? Event(stored: list[number - 1].bytes))?.head
        else { return false }
        return true
    }

    func settled() -> String? {
        for (session, list) in entries.sorted(by: { $0.key.rawValue < $1.key.rawValue })
        where next[session] ?? 1 != list.count + 1 {
            return "\(session) ends at \(list.count) at its host, and at \((next[session] ?? 1) - 1) in the log"
        }
        return nil
    }
}
