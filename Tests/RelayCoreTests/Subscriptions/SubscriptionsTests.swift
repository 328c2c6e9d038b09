import RelayModel
import RelayProtocol
import Testing

@testable import RelayCore

@Suite("Who follows what")
struct SubscriptionsTests {
    typealias P = PartTranscript
    private let key = P.key("s1")

    private func shown(through seq: Int64) -> CommittedSessions {
        var shown = CommittedSessions()
        shown.put(SessionView(state: P.state("s1", seq: seq)), for: key)
        return shown
    }

    private func subscriptions(_ peers: UInt64...) -> Subscriptions {
        var subscriptions = Subscriptions(epochs: Epochs(ofLog: Epoch("e1")!, first: PartTranscript.home))
        for peer in peers {
            subscriptions.connected(P.peer(peer), of: ClientKey(workspace: P.home, client: ClientID("c\(peer)")!))
        }
        return subscriptions
    }

    private func follow(
        _ subscriptions: inout Subscriptions, _ peer: UInt64, after seq: Int64?, _ shown: CommittedSessions,
        _ orders: inout Orders
    ) {
        let position = seq.map { Position(epoch: Epoch("e1")!, seq: $0) }
        subscriptions.subscribe(
            to: key.session, after: position, P.peer(peer), CommandID("k\(peer)")!, seeing: shown, &orders)
    }

    @Test("two who want the same snapshot share one read, and are then live")
    func shared() throws {
        var (subscriptions, orders) = (subscriptions(1, 2), Orders())
        let shown = shown(through: 1)
        follow(&subscriptions, 1, after: nil, shown, &orders)
        follow(&subscriptions, 2, after: nil, shown, &orders)
        #expect(try orders.said() == ["1: reply k1", "read 1 before(2)", "2: reply k2"])
        #expect(subscriptions.isFollowed(key) && subscriptions.live(of: key).isEmpty)
        let page = LogPage(first: 1, events: [Event(.error(message: "x", recoverable: true), at: 1).bytes])
        subscriptions.pageRead(ReadID(rawValue: 1), page, seeing: shown, &orders)
        #expect(try orders.said() == ["1,2: snapshot"])
        #expect(subscriptions.live(of: key) == [P.peer(1), P.peer(2)])
        subscriptions.left(P.peer(1), &orders)
        #expect(subscriptions.live(of: key) == [P.peer(2)])
        subscriptions.ended(key)
        #expect(!subscriptions.isFollowed(key))
    }

    @Test("a congested client is sent nothing, and goes on from where it was when it is drained")
    func congestion() throws {
        var (subscriptions, orders) = (subscriptions(1), Orders())
        follow(&subscriptions, 1, after: 1, shown(through: 1), &orders)
        #expect(try orders.said() == ["1: reply k1", "1: summary"])
        subscriptions.congested(P.peer(1), &orders)
        subscriptions.sendToLive(.removed(key.session), of: key, pausedAfter: 1, &orders)
        #expect(try orders.said() == ["arm congestion 1"])
        subscriptions.drained(P.peer(1), seeing: shown(through: 3), &orders)
        #expect(try orders.said() == ["cancel congestion 1", "read 1 after(1)"])
    }

    @Test("one that is far behind when it is drained gets a snapshot of what is")
    func behind() throws {
        var (subscriptions, orders) = (subscriptions(1), Orders())
        follow(&subscriptions, 1, after: 1, shown(through: 1), &orders)
        subscriptions.congested(P.peer(1), &orders)
        subscriptions.sendToLive(.removed(key.session), of: key, pausedAfter: 1, &orders)
        _ = try orders.said()
        let end = 2 + Int64(Limits.conflatedEventsMax)
        subscriptions.drained(P.peer(1), seeing: shown(through: end), &orders)
        #expect(try orders.said() == ["cancel congestion 1", "1: reset behind", "read 1 before(\(end + 1))"])
    }

    @Test("those who ask for their workspace in one tick get one snapshot, before anything else that they would hear of it")
    func workspace() throws {
        var (subscriptions, orders) = (subscriptions(1), Orders())
        let shown = shown(through: 1)
        subscriptions.watchWorkspace(P.peer(1), CommandID("k1")!, &orders)
        subscriptions.sendToWatchers(.removed(key.session), of: key, seeing: shown, &orders)
        subscriptions.sendDueSnapshots(seeing: shown, &orders)
        #expect(try orders.said() == ["1: reply k1", "1: snapshot"])
        subscriptions.sendToWatchers(.removed(key.session), of: key, seeing: shown, &orders)
        #expect(try orders.said() == ["1: removed"])
        subscriptions.unsubscribe(from: nil, P.peer(1), CommandID("k2")!, &orders)
        subscriptions.sendToWatchers(.removed(key.session), of: key, seeing: shown, &orders)
        #expect(try orders.said() == ["1: reply k2"])
    }
}
