import Foundation
import Testing

@testable import LiveActivityKit

@Suite("Report queue") struct ReportQueueTests {
    private let limits = LifecycleLimits()

    private func card(_ id: String, _ state: CardReport.State = .active, token: String? = nil) -> RelayReport {
        .card(CardReport(card: id, session: nil, token: token, state: state))
    }

    private func queue(_ reports: RelayReport...) -> ReportQueue {
        var queue = ReportQueue()
        for report in reports { _ = queue.put(report, max: 32) }
        return queue
    }

    private func take(_ queue: inout ReportQueue, at now: Date) throws -> ReportQueue.Entry {
        let entry = queue.next(at: now)
        return try #require(entry)
    }

    @Test("one at a time, the device first, the latest of each card only")
    func order() throws {
        var queue = queue(card("a"), card("b"), .device(registration), card("a", .ended))
        let first = try take(&queue, at: moment)
        #expect(first.report == .device(registration))
        #expect(queue.next(at: moment) == nil)
        #expect(queue.acknowledged(first.number) == .device(registration))
        let second = try take(&queue, at: moment)
        #expect(second.report == card("b"))
        _ = queue.acknowledged(second.number)
        #expect(queue.next(at: moment)?.report == card("a", .ended))
    }

    @Test("what came up while an older word was on its way is sent after it")
    func overtaken() throws {
        var queue = queue(card("a"))
        let old = try take(&queue, at: moment)
        _ = queue.put(card("a", token: "aa"), max: 32)
        #expect(queue.acknowledged(old.number) == nil)
        #expect(queue.next(at: moment)?.report == card("a", token: "aa"))
    }

    @Test("waits double up to a limit, and end when the way is free")
    func backOff() throws {
        var queue = queue(card("a"))
        var now = moment
        var waits: [TimeInterval] = []
        for _ in 0..<12 {
            let entry = try take(&queue, at: now)
            #expect(queue.failed(entry.number, .unreachable, dice: 1, limits: limits, at: now) == .kept)
            let until = try #require(queue.waitsUntil)
            #expect(queue.wakeAt == until)
            #expect(queue.next(at: until.addingTimeInterval(-0.001)) == nil)
            waits.append(until.timeIntervalSince(now))
            now = until
        }
        #expect(waits.prefix(4) == [1, 2, 4, 8])
        #expect(waits.suffix(3) == [300, 300, 300])
        let entry = try take(&queue, at: now)
        #expect(queue.failed(entry.number, .busy, dice: 0, limits: limits, at: now) == .kept)
        #expect(queue.waitsUntil == now.addingTimeInterval(150))
        queue.hurry()
        #expect(queue.next(at: now) != nil)
    }

    @Test("a token that the relay does not know stops everything until there is another")
    func blocked() throws {
        var queue = queue(card("a"))
        let entry = try take(&queue, at: moment)
        #expect(queue.failed(entry.number, .unauthorised, dice: 0, limits: limits, at: moment) == .kept)
        queue.hurry()
        #expect(queue.next(at: moment.addingTimeInterval(86_400)) == nil)
        #expect(queue.wakeAt == nil)
        queue.unblock()
        #expect(queue.next(at: moment)?.report == card("a"))
    }

    @Test("a refusal of the token that was replaced meanwhile stops nothing; one of the new token does")
    func overtakenToken() throws {
        var queue = queue(card("a"))
        let old = try take(&queue, at: moment)
        queue.unblock()
        #expect(queue.failed(old.number, .unauthorised, dice: 0, limits: limits, at: moment) == .kept)
        let new = try take(&queue, at: moment)
        #expect(queue.failed(new.number, .unauthorised, dice: 0, limits: limits, at: moment) == .kept)
        #expect(queue.next(at: moment) == nil)
    }

    @Test("a relay that lost the device is told of it once, then the card again, then never more")
    func deviceLost() throws {
        var queue = queue(card("a"))
        let first = try take(&queue, at: moment)
        #expect(queue.failed(first.number, .notFound, dice: 0, limits: limits, at: moment) == .needsDevice)
        _ = queue.put(.device(registration), max: 32)
        let device = try take(&queue, at: moment)
        #expect(device.report == .device(registration))
        _ = queue.acknowledged(device.number)
        let second = try take(&queue, at: moment)
        #expect(queue.failed(second.number, .notFound, dice: 0, limits: limits, at: moment) == .dropped(card("a")))
        #expect(queue.entries.isEmpty)
    }

    @Test("what the relay refuses does not stop the rest")
    func refused() throws {
        var queue = queue(card("a"), card("b"))
        let entry = try take(&queue, at: moment)
        #expect(queue.failed(entry.number, .refused, dice: 0, limits: limits, at: moment) == .dropped(card("a")))
        #expect(queue.next(at: moment)?.report == card("b"))
    }

    @Test("to be forgotten by a relay that knows nothing is as good")
    func forget() throws {
        var queue = queue(card("a"), .device(registration), .forget)
        #expect(queue.entries.map(\.report) == [.forget])
        let entry = try take(&queue, at: moment)
        #expect(queue.failed(entry.number, .notFound, dice: 0, limits: limits, at: moment) == .doneAnyway(.forget))
        #expect(queue.entries.isEmpty)
    }

    @Test("bounded: cards that are over give way first, the device never")
    func bound() {
        var queue = queue(card("a"), card("b", .ended), .device(registration))
        #expect(queue.put(card("c"), max: 3) == card("b", .ended))
        #expect(queue.put(card("d"), max: 3) == card("a"))
        #expect(queue.entries.map(\.report) == [.device(registration), card("c"), card("d")])
    }
}
