import RelayProtocol
import Testing

@testable import HeliographLink

struct ReconnectMachineTests {
    @Test func waitsDoubleUpToACapAndAreSpread() {
        var machine = ReconnectMachine(ReconnectMachine.Policy(steadyPart: 0.5, refused: nil))
        func wait(jitter: Double = 0) -> Duration? {
            guard machine.begin(), case .retry(let wait) = machine.closed(.timedOut, jitter: jitter) else { return nil }
            return wait
        }
        let waits = (0..<10).map { _ in wait() }
        #expect(waits.prefix(3) == [.milliseconds(250), .milliseconds(500), .seconds(1)])
        #expect(waits.last == .seconds(15))
        #expect(wait(jitter: 0.5) == .milliseconds(22_500))
        machine.proven()
        #expect(wait() == .milliseconds(250))
    }

    @Test(arguments: [
        LinkEnd.refused(status: 302), .refused(status: 403, retryAfter: .seconds(9)),
        .refused(status: 404, retryAfter: .seconds(9)), .peer(code: 4029, reason: "too many: 9 s"),
    ])
    func aHostComesBackAsItIsTold(_ end: LinkEnd) {
        for jitter in [0, 1.0] {
            var host = ReconnectMachine(ReconnectMachine.Policy(steadyPart: 0, refused: .seconds(60)))
            let hasBegun = host.begin()
            #expect(hasBegun)
            let after = host.closed(end, jitter: jitter)
            let told = Duration.seconds(end == .refused(status: 302) ? 0 : 9)
            #expect(after == .retry(after: told + .milliseconds(500) * jitter))
        }
        var client = ReconnectMachine(ReconnectMachine.Policy(steadyPart: 0, refused: nil))
        let hasBegun = client.begin()
        #expect(hasBegun)
        guard case .retry = client.closed(end, jitter: 0) else {
            return #expect(end != .peer(code: 4029, reason: "too many: 9 s"))
        }
        #expect(end == .peer(code: 4029, reason: "too many: 9 s"))
    }

    @Test(arguments: [LinkEnd.refused(status: 401), .peer(code: 4426, reason: "")])
    func aRefusalIsTheEndOrALongWait(_ end: LinkEnd) {
        var client = ReconnectMachine(ReconnectMachine.Policy(steadyPart: 0, refused: nil))
        #expect(client.begin() && !client.begin())
        guard case .over = client.closed(end, jitter: 0) else { return #expect(Bool(false), "it comes back") }
        #expect(client.state == .over && !client.begin())
        var host = ReconnectMachine(ReconnectMachine.Policy(steadyPart: 0, refused: .seconds(60)))
        let hasBegun = host.begin()
        let after = host.closed(end, jitter: 0)
        #expect(hasBegun && after == .retry(after: .seconds(60)))
        let beginsAgain = host.begin()
        #expect(beginsAgain)
    }

    @Test func `the removal of a workspace has a reason of its own`() {
        func said(_ reason: String) -> String? {
            var client = ReconnectMachine(ReconnectMachine.Policy(steadyPart: 0, refused: nil))
            guard client.begin(), case .over(let error) = client.closed(.peer(code: 4401, reason: reason), jitter: 0) else {
                return nil
            }
            return error.message
        }
        #expect(said(CloseCode.workspaceRemoved)?.contains("removed this workspace") == true)
        #expect(said(CloseCode.revoked.reason)?.contains("does not know this client") == true)
    }
}
