import Foundation

/// Reports that the relay has not received: only the latest for each card and for the device.
struct ReportQueue: Sendable, Equatable {
    struct Entry: Codable, Sendable, Equatable {
        var number: Int
        var report: RelayReport
    }

    private(set) var entries: [Entry]
    private var lastNumber: Int
    /// The report that was sent and not answered. Only one at a time, so that an older report cannot arrive after a newer one.
    private var inFlight: Int?
    private var attempts = 0
    /// Nothing is sent before this time.
    private(set) var waitsUntil: Date?
    /// True if the relay does not know our token.
    private var isBlocked = false
    /// The report in flight used a token that was replaced since: its refusal says nothing about the new one.
    private var wentWithOldToken = false
    /// True if the device was registered again because the relay did not know it; a second time is handled differently.
    private var hasRegisteredAgain = false

    init(_ entries: [Entry] = []) {
        self.entries = entries
        lastNumber = entries.map(\.number).max() ?? 0
    }

    /// When to call `next` again, if nothing happens before.
    var wakeAt: Date? { inFlight == nil && !isBlocked && !entries.isEmpty ? waitsUntil : nil }

    /// Puts a report in the place of an older one about the same subject; returns the report that was dropped to make room.
    mutating func put(_ report: RelayReport, max: Int) -> RelayReport? {
        lastNumber += 1
        if case .forget = report { entries.removeAll() }
        entries.removeAll { $0.report.subject == report.subject }
        entries.append(Entry(number: lastNumber, report: report))
        guard entries.count > max else { return nil }
        // An ended card needs no updates; the relay learns by itself that it ended.
        let victim = entries.firstIndex { $0.report.isOver } ?? entries.firstIndex { $0.report.subject != .device } ?? 0
        return entries.remove(at: victim).report
    }

    /// The report to send now. The device comes first: the relay takes cards only from devices that it knows.
    mutating func next(at now: Date) -> Entry? {
        guard inFlight == nil, !isBlocked, waitsUntil.map({ $0 <= now }) ?? true else { return nil }
        guard let entry = entries.first(where: { $0.report.subject == .device }) ?? entries.first else { return nil }
        inFlight = entry.number
        return entry
    }

    mutating func acknowledged(_ number: Int) -> RelayReport? {
        guard land(number) else { return nil }
        wentWithOldToken = false
        attempts = 0
        waitsUntil = nil
        guard let index = entries.firstIndex(where: { $0.number == number }) else { return nil }
        let report = entries.remove(at: index).report
        if case .card = report { hasRegisteredAgain = false }
        return report
    }

    enum Failure: Equatable {
        /// Kept to be sent later, or replaced by a newer report.
        case kept
        /// The device has to be registered first.
        case needsDevice
        /// The relay will never accept the report.
        case dropped(RelayReport)
        case doneAnyway(RelayReport)
    }

    /// `dice` is random, from 0 to 1.
    mutating func failed(
        _ number: Int, _ code: LiveActivityError.Code, dice: Double, limits: LifecycleLimits, at now: Date
    ) -> Failure {
        guard land(number) else { return .kept }
        defer { wentWithOldToken = false }
        switch code {
        case .unauthorised:
            isBlocked = !wentWithOldToken
            return .kept
        case .refused, .badAnswer, .notFound: return refused(number, code)
        default:
            let ceiling = min(limits.retryMost, limits.retryFirst * (1 << min(attempts, 16)))
            attempts += 1
            waitsUntil = now.addingTimeInterval((ceiling / 2 + ceiling / 2 * min(max(dice, 0), 1)).timeInterval)
            return .kept
        }
    }

    private mutating func refused(_ number: Int, _ code: LiveActivityError.Code) -> Failure {
        guard let index = entries.firstIndex(where: { $0.number == number }) else { return .kept }
        switch (entries[index].report, code) {
        case (.forget, .notFound): return .doneAnyway(entries.remove(at: index).report)
        case (.card, .notFound) where !hasRegisteredAgain:
            hasRegisteredAgain = true
            return .needsDevice
        default: return .dropped(entries.remove(at: index).report)
        }
    }

    /// Retries at once: the caller has a sign that the relay can be reached.
    mutating func hurry() {
        attempts = 0
        waitsUntil = nil
    }

    /// The app has another token.
    mutating func unblock() {
        isBlocked = false
        wentWithOldToken = inFlight != nil
        hurry()
    }

    private mutating func land(_ number: Int) -> Bool {
        guard inFlight == number else { return false }
        inFlight = nil
        return true
    }
}

extension RelayReport {
    enum Subject: Hashable { case device, card(String) }

    var subject: Subject {
        switch self {
        case .device, .forget: .device
        case .card(let report): .card(report.card)
        }
    }

    fileprivate var isOver: Bool { if case .card(let report) = self { report.state.isFinal } else { false } }
}

extension Duration {
    var timeInterval: TimeInterval { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
