package import Consent
internal import RelayProtocol

/// The events that were read of one session's log, by the host's numbers. It finds events that the relay has left out, repeated or
/// moved, in whatever order pages arrive.
///
/// The relay numbers all events (`seq`), its own among them; the host numbers its own, from 1 and without gaps. The twin of
/// `web/ledger.js`.
package struct EventLedger {
    /// A session of a day's hard work has a tenth of this. Beyond it the oldest events are no longer checked.
    static let entriesMax = 1 << 16

    package enum Found: Equatable {
        case numbered(Int64, EpochNumber)
        /// An event that could not be opened, but has one of the host's numbers.
        case closed
        /// An unsealed event that claims to be from the host.
        case plain
        /// Number of events that the relay says it does not have.
        case skipped(Int64)
    }

    package enum Doubt: Equatable {
        case repeated
        /// Sealed with a key of an earlier epoch.
        case outdated
        case unsealed
    }

    package struct Reading {
        package var doubts: [Int64: Doubt] = [:]
        /// Number of missing events before each event, by `seq`.
        package var missing: [Int64: Int64] = [:]
    }

    private struct Entry {
        let seq: Int64
        let found: Found
        var number: (Int64, EpochNumber)? { if case .numbered(let number, let epoch) = found { (number, epoch) } else { nil } }
        /// Numbers of the host that the entry uses up, if it does not state one itself.
        var count: Int64 { found == .closed || found == .plain ? 1 : 0 }
        var skipped: Int64 { if case .skipped(let count) = found { count } else { 0 } }
    }

    /// Entries in the order of `seq`.
    private var entries: [Entry] = []
    /// The ranges of the relay's log that were read.
    private var stretches: [ClosedRange<Int64>] = []
    private var plainCount = 0

    package init() {}

    /// True if something sealed was read.
    package var hasNumbers: Bool { entries.contains { $0.number != nil } }

    /// Adds a part of the log, in order. `plainMax` is the number of events from before the host sealed.
    package mutating func take(_ range: ClosedRange<Int64>, _ events: [(seq: Int64, found: Found)], plainMax: Int64 = 0)
        -> Reading
    {
        see(range)
        replace(range, Set(events.map(\.seq)))
        var reading = Reading()
        for (seq, found) in events where found != .plain {
            if let doubt = doubt(seq, found) { reading.doubts[seq] = doubt } else { put(Entry(seq: seq, found: found)) }
        }
        // From the last event to the first, because each leaves less room for those before it.
        for (seq, found) in events.reversed() where found == .plain {
            if hasRoom(at: seq, plainMax) { put(Entry(seq: seq, found: .plain)) } else { reading.doubts[seq] = .unsealed }
        }
        for (seq, _) in events where reading.doubts[seq] == nil {
            let missing = missing(before: place(of: seq))
            if missing > 0 { reading.missing[seq] = missing }
        }
        forgetOldest()
        return reading
    }

    /// Number of missing events in everything that was read.
    package var missingCount: Int64 { entries.indices.reduce(0) { $0 + missing(before: $1) } }

    /// True if the same event was read at the same place before.
    package func holds(_ found: Found, at seq: Int64) -> Bool { entry(at: place(of: seq), of: seq)?.found == found }

    private mutating func see(_ range: ClosedRange<Int64>) {
        var seen = range
        stretches.removeAll { stretch in
            guard stretch.upperBound + 1 >= range.lowerBound, stretch.lowerBound <= range.upperBound + 1 else { return false }
            seen = min(seen.lowerBound, stretch.lowerBound)...max(seen.upperBound, stretch.upperBound)
            return true
        }
        stretches.append(seen)
    }

    /// Removes entries of the range that were not found again: the relay may now have an event of its own where it first brought
    /// one of the host's.
    private mutating func replace(_ range: ClosedRange<Int64>, _ found: Set<Int64>) {
        var place = place(of: range.lowerBound)
        while place < entries.count, entries[place].seq <= range.upperBound {
            if found.contains(entries[place].seq) {
                place += 1
            } else {
                plainCount -= entries.remove(at: place).found == .plain ? 1 : 0
            }
        }
    }

    private mutating func forgetOldest() {
        guard entries.count > Self.entriesMax else { return }
        let dropped = entries.prefix(Self.entriesMax / 2)
        plainCount -= dropped.count { $0.found == .plain }
        entries.removeFirst(dropped.count)
        guard let first = entries.first?.seq else { return }
        stretches = stretches.compactMap { $0.upperBound < first ? nil : max(first, $0.lowerBound)...$0.upperBound }
    }

    // MARK: Entries

    /// Index of the first entry at or after `seq`.
    private func place(of seq: Int64) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].seq < seq { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func entry(at place: Int, of seq: Int64) -> Entry? {
        place < entries.count && entries[place].seq == seq ? entries[place] : nil
    }

    private mutating func put(_ entry: Entry) {
        let place = place(of: entry.seq)
        if let held = self.entry(at: place, of: entry.seq) {
            plainCount -= held.found == .plain ? 1 : 0
            entries[place] = entry
        } else {
            entries.insert(entry, at: place)
        }
        plainCount += entry.found == .plain ? 1 : 0
    }

    private func lastNumbered(before place: Int) -> Int? { entries[..<place].lastIndex { $0.number != nil } }

    private func firstNumbered(from place: Int) -> Int? { entries[place...].firstIndex { $0.number != nil } }

    private func doubt(_ seq: Int64, _ found: Found) -> Doubt? {
        guard case .numbered(let number, let epoch) = found else { return nil }
        let place = place(of: seq)
        let held = entry(at: place, of: seq)
        if let held, held.number != nil { return held.found == found ? nil : .repeated }
        if let before = lastNumbered(before: place).flatMap({ entries[$0].number }) {
            if epoch < before.1 { return .outdated }
            if number <= before.0 { return .repeated }
        }
        if let after = firstNumbered(from: held == nil ? place : place + 1).flatMap({ entries[$0].number }) {
            if number >= after.0 || epoch > after.1 { return .repeated }
        }
        return nil
    }

    /// True if an event that is not sealed may be older than its host's first sealed one.
    private func hasRoom(at seq: Int64, _ plainMax: Int64) -> Bool {
        let place = place(of: seq)
        if entry(at: place, of: seq)?.found == .plain { return true }
        guard lastNumbered(before: place) == nil, plainCount < plainMax else { return false }
        guard let next = firstNumbered(from: place), let first = entries[next].number else { return true }
        return first.0 - 1 > count(in: place..<next)
    }

    private func count(in places: Range<Int>) -> Int64 { entries[places].reduce(0) { $0 + $1.count } }

    /// Number of missing events before the entry. Counts only if all of the relay's log between it and the numbered event before it
    /// was read.
    private func missing(before place: Int) -> Int64 {
        guard place < entries.count, let (number, _) = entries[place].number else { return 0 }
        let seq = entries[place].seq
        let before = lastNumbered(before: place)
        let (floorSeq, floor) = before.map { (entries[$0].seq, entries[$0].number?.0 ?? 0) } ?? (1, 0)
        guard let stretch = stretches.first(where: { $0.contains(seq) }), stretch.lowerBound <= floorSeq else { return 0 }
        let between = (before.map { $0 + 1 } ?? 0)..<place
        let missing = max(0, number - 1 - floor - count(in: between))
        // The relay's explanation of a gap counts only if it accounts for exactly that gap.
        let skipped = entries[between].reduce(Int64(0)) { $0.sumSaturating($1.skipped) }
        return skipped == missing ? 0 : missing
    }
}
