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

    @Test(arguments: [LinkEnd.refused(status: 401), .peer(code: 4426, reason: "")])
    func aRefusalIsTheEndOrALongWait(_ end: LinkEnd) {
        var client = ReconnectMachine(ReconnectMachine.Policy(steadyPart: 0, refused: nil))
        #expect(client.begin() && !client.begin())
        guard case .over = client.closed(end, jitter: 0) else { return #expect(Bool(false), "it comes back") }
        #expect(client.state == .over && !client.begin())
        var host = ReconnectMachine(ReconnectMachine.Policy(steadyPart: 0, refused: .seconds(60)))
        #expect(host.begin() && host.closed(end, jitter: 0) == .retry(after: .seconds(60)) && host.begin())
    }
}
