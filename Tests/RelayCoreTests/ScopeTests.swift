import RelayCore
import RelayModel
import RelayProtocol
import Testing

@Suite("What a client may do")
struct ScopeTests {
    typealias T = RelayTranscript

    /// One command of each right, and one that needs none.
    static let commands: [(command: ClientCommand, scope: Scope)] = [
        (.ping, []), (.subscribe(nil, after: nil), .watch), (.budgets, .watch), (T.decide(.allow), .decide),
        (.prompt(T.session, text: "go on"), .steer), (.interrupt(T.session), .steer), (.pair(.client), .administer),
        (.budget(Budget(scope: .workspace, microUSD: 1)), .administer),
    ]

    private static func isForbidden(_ command: ClientCommand, to scope: Scope) -> Bool {
        let (t, _, _) = T.withPendingApproval()
        let peer = t.client("tablet", scope: scope)
        _ = t.take(peer)
        t.command(command, id: "c1", by: peer)
        t.commit()
        return t.take(peer).contains { $0.contains(#""code":"forbidden""#) }
    }

    @Test("a command needs its right and no other", arguments: [Scope.watch, .decide, .steer, .administer])
    func rights(held: Scope) {
        for (command, scope) in Self.commands {
            #expect(command.scope == scope)
            #expect(Self.isForbidden(command, to: held) == !held.isSuperset(of: scope), "\(command)")
        }
    }

    @Test("today every client may do all that clients can, and a host nothing of it")
    func roles() {
        for (command, scope) in Self.commands {
            #expect(!Self.isForbidden(command, to: Scope(of: .client)))
            #expect(scope == [] || Self.isForbidden(command, to: Scope(of: .host)))
        }
    }

    @Test("what is forbidden leaves no trace")
    func noTrace() {
        let (t, host, _) = T.withPendingApproval()
        let peer = t.client("tablet", scope: .watch)
        t.command(T.decide(.deny(message: nil)), id: "c1", by: peer)
        t.commit()
        #expect(t.approvals[ApprovalID("a1")!]?.decision == nil)
        #expect(t.take(host) == [])
    }
}
