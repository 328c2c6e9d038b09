import RelayCore
import RelayProtocol
import Testing
import WebSocketEngine

@testable import HeliographServer

@Suite struct RateLimiterTests {
    private static let second: Int64 = 1_000_000_000

    private func token(_ id: String, _ role: PairingRole = .host, in workspace: String = "home") -> Token {
        Token(id: id, digest: [], role: role, subject: id, name: id, workspace: WorkspaceID(workspace)!, createdAt: 0)
    }

    private func book(_ change: (inout ServerLimits) -> Void) -> RateLimiters {
        var limits = ServerLimits()
        change(&limits)
        return RateLimiters(limits)
    }

    @Test func `a host is slowed by its messages, or by their size`() {
        let book = book {
            $0.messagesPerSecondPerHost = 10
            $0.kilobytesPerSecondPerHost = 1 << 10
        }
        let many = book.rates(of: token("many"), at: nil, 0)
        for _ in 0..<100 { #expect(many.took(1, at: 0) == nil) }
        #expect(many.took(1, at: 0) == .init(wait: Self.second / 10, limit: .messagesPerSecondPerHost))
        let large = book.rates(of: token("large"), at: nil, 0)
        for _ in 0..<10 { #expect(large.took(1 << 20, at: 0) == nil) }
        #expect(large.took(1 << 20, at: 0) == .init(wait: Self.second, limit: .kilobytesPerSecondPerHost))
    }

    @Test func `who comes back has saved up nothing by that`() {
        let book = book { $0.messagesPerSecondPerClient = 1 }
        for _ in 0..<10 { #expect(book.rates(of: token("phone", .client), at: nil, 0).took(1, at: 0) == nil) }
        #expect(book.rates(of: token("phone", .client), at: nil, 0).took(1, at: 0)?.limit == .messagesPerSecondPerClient)
        #expect(book.rates(of: token("laptop", .client), at: nil, 0).took(1, at: 0) == nil)
    }

    @Test func `all of a workspace share what is its own, and another has its own`() {
        let book = book { $0.messagesPerSecondPerWorkspace = 1 }
        for number in 0..<10 { #expect(book.rates(of: token("\(number)"), at: nil, 0).took(1, at: 0) == nil) }
        #expect(book.rates(of: token("phone", .client), at: nil, 0).took(1, at: 0)?.limit == .messagesPerSecondPerWorkspace)
        #expect(book.rates(of: token("other", in: "office"), at: nil, 0).took(1, at: 0) == nil)
    }

    @Test func `all of an address share what is its own, and it is forgotten only when it owes nothing`() {
        let book = book { $0.messagesPerSecondPerAddress = 1 }
        func took(_ name: String, _ address: Peer?, at now: Int64) -> RateLimiter.Delay? {
            book.rates(of: token(name), at: address, now).took(1, at: now)
        }
        let one = Peer.ip("192.0.2.1")
        for number in 0..<10 { #expect(took("\(number)", one, at: 0) == nil) }
        #expect(took("more", one, at: 0)?.limit == .messagesPerSecondPerAddress)
        #expect(took("other", .ip("192.0.2.2"), at: 0) == nil)
        #expect(took("nobody's", nil, at: 0) == nil)
        for number in 0...ServerLimits.addressesMax {
            _ = book.rates(of: token("many"), at: .ip("10.0.\(number / 256).\(number % 256)"), 1)
        }
        #expect(took("again", one, at: 1)?.limit == .messagesPerSecondPerAddress)
    }

    @Test func `zero is no limit`() {
        let book = book {
            ($0.messagesPerSecondPerHost, $0.kilobytesPerSecondPerHost) = (0, 0)
            ($0.messagesPerSecondPerWorkspace, $0.kilobytesPerSecondPerWorkspace) = (0, 0)
        }
        let rates = book.rates(of: token("host"), at: nil, 0)
        for _ in 0..<100_000 { #expect(rates.took(1 << 20, at: 0) == nil) }
    }

    @Test func `who is slowed is told, and not all the time`() {
        let rateLimiter = RateLimiter.ofHost(ServerLimits())
        #expect(rateLimiter.isNoticeDue(at: 0))
        #expect(!rateLimiter.isNoticeDue(at: 59 * Self.second))
        #expect(rateLimiter.isNoticeDue(at: 60 * Self.second))
    }
}
