import RelayModel
import RelayProtocol
import Testing

@testable import RelayCore

@Suite("What is remembered of commands")
struct CommandsTests {
    typealias P = PartTranscript
    private let laptop = HostKey(workspace: P.home, host: HostID("laptop")!)
    private let client = ClientKey(workspace: P.home, client: ClientID("phone")!)

    private func name(_ id: String) -> CommandKey { CommandKey(client, CommandID(id)!) }

    private func request(_ id: String, _ action: SteeringAction = .prompt(.init(text: "go on")), in session: String = "s1")
        -> SteeringRequest
    {
        SteeringRequest(
            command: CommandID(id)!, session: SessionID(session)!, by: Named(id: client.client, name: "phone"), action: action)
    }

    private func ask(_ commands: inout Commands, _ id: String, of peer: PeerID, _ orders: inout Orders) -> CommandRecord? {
        commands.asked(request(id), name(id), of: peer, to: laptop, at: 5, &orders)
    }

    @Test("a prompt goes to its host when it is on disk, once, however often it was sent meanwhile")
    func once() throws {
        var commands = Commands(restoring: [])
        var orders = Orders()
        commands.connected(P.peer(1))
        commands.connected(P.peer(2))
        let record = try #require(ask(&commands, "k1", of: P.peer(1), &orders))
        #expect(ask(&commands, "k1", of: P.peer(2), &orders) == nil, "it is on its way to the disk")
        #expect(try orders.said() == [])
        let unsent = commands.committed([record], reaching: [laptop: P.peer(9)], &orders)
        #expect(unsent.isEmpty)
        #expect(try orders.said() == ["9: prompt k1", "1: reply k1", "2: reply k1"])
        #expect(commands.reply(to: name("k1"), for: request("k1")) == .forwarded(.sent))
    }

    @Test("another command under a used name is refused, before and after the first is on disk")
    func another() throws {
        var commands = Commands(restoring: [])
        var orders = Orders()
        commands.connected(P.peer(1))
        let others = [
            request("k1", .stop), request("k1", .interrupt), request("k1", .prompt(.init(text: "go back"))),
            request("k1", .prompt(.init(text: "go on", whenBusy: .refuse))), request("k1", in: "s2"),
        ]
        let record = try #require(ask(&commands, "k1", of: P.peer(1), &orders))
        for isOnDisk in [false, true] {
            if isOnDisk { _ = commands.committed([record], reaching: [laptop: P.peer(9)], &orders) }
            for other in others {
                guard case .failed(let notice, nil) = commands.reply(to: name("k1"), for: other) else {
                    Issue.record("\(other.action) passed for a prompt")
                    continue
                }
                #expect(notice.code == "badValue" && notice.path == "$.id")
            }
            #expect(commands.reply(to: name("k1"), for: request("k1")) == (isOnDisk ? .forwarded(.sent) : nil))
        }
    }

    @Test("a host that has gone meanwhile gets nothing, and whoever asked hears so")
    func gone() throws {
        var commands = Commands(restoring: [])
        var orders = Orders()
        commands.connected(P.peer(1))
        let record = try #require(ask(&commands, "k1", of: P.peer(1), &orders))
        let unsent = commands.committed([record], reaching: [:], &orders)
        #expect(unsent.map(\.request.command) == [CommandID("k1")!])
        #expect(try orders.said() == ["1: reply k1 unavailable"])
    }

    @Test("of a day's commands one client leaves some to others, and what the disk does not take counts for nothing")
    func counted() throws {
        var quotas = Quotas()
        (quotas.commandsPerDayPerClient, quotas.commandsPerDayPerWorkspace) = (2, 3)
        let record = CommandRecord(workspace: P.home, client: client.client, command: CommandID("k0")!, at: 5)
        var commands = Commands(restoring: [record], quotas)
        var orders = Orders()
        commands.connected(P.peer(1))
        let lost = try #require(ask(&commands, "k1", of: P.peer(1), &orders))
        #expect(ask(&commands, "k2", of: P.peer(1), &orders) == nil)
        #expect(ask(&commands, "k1", of: P.peer(1), &orders) == nil, "the same again is no other")
        commands.lost([lost], "full", &orders)
        #expect(
            try orders.said() == [
                "quota commandsPerDayPerClient", "1: reply k2 tooMany", "1: reply k1 unavailable", "1: reply k1 unavailable",
            ])
        #expect(ask(&commands, "k3", of: P.peer(1), &orders) != nil)
        let tablet = ClientKey(workspace: P.home, client: ClientID("tablet")!)
        for (id, isTaken) in [("t1", true), ("t2", false)] {
            let name = CommandKey(tablet, CommandID(id)!)
            #expect((commands.asked(request(id), name, of: P.peer(1), to: laptop, at: 5, &orders) != nil) == isTaken)
        }
        #expect(try orders.said() == ["quota commandsPerDayPerWorkspace", "1: reply t2 tooMany"])
        #expect(commands.forget(before: 6) == true)
        var census = RelayCensus()
        commands.count(into: &census)
        #expect(census.breach == nil)
    }

    @Test("after a restart nobody knows whether it took effect, and it is not sent again")
    func restart() throws {
        let record = CommandRecord(workspace: P.home, client: client.client, command: CommandID("k1")!, at: 5)
        var commands = Commands(restoring: [record])
        #expect(commands.reply(to: name("k1"), for: request("k1")) == .forwarded(.unknown))
        #expect(commands.forget(before: 5) == false)
        #expect(commands.forget(before: 6) == true)
        #expect(commands.reply(to: name("k1"), for: request("k1")) == nil)
    }

    @Test("one client has so many commands waiting; what is answered makes room")
    func bound() throws {
        var commands = Commands(restoring: [])
        var orders = Orders()
        commands.connected(P.peer(1))
        let records = (1...Limits.waitingCommandsMax).compactMap { ask(&commands, "k\($0)", of: P.peer(1), &orders) }
        #expect(records.count == Limits.waitingCommandsMax && !commands.hasRoom(for: P.peer(1)))
        #expect(ask(&commands, "more", of: P.peer(1), &orders) == nil)
        #expect(try orders.said() == ["1: reply more tooMany"])
        commands.lost(records, "no space", &orders)
        #expect(commands.hasRoom(for: P.peer(1)))
        #expect(try orders.said().count == records.count)
    }
}
