import RelayProtocol
import Testing

@testable import HostCore

@Suite("Commands on their way to the loop of an agent")
struct CommandHandoverTests {
    private let first = SteeringName(client: ClientID("phone")!, command: CommandID("k1")!)
    private let second = SteeringName(client: ClientID("phone")!, command: CommandID("k2")!)

    private let session = SessionID("claude-1")!

    @Test("What the loop has not taken when the agent ends is refused, and what it has taken is its own to report")
    func untaken() {
        var handover = CommandHandover()
        #expect(handover.received(first, of: session) == nil)
        #expect(handover.received(second, of: session) == nil)
        let isTaken = handover.taken(first)
        #expect(isTaken)
        let refusal = CommandHandover.Refusal(
            session: session, change: SteeringChange(second, .refused, reason: "the agent has ended"))
        #expect(handover.close("the agent has ended") == [refusal])
        #expect(handover.close("again") == [])
    }

    @Test("What was refused is not given any more, and what comes afterwards is refused with the same reason")
    func afterwards() {
        var handover = CommandHandover()
        _ = handover.received(first, of: session)
        _ = handover.close("the agent has ended")
        let isTaken = handover.taken(first)
        #expect(!isTaken)
        #expect(handover.received(second, of: session) == SteeringChange(second, .refused, reason: "the agent has ended"))
    }

    @Test("The end of one session refuses what waits for that one")
    func sessionEnds() {
        var handover = CommandHandover()
        let other = SessionID("claude-2")!
        _ = handover.received(first, of: session)
        _ = handover.received(second, of: other)
        #expect(handover.close(session, "it was closed").map(\.change.name) == [first])
        #expect(!handover.taken(first) && handover.taken(second))
        #expect(handover.received(first, of: other) == nil)
    }

    @Test("A command is taken once")
    func once() {
        var handover = CommandHandover()
        _ = handover.received(first, of: session)
        #expect(handover.taken(first) && !handover.taken(first))
    }
}
