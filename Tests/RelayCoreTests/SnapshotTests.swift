import RelayCore
import RelayModel
import RelayProtocol
import Testing

@Suite("Snapshots that are large")
struct SnapshotTests {
    typealias T = RelayTranscript

    /// Largest message: a page and one item more.
    private static let messageBytesMax = 1 << 20
    private static let end = #"{"type":"snapshotEnd"}"#

    /// A session of about 50 kB a summary for each, and one that waits for a person and is older than all of them.
    private func manySessions(_ count: Int = 40) -> (RelayTranscript, host: PeerID) {
        let t = T()
        let host = t.host()
        t.send([T.started, T.request()], first: 1, by: host)
        t.commit()
        let offer = SteeringOffer(
            actions: [.prompt], commands: (0..<160).map { "/\($0)" + String(repeating: "x", count: 250) })
        for number in 0..<count {
            t.now += 1_000
            t.send([T.started, .steeringOffered(offer)], to: SessionID("many\(number)")!, first: 1, by: host)
            t.commit()
        }
        return (t, host)
    }

    private func watch(_ t: RelayTranscript, _ client: PeerID) {
        _ = t.take(client)
        t.command(.subscribe(nil, after: nil), id: "1", by: client)
        t.handle(.tickEnded)
    }

    private func view(_ messages: [String]) throws -> (sessions: Set<String>, approvals: Set<String>) {
        var (sessions, approvals): (Set<String>, Set<String>) = ([], [])
        for message in messages {
            switch try MessageToClient(parsing: Array(message.utf8)) {
            case .workspaceSnapshot(let summaries, let all, _, _):
                (sessions, approvals) = (Set(summaries.map(\.session.rawValue)), Set(all.map(\.id.rawValue)))
            case .sessionSnapshot(_, _, _, let all): approvals.formUnion(all.map(\.id.rawValue))
            case .summary(let summary): sessions.insert(summary.session.rawValue)
            case .approval(let approval): approvals.insert(approval.id.rawValue)
            default: break
            }
        }
        return (sessions, approvals)
    }

    private func allPages(_ t: RelayTranscript) {
        while t.timers[.snapshotPage] != nil { t.fire(.snapshotPage) }
    }

    @Test("a snapshot has a size at most, and has what waits for a person before anything else; the rest follows in pages")
    func pages() throws {
        let (t, _) = manySessions()
        let client = t.client()
        watch(t, client)
        let first = try #require(t.take(client).last)
        #expect(first.utf8.count < Self.messageBytesMax && first.hasPrefix(#"{"type":"snapshot","sessions""#))
        let begun = try view([first])
        #expect(begun.sessions.contains("s1") && begun.approvals == ["a1"])
        #expect((10...20).contains(begun.sessions.count))
        // The latest sessions come first.
        #expect(begun.sessions.contains("many39") && !begun.sessions.contains("many0"))
        #expect(first.hasSuffix(#","more":true}"#))
        t.fire(.snapshotPage)
        let page = t.take(client)
        #expect(!page.contains(Self.end))
        #expect(page.reduce(0) { $0 + $1.utf8.count } < Self.messageBytesMax)
        allPages(t)
        let rest = t.take(client)
        #expect(rest.last == Self.end && rest.count { $0 == Self.end } == 1)
        let all = try view([first] + page + rest)
        #expect(all.sessions.count == 41 && t.relay.census.breach == nil)
    }

    @Test("a snapshot says how many older sessions it leaves out, and they follow when the client asks for them")
    func older() throws {
        let t = T()
        let host = t.host()
        for number in 0..<503 {
            t.now += 1_000
            t.send([T.started] + (number == 0 ? [T.request()] : []), to: SessionID("many\(number)")!, first: 1, by: host)
            t.commit()
        }
        let client = t.client()
        t.command(.olderSessions, id: "0", by: client)
        #expect(t.take(client).last?.contains("unavailable") == true)
        watch(t, client)
        let first = try #require(t.take(client).last)
        #expect(first.hasSuffix(#","older":2}"#))
        let begun = try view([first])
        #expect(begun.sessions.count == 501 && begun.sessions.contains("many0") && !begun.sessions.contains("many1"))
        t.command(.olderSessions, id: "2", by: client)
        allPages(t)
        let rest = t.take(client)
        #expect(try view(rest).sessions == ["many1", "many2"] && !rest.contains(Self.end))
        #expect(try view([first] + rest).sessions.count == 503 && t.relay.census.breach == nil)
    }

    @Test("a client that does not read gets no further page until it has, and then those of what is true by then")
    func congested() throws {
        let (t, host) = manySessions()
        let client = t.client()
        watch(t, client)
        let first = t.take(client)
        t.handle(.congested(client))
        allPages(t)
        #expect(t.take(client).isEmpty && t.timers[.snapshotPage] == nil)
        t.handle(.drained(client))
        t.send([.sessionRenamed(title: "renamed")], to: SessionID("many0")!, first: 3, by: host)
        t.commit()
        allPages(t)
        let rest = t.take(client)
        #expect(rest.filter { $0 == Self.end }.count == 1)
        #expect(try view(first + rest).sessions.count == 41)
        #expect(rest.last { $0.contains(#""session":"many0""#) }?.contains("renamed") == true)
    }

    @Test("one that asks again begins again, one that leaves or turns away gets no more, and others are served meanwhile")
    func left() throws {
        let (t, _) = manySessions()
        let (client, other, gone) = (t.client(), t.client("tablet"), t.client("gone"))
        for peer in [client, other, gone] { watch(t, peer) }
        _ = t.take(client)
        t.handle(.disconnected(gone))
        t.command(.unsubscribe(nil), id: "2", by: other)
        _ = t.take(other)
        watch(t, client)
        allPages(t)
        let heard = t.take(client)
        #expect(try view(heard).sessions.count == 41 && heard.last == Self.end)
        #expect(t.take(other).isEmpty && t.relay.census.breach == nil)
    }

    @Test(
        "approvals are counted too, in the snapshot of a workspace, of a session, and where a position is continued",
        arguments: ["workspace", "session", "position"])
    func approvals(_ what: String) throws {
        let t = T()
        let (host, client) = (t.host(), t.client())
        let names = (0..<12).map { "large\($0)" }
        t.send(events: [Event(T.started, at: t.now)] + names.map { t.largeRequest($0, bytes: 100_000) }, first: 1, by: host)
        t.commit()
        _ = t.take(client)
        switch what {
        case "workspace": watch(t, client)
        case "session": t.command(.subscribe(T.session, after: nil), id: "1", by: client)
        default: t.command(.subscribe(T.session, after: Position(epoch: T.epoch, seq: 13)), id: "1", by: client)
        }
        t.read()
        let first = t.take(client)
        // The events of a session are in its snapshot besides.
        #expect(what == "session" || first.reduce(0) { $0 + $1.utf8.count } < Self.messageBytesMax)
        #expect(try view(first).approvals.count < 12)
        allPages(t)
        let rest = t.take(client)
        #expect(try view(first + rest).approvals == Set(names))
        #expect(rest.contains(Self.end) == (what == "workspace"))
    }

    // MARK: - For hundreds of connections

    /// Connections of one client, and one of another, which asks last.
    private func crowd(_ t: RelayTranscript, _ count: Int = 30) -> (greedy: [PeerID], phone: PeerID) {
        let crowd = ((0..<count).map { _ in t.client("greedy") }, t.client("phone"))
        for peer in crowd.0 + [crowd.1] { _ = t.take(peer) }
        return crowd
    }

    private static func bytes(_ messages: [PeerID: [String]]) -> Int {
        messages.values.joined().reduce(0) { $0 + $1.utf8.count }
    }

    @Test(
        "hundreds who begin in one tick are sent no more bytes in an interval than a limit, and others have their turn first",
        arguments: ["workspace", "session", "position"])
    func bounded(_ what: String) throws {
        let t = what == "workspace" ? manySessions().0 : T()
        if what != "workspace" {
            let host = t.host()
            let names = (0..<12).map { "large\($0)" }
            t.send(events: [Event(T.started, at: t.now)] + names.map { t.largeRequest($0, bytes: 100_000) }, first: 1, by: host)
            t.commit()
        }
        let (greedy, phone) = crowd(t)
        let subscribe: ClientCommand =
            switch what {
            case "workspace": .subscribe(nil, after: nil)
            case "session": .subscribe(T.session, after: nil)
            default: .subscribe(T.session, after: Position(epoch: T.epoch, seq: 1))
            }
        for peer in greedy + [phone] { t.handle(.clientSent(peer, .command(CommandID("1")!, subscribe))) }
        t.handle(.tickEnded)
        var intervals = 0
        var heard: [PeerID: [String]] = [:]
        repeat {
            // Views of workspaces or sessions, and pages of snapshots; with one message more each.
            t.read()
            let sent = Dictionary(uniqueKeysWithValues: (greedy + [phone]).map { ($0, t.take($0)) })
            #expect(Self.bytes(sent) <= 2 * (Limits.viewBytesMax + Self.messageBytesMax))
            if intervals == 0 {
                #expect(sent[phone]?.contains { $0.utf8.count > 100_000 } == true, "it does not wait for all of the others")
            }
            heard.merge(sent) { $0 + $1 }
            intervals += 1
            if t.timers[.snapshotPage] != nil { t.fire(.snapshotPage) }
        } while intervals < 1_000 && (t.timers[.snapshotPage] != nil || !t.pendingReads.isEmpty)
        #expect(intervals > 5 && intervals < 1_000 && t.relay.census.breach == nil)
        for peer in [greedy[0], greedy[29], phone] {
            let seen = try view(heard[peer, default: []] + t.take(peer))
            #expect(what == "workspace" ? seen.sessions.count == 41 : seen.approvals.count == 12, "\(seen)")
        }
    }

    @Test("what changes while a snapshot waits for its turn is in it, and comes neither before it nor not at all")
    func changed() throws {
        let (t, host) = manySessions()
        let (greedy, _) = crowd(t)
        for peer in greedy { t.handle(.clientSent(peer, .command(CommandID("1")!, .subscribe(nil, after: nil)))) }
        t.handle(.tickEnded)
        let first = greedy.map { t.take($0) }
        t.send([.sessionRenamed(title: "renamed")], to: SessionID("many39")!, first: 3, by: host)
        t.commit()
        allPages(t)
        for (peer, before) in zip(greedy, first) {
            let messages = (before + t.take(peer)).filter { $0.contains(#""session":"many39""#) }
            #expect(messages.first?.hasPrefix(#"{"type":"snapshot""#) == true && messages.last?.contains("renamed") == true)
        }
    }
}
