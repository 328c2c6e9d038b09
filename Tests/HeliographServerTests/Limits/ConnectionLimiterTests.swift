import RelayProtocol
import Testing
import WebSocketEngine

@testable import HeliographServer

@Suite struct ConnectionLimiterTests {
    private let home = WorkspaceID("home")!
    private let office = WorkspaceID("office")!
    private let here = Peer.ip("192.0.2.1")
    private let there = Peer.ip("192.0.2.2")

    private func limits(_ change: (inout ServerLimits) -> Void) -> ConnectionLimiter {
        var limits = ServerLimits()
        change(&limits)
        return ConnectionLimiter(limits)
    }

    @Test func `each limit counts its own, and who leaves makes room`() throws {
        var connectionLimiter = limits {
            $0.connectionsPerAddress = 2
            $0.connectionsPerToken = 3
            $0.connectionsPerWorkspace = 4
        }
        for _ in 0..<2 { try connectionLimiter.enter(address: here, token: "a", workspace: home) }
        #expect(throws: ConnectionLimiter.LimitError.connectionsPerAddress) {
            try connectionLimiter.enter(address: here, token: "b", workspace: home)
        }
        try connectionLimiter.enter(address: nil, token: "a", workspace: home)
        #expect(throws: ConnectionLimiter.LimitError.connectionsPerToken) {
            try connectionLimiter.enter(address: there, token: "a", workspace: office)
        }
        try connectionLimiter.enter(address: there, token: "b", workspace: home)
        #expect(throws: ConnectionLimiter.LimitError.connectionsPerWorkspace) {
            try connectionLimiter.enter(address: nil, token: "c", workspace: home)
        }
        try connectionLimiter.enter(address: there, token: "c", workspace: office)
        connectionLimiter.leave(address: here, token: "a", workspace: home)
        try connectionLimiter.enter(address: here, token: "a", workspace: home)
    }

    @Test func `zero is no limit`() throws {
        var connectionLimiter = limits {
            ($0.connectionsPerAddress, $0.connectionsPerToken, $0.connectionsPerWorkspace) = (0, 0, 0)
            $0.requestsPerSecondPerAddress = 0
        }
        for _ in 0..<100_000 { try connectionLimiter.enter(address: here, token: "a", workspace: home) }
        for _ in 0..<100_000 { #expect(connectionLimiter.asked(here, at: 0) == 0) }
    }

    @Test func `an address that asks too often waits, another does not`() {
        var connectionLimiter = limits { $0.requestsPerSecondPerAddress = 2 }
        for _ in 0..<20 { #expect(connectionLimiter.asked(here, at: 0) == 0) }
        #expect(connectionLimiter.asked(here, at: 0) == 500_000_000)
        #expect(connectionLimiter.asked(there, at: 0) == 0)
        #expect(connectionLimiter.asked(here, at: 500_000_000) == 0)
    }

    @Test func `however many addresses ask, a bounded number is remembered, and the rest share`() {
        var connectionLimiter = limits { $0.requestsPerSecondPerAddress = 1 }
        for number in 0..<ServerLimits.addressesMax { #expect(connectionLimiter.asked(.ip("\(number)"), at: 0) == 0) }
        for number in 0..<10 { #expect(connectionLimiter.asked(.ip("new \(number)"), at: 0) == 0) }
        #expect(connectionLimiter.asked(.ip("one more"), at: 0) > 0)
        // Peers that have not asked anything since make room.
        #expect(connectionLimiter.asked(.ip("one more"), at: 2_000_000_000) == 0)
        #expect(connectionLimiter.asked(.ip("and another"), at: 2_000_000_000) == 0)
    }
}
