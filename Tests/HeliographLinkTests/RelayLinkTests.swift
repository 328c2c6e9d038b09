import HeliographTestSupport
import RelayProtocol
import Testing

@testable import HeliographLink

/// A link's life as a transcript: events and the resulting orders.
struct RelayLinkTests {
    private var link = RelayLink(software: "test", idPrefix: "c")

    private mutating func hear(_ message: MessageToClient) -> [String] { said(link.received(message.bytes)) }

    private mutating func comeUp() {
        _ = link.started()
        _ = link.opened()
        _ = hear(Fixtures.welcome())
        _ = hear(.workspaceSnapshot(sessions: [Fixtures.summary(seq: 5)], approvals: []))
    }

    private func said(_ orders: [RelayLink.Order]) -> [String] {
        orders.map { order in
            switch order {
            case .connect: "connect"
            case .retry: "retry"
            case .send(let bytes): said(bytes)
            case .tell(let news):
                switch news {
                case .up(let again): again ? "up again" : "up"
                case .down(let reason, _): "down: \(reason)"
                case .over(let fault): "over: \(fault.kind)"
                case .changed(let change): told(change)
                case .caughtUp(let count): "caught up \(count)"
                case .replied(let id, _): "replied \(id)"
                case .notFollowed(let session, let notice): "not followed \(session): \(notice.code)"
                case .notice(let notice): "notice \(notice.code)"
                case .letter(let letter, .host(let host)): "letter of \(letter.bytes.count) from \(host)"
                case .letter(let letter, .client(let client)): "letter of \(letter.bytes.count) from \(client)"
                case .push(let push): "push \(String(decoding: push, as: UTF8.self))"
                }
            }
        }
    }

    private func said(_ bytes: [UInt8]) -> String {
        guard let message = try? ClientMessage(parsing: bytes) else { return "nonsense" }
        switch message {
        case .hello: return "> hello"
        case .command(let id, .subscribe(let session, let after)):
            return "> \(id) subscribe \(session?.rawValue ?? "all")\(after.map { " after \($0.seq)" } ?? "")"
        case .command(let id, .unsubscribe(let session)): return "> \(id) unsubscribe \(session?.rawValue ?? "all")"
        case .command(let id, let command): return "> \(id) \(command)".prefix(20).description
        }
    }

    private var prompt: ClientCommand {
        .withdraw(Fixtures.session, SteeringName(client: ClientID("c")!, command: CommandID("k")!))
    }

    private struct NotMade: Error { let id: CommandID }

    @Test("a command that cannot be made is not sent, nor when the link is up again")
    mutating func notMade() {
        comeUp()
        var isRefused = false
        do { _ = try link.submit { id in throw NotMade(id: id) } } catch { isRefused = true }
        #expect(isRefused)
        _ = link.closed(.failed("x"), jitter: 0)
        _ = link.retryDue()
        _ = link.opened()
        #expect(hear(Fixtures.welcome()).filter { $0.hasPrefix("> ") }.allSatisfy { $0.contains("subscribe") })
    }

    @Test("a command may have its own id in it, and is the same when it is sent again")
    mutating func ownID() {
        comeUp()
        let (id, orders) = link.submit {
            .withdraw(Fixtures.session, SteeringName(client: ClientID("c")!, command: CommandID("x\($0)")!))
        }
        func sent(_ orders: [RelayLink.Order]) -> [[UInt8]] {
            orders.compactMap { if case .send(let bytes) = $0 { bytes } else { nil } }
        }
        let first = sent(orders)
        #expect(first.count == 1 && String(decoding: first[0], as: UTF8.self).contains("\"x\(id)\""))
        _ = link.closed(.failed("x"), jitter: 0)
        _ = link.retryDue()
        _ = link.opened()
        #expect(sent(link.received(Fixtures.welcome().bytes)).contains(first[0]))
    }

    @Test("letters are handed on with the sender that the relay says")
    mutating func letters() {
        comeUp()
        let host = HostKeyID("c2l4dGVlbi1rZXktYnl0ZQ")!
        #expect(hear(.letter(Letter([1, 2])!, from: .host(host))) == ["letter of 2 from \(host)"])
        #expect(hear(.letter(Letter([1])!, from: .client(ClientID("phone")!))) == ["letter of 1 from phone"])
        #expect(link.client == ClientID("client-1")!)
    }

    @Test mutating func itGreetsAndSubscribes() {
        #expect(said(link.started()) == ["connect"])
        #expect(said(link.opened()) == ["> hello"])
        #expect(hear(Fixtures.events(1...1)) == [])
        #expect(hear(Fixtures.welcome()) == ["up", "> c-1 subscribe all"])
        #expect(hear(.workspaceSnapshot(sessions: [], approvals: [])) == ["workspace known"])
    }

    @Test mutating func itGoesOnFromWhereItWas() {
        comeUp()
        #expect(said(link.follow(Fixtures.session, after: nil)) == ["> c-2 subscribe sess-1"])
        #expect(hear(Fixtures.snapshot(1...5)) == ["events 1…5", "known sess-1"])
        #expect(hear(Fixtures.events(6...8)) == ["events 6…8"])
        #expect(said(link.closed(.peer(code: 4000, reason: ""), jitter: 0)) == ["down: restarting", "retry"])
        #expect(said(link.retryDue()) == ["connect"])
        #expect(said(link.opened()) == ["> hello"])
        #expect(hear(Fixtures.welcome()) == ["up again", "> c-3 subscribe all", "> c-4 subscribe sess-1 after 8"])
        #expect(hear(.workspaceSnapshot(sessions: [Fixtures.summary(seq: 10)], approvals: [])) == ["session sess-1 5→10"])
        #expect(hear(Fixtures.events(9...10)) == ["events 9…10", "caught up 2"])
        #expect(hear(Fixtures.events(11...11)) == ["events 11…11"])
    }

    @Test mutating func aHoleMakesItSubscribeAgain() {
        comeUp()
        _ = link.follow(Fixtures.session, after: Position(epoch: Fixtures.epoch, seq: 5))
        #expect(hear(Fixtures.events(7...7)) == ["> c-3 subscribe sess-1 after 5"])
        #expect(hear(Fixtures.events(6...7)) == ["events 6…7"])
    }

    @Test mutating func aCommandIsSentAgainUnderTheSameIDUntilItsReplyCame() {
        comeUp()
        let (id, orders) = link.submit(prompt)
        #expect(said(orders) == ["> \(id) \(prompt)".prefix(20).description])
        _ = link.closed(.failed("gone"), jitter: 0)
        _ = link.retryDue()
        _ = link.opened()
        #expect(hear(Fixtures.welcome()).contains("> \(id) \(prompt)".prefix(20).description))
        #expect(hear(.reply(id, .done)) == ["replied \(id)"])
        #expect(hear(.reply(id, .done)) == [])
        _ = link.closed(.failed("gone"), jitter: 0)
        _ = link.retryDue()
        _ = link.opened()
        #expect(!hear(Fixtures.welcome()).contains("> \(id) \(prompt)".prefix(20).description))
    }

    @Test mutating func aCommandFromWhileItWasDownGoesOutWhenItIsUp() {
        _ = link.started()
        let (id, orders) = link.submit(prompt)
        #expect(said(orders) == [])
        _ = link.opened()
        #expect(hear(Fixtures.welcome()).last == "> \(id) \(prompt)".prefix(20).description)
    }

    @Test mutating func whatBecameOfAPushIsTold() {
        comeUp()
        #expect(hear(.push(Array(#"{"push":1}"#.utf8))) == [#"push {"push":1}"#])
    }

    @Test mutating func whoFollowsAllSubscribesToWhatMoves() {
        link.followsAll = true
        comeUp()
        #expect(
            hear(.summary(Fixtures.summary(seq: 6))) == ["session sess-1 5→6", "> c-2 subscribe sess-1 after 5"])
        #expect(
            hear(.summary(Fixtures.summary(Fixtures.other, seq: 1)))
                == ["session sess-2 0→1", "> c-3 subscribe sess-2 after 0"])
        #expect(hear(.summary(Fixtures.summary(seq: 7))) == ["session sess-1 6→7"])
        let third = SessionID("sess-3")!
        #expect(hear(.summary(Fixtures.summary(third, seq: 5_000))).last == "> c-4 subscribe sess-3 after 4800")
    }

    @Test mutating func whoFollowsAllLetsGoOfTheQuietest() {
        link.followsAll = true
        comeUp()
        for number in 0...RelayLink.followedMax {
            let session = SessionID("s-\(number)")!
            let said = hear(.summary(Fixtures.summary(session, seq: 1) { $0.lastActivityAt = Int64(number) }))
            if number == RelayLink.followedMax { #expect(said.contains { $0.contains("unsubscribe s-0") }) }
        }
        #expect(link.followed.count == RelayLink.followedMax)
    }

    @Test mutating func aSessionThatIsNotThereIsToldAndForgotten() {
        comeUp()
        _ = link.follow(Fixtures.other, after: nil)
        #expect(
            hear(.reply(CommandID("c-2")!, .failed(.notFound, "no"))) == ["not followed sess-2: notFound"])
        #expect(link.followed.isEmpty)
    }

    @Test(arguments: [
        (LinkEnd.refused(status: 401), LinkError.Kind.unauthorised), (.refused(status: 404), .unreachable),
        (.peer(code: 4401, reason: ""), .unauthorised), (.peer(code: 4426, reason: ""), .failed),
        (.peer(code: 4499, reason: ""), .refused),
    ])
    mutating func someEndsAreFinal(_ reason: LinkEnd, _ kind: LinkError.Kind) {
        comeUp()
        #expect(said(link.closed(reason, jitter: 0)) == ["over: \(kind)"])
        #expect(link.phase == .over)
        #expect(said(link.retryDue()) == [])
    }

    @Test(arguments: [
        LinkEnd.refused(status: 503), .peer(code: 1001, reason: ""), .peer(code: 4008, reason: ""), .timedOut,
        .failed("reset"), .peer(code: nil, reason: ""),
    ])
    mutating func otherEndsAreComeBackFrom(_ reason: LinkEnd) {
        comeUp()
        #expect(said(link.closed(reason, jitter: 0)).last == "retry")
        #expect(link.phase == .waiting)
    }

    @Test mutating func protocolErrorsInARowAreFinal() {
        comeUp()
        for _ in 1..<ReconnectMachine.protocolErrorsMax {
            #expect(said(link.closed(.peer(code: 1002, reason: ""), jitter: 0)).last == "retry")
            _ = link.retryDue()
        }
        #expect(said(link.closed(.peer(code: 1002, reason: ""), jitter: 0)) == ["over: failed"])
    }

    @Test mutating func tooManyWaitsAsLongAsItIsTold() {
        comeUp()
        let orders = link.closed(.peer(code: 4029, reason: "too many: 17 seconds"), jitter: 0)
        guard case .retry(let wait) = orders.last else { return #expect(Bool(false), "no retry") }
        #expect(wait == .seconds(17))
    }

    @Test mutating func aRefusalWaitsAsLongAsItSays() {
        comeUp()
        let orders = link.closed(.refused(status: 429, retryAfter: .seconds(3)), jitter: 0)
        guard case .retry(let wait) = orders.last else { return #expect(Bool(false), "no retry") }
        #expect(wait == .seconds(3))
    }

    @Test mutating func anUnknownMessageIsPassedOverAndABrokenOneIsSaid() {
        comeUp()
        #expect(said(link.received(Array(#"{"type":"fanfare"}"#.utf8))) == [])
        #expect(said(link.received(Array("{".utf8))) == ["notice badJSON"])
    }
}
