import RelayProtocol
import Testing

@testable import HostCore

@Suite("The count of what clients type")
struct TypingDeskTests {
    private let phone = Named<ClientTag>(id: ClientID("c1")!, name: "phone")
    private let session = SessionID("s1")!

    private func at(_ monotonic: Int64) -> HostInstant { HostInstant(wall: 0, monotonic: monotonic) }

    private func typed(_ desk: inout TypingDesk, _ count: Int, _ id: String = "k", at time: Int64 = 0) -> [TypingDesk.Count] {
        desk.typed(count, as: SteeringName(client: phone.id, command: CommandID(id)!), by: phone, in: session, at: at(time))
    }

    @Test("first keys are counted at once, those of the next half minute together, and then nothing more")
    func counts() {
        var desk = TypingDesk()
        #expect(typed(&desk, 3, at: 0).map(\.bytes) == [3])
        for time in 1...20 { #expect(typed(&desk, 2, at: Int64(time) * 1_000) == []) }
        #expect(desk.nextDeadline == 30_000 && desk.due(at: at(29_999)) == [])
        #expect(desk.due(at: at(30_000)).map(\.bytes) == [40])
        #expect(desk.due(at: at(60_000)) == [] && desk.nextDeadline == nil)
    }

    @Test("the end of the session, or of the daemon, leaves nothing uncounted")
    func ends() {
        var desk = TypingDesk()
        _ = typed(&desk, 1, at: 0)
        _ = typed(&desk, 4, at: 1)
        #expect(desk.ended(SessionID("s2")!) == [])
        #expect(desk.ended(session).map(\.bytes) == [4] && desk.stopped() == [])
    }

    @Test("a message that was typed is known, for a while")
    func again() {
        var desk = TypingDesk()
        let name = SteeringName(client: phone.id, command: CommandID("k1")!)
        #expect(!desk.knows(name))
        _ = typed(&desk, 1, "k1")
        #expect(desk.knows(name))
        for number in 0..<TypingDesk.knownMax { _ = typed(&desk, 1, "x\(number)") }
        #expect(!desk.knows(name))
    }
}
