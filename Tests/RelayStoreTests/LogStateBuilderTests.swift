import RelayCore
import RelayModel
import RelayProtocol
import RelayStore
import Testing

/// An earlier version stored as much as a host sent.
@Suite("Starting from more than there is memory for") struct LogStateBuilderTests {
    private static let workspace = WorkspaceID("home")!

    private func state(_ session: String, host: String, offer: SteeringOffer? = nil) -> SessionState {
        var summary = Summary(
            session: SessionID(session)!, host: Named(id: HostID(host)!, name: host), hostIsConnected: true,
            agentName: "claude",
            startedAt: 1)
        summary.title = "stays"
        summary.steering = offer
        return SessionState(summary: summary)
    }

    private func add(_ state: SessionState, host: String, to builder: inout LogStateBuilder) {
        builder.addSession(workspace: "home", session: state.summary.session.rawValue) {
            StoredPlace(of: $0, host: host, seq: 1, hostSeq: 1, state: state.bytes, isRemoved: false, checksum: nil)
        }
    }

    @Test(
        "offers of steering beyond 16 MB of a host are left out, with nothing else of their sessions, and none of another host")
    func offers() {
        var builder = LogStateBuilder(without: [])
        let large = SteeringOffer(actions: [.prompt], commands: (0..<250).map { "/\($0)" + String(repeating: "x", count: 240) })
        let count = 2 * SessionLimits.offerBytesPerHostMaxAtStart / large.memoryBytes
        for number in 0..<count { add(state("s\(number)", host: "busy", offer: large), host: "busy", to: &builder) }
        add(state("calm", host: "calm", offer: large), host: "calm", to: &builder)
        let sessions = builder.state.sessions.map(\.state)
        #expect(sessions.count == count + 1 && sessions.allSatisfy { $0.summary.title == "stays" })
        let offered = sessions.filter { $0.summary.steering != nil }
        #expect(abs(offered.count - 1 - count / 2) <= 1)
        #expect(offered.first?.summary.session.rawValue == "s0" && offered.last?.summary.session.rawValue == "calm")
        #expect(builder.damaged.isEmpty)
    }

    @Test("of resolved approvals the last are read, of open ones all")
    func approvals() throws {
        var builder = LogStateBuilder(without: [])
        var view = SessionView(state: state("s1", host: "laptop"))
        add(view.state, host: "laptop", to: &builder)
        let bytes = 200_000
        let count = 4 * SessionLimits.resolvedApprovalBytesPerWorkspaceMax / bytes
        for number in 0..<count {
            let id = ApprovalID("a\(number)")!
            let request = ApprovalRequest(
                approval: id, kind: .tool, tool: "Bash", title: "ls",
                digest: InputDigest(String(repeating: "ab", count: 32))!)
            let event = Event(.approvalRequested(request), at: 1) { $0.field("text", String(repeating: "x", count: bytes)) }
            view.reduce(event, seq: Int64(2 * number + 1))
            if number > 2 {
                view.reduce(Event(.approvalCancelled(id, reason: "turnEnded"), at: 2), seq: Int64(2 * number + 2))
            }
            let approval = try #require(view.approvals[id])
            builder.addApproval(workspace: "home", session: "s1") {
                StoredApproval(
                    name: id.rawValue, record: approval.bytes, session: 1, seq: approval.seq,
                    stage: approval.stage.word.rawValue,
                    resolvedAt: approval.stage.resolvedAt, checksum: nil)
            }
        }
        let kept = builder.state.approvals.map(\.approval)
        #expect(kept.prefix(3).map(\.id.rawValue) == ["a0", "a1", "a2"])
        #expect(kept.last?.id.rawValue == "a\(count - 1)")
        let resolved = kept.filter(\.stage.isFinal).count * bytes
        #expect(resolved >= SessionLimits.resolvedApprovalBytesPerWorkspaceMax / 2)
        #expect(resolved <= 2 * SessionLimits.resolvedApprovalBytesPerWorkspaceMax + 2 * bytes)
        #expect(kept.map(\.seq) == kept.map(\.seq).sorted())
    }
}
