import RelayModel
import RelayProtocol
import Testing

@testable import RelayCore

@Suite("Where removed sessions would go on")
struct RemovedSessionsTests {
    typealias P = PartTranscript
    private let place = RemovedSession(host: HostID("laptop")!, seq: 7, hostSeq: 5)

    @Test("in a run of messages the first asks the log; what became known meanwhile is not lost to an older answer")
    func lookUp() throws {
        var removed = RemovedSessions(isComplete: false)
        var orders = Orders()
        removed.lookUp([P.key("s1")], for: nil, P.peer(1), &orders)
        removed.lookUp([P.key("s1")], for: nil, P.peer(1), &orders)
        removed.lookUp([P.key("s2")], for: nil, P.peer(1), &orders)
        #expect(try orders.said() == ["look up 1 s1", "look up 2 s2"])
        removed.add(P.key("s1"), place)
        #expect(removed.found([:], by: ReadID(rawValue: 1), isOpen: { _ in false })?.keys == [P.key("s1")])
        #expect(removed[P.key("s1")]?.seq == 7)
        #expect(removed.found([:], by: ReadID(rawValue: 2), isOpen: { _ in false })?.peer == P.peer(1))
        #expect(removed.knows(P.key("s2")) && removed[P.key("s2")] == nil, "there is none")
        #expect(removed.found([:], by: ReadID(rawValue: 2), isOpen: { _ in false }) == nil, "it is answered once")
    }

    @Test("a host has so many look-ups under way, and another its own")
    func bound() throws {
        var removed = RemovedSessions(isComplete: false)
        var orders = Orders()
        for number in 1...Limits.removedSessionsReadsMax { removed.lookUp([P.key("s\(number)")], for: nil, P.peer(1), &orders) }
        #expect(try orders.said().count == Limits.removedSessionsReadsMax)
        removed.lookUp([P.key("more")], for: nil, P.peer(1), &orders)
        removed.lookUp([P.key("more")], for: nil, P.peer(2), &orders)
        #expect(try orders.said() == ["1: notice unavailable", "look up \(Limits.removedSessionsReadsMax + 1) more"])
    }

    @Test("where the log cannot say, who waits for welcome comes back and events are sent again")
    func failure() throws {
        var removed = RemovedSessions(isComplete: false)
        var orders = Orders()
        removed.lookUp([P.key("s1")], for: Hello(software: "test"), P.peer(1), &orders)
        removed.lookUp([P.key("s2")], for: nil, P.peer(2), &orders)
        _ = try orders.said()
        for id in 1...2 as ClosedRange<UInt64> {
            #expect(removed.lookUpFailed(ReadID(rawValue: id), "no", isThere: { _ in true }, &orders) == true)
        }
        #expect(try orders.said() == ["close 1 restarting", "2: notice unavailable"])
        #expect(
            removed.lookUpFailed(ReadID(rawValue: 3), "no", isThere: { _ in true }, &orders) == false, "it is somebody else's")
    }
}
