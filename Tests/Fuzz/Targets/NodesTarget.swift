import RelayCluster
import RelayModel

/// Messages on a link between nodes, and the machines at either end.
///
/// A message that is read is the same when it is written and read again, and the machines of both ends accept any of them: a peer that
/// was opened at the owner has a name that no other peer ever had, and an edge orders nothing for a peer that has gone.
enum NodesTarget {
    static func run(_ input: [UInt8]) {
        var reader = InputReader(input)
        switch reader.byte() {
        case UInt8(ascii: "O"): owner(Array(input.dropFirst()))
        case UInt8(ascii: "E"): edge(Array(input.dropFirst()), EdgeMachine())
        default: facts(reader)
        }
    }

    // MARK: The owner's end

    private static func owner(_ bytes: [UInt8]) {
        guard let messages = try? EdgeMessage.read(bytes) else { return }
        var writer = RecordWriter()
        for message in messages { message.write(to: &writer) }
        let written = writer.take()
        require((try? EdgeMessage.read(written)) == messages, "what an edge says changes when it is written and read")
        require(written.count <= bytes.count, "we write longer than what we read")
        check(messages)
    }

    private static func check(_ messages: [EdgeMessage]) {
        var peers = EdgePeers(link: 1)
        var (open, names): ([Int: PeerID], Set<PeerID>) = ([:], [])
        for message in messages {
            switch message {
            // A slot is made for each number below it, so that larger numbers would only test memory.
            case .open(let number, _) where number > 4_096: return
            case .open(let number, _):
                guard let name = try? peers.open(number) else {
                    require(open[number] != nil, "a free number is refused")
                    return
                }
                require(open[number] == nil && names.insert(name).inserted, "two peers have one name")
                require(RemotePeer.link(of: name.rawValue) == 1, "a peer's name is another link's")
                require(RemotePeer.number(of: name.rawValue) == number, "a peer's name has another number")
                open[number] = name
            case .closed(let number):
                guard let name = try? peers.closed(number) else { return require(open[number] == nil, "a peer cannot go") }
                require(open.removeValue(forKey: number) == name, "another peer has gone")
            case .text(let number, _), .congested(let number), .drained(let number):
                require((try? peers.peer(number)) == open[number], "a message is taken for another peer's")
            case .call(let number, _):
                let call = RemotePeer.call(link: 1, number: number)
                require(RemotePeer.link(of: call) == 1, "a request's name is another link's")
            }
        }
        require(peers.all.sorted() == open.values.sorted(), "the end of the link leaves somebody")
    }

    // MARK: The edge's end

    private static func edge(_ bytes: [UInt8], _ machine: EdgeMachine) {
        guard let messages = try? OwnerMessage.read(bytes) else { return }
        var writer = RecordWriter()
        for message in messages { message.write(to: &writer) }
        let written = writer.take()
        require((try? OwnerMessage.read(written)) == messages, "what an owner says changes when it is written and read")
        require(written.count <= bytes.count, "we write longer than what we read")
        var machine = machine
        _ = machine.handle(.linkOpened)
        for message in messages {
            require(machine.handle(.ownerSaid(message)).isEmpty, "something is done for a peer that never was")
        }
    }

    /// Peers that come, speak and go, a link that ends and opens, and what an owner may say to any of it.
    private static func facts(_ input: InputReader) {
        var reader = input
        var machine = EdgeMachine()
        var there: Set<PeerID> = []
        var next: UInt64 = 1
        let opening = PeerOpening(
            tokenDigest: Array(repeating: 7, count: 32), isHost: false, baseURL: "", peer: .local, counted: nil)
        func handle(_ fact: EdgeMachine.Fact) {
            for order in machine.handle(fact) {
                switch order {
                case .send(_, let peers): require(there.isSuperset(of: peers), "something is sent to a peer that has gone")
                case .close(let peer, _, _), .pauseReading(let peer), .resumeReading(let peer):
                    require(there.contains(peer), "something is done to a peer that has gone")
                case .dismiss(let hosts, let clients):
                    for peer in hosts + clients { there.remove(peer) }
                case .tell, .answer, .fail: break
                }
            }
            require(machine.peerCount <= there.count, "the machine knows peers that nobody has")
        }
        while !reader.isAtEnd {
            let choice = reader.byte()
            let some = there.sorted().dropFirst(Int(reader.byte()) % max(1, there.count)).first
            switch choice {
            case UInt8(ascii: "o"):
                let peer = PeerID(rawValue: next)
                next += 1
                there.insert(peer)
                handle(.peerOpened(peer, opening))
            case UInt8(ascii: "t"): if let some { handle(.peerSaid(some, [1])) }
            case UInt8(ascii: "c"):
                guard let some else { continue }
                there.remove(some)
                handle(.peerClosed(some))
            case UInt8(ascii: "u"): handle(.linkOpened)
            case UInt8(ascii: "d"): handle(.linkEnded)
            case UInt8(ascii: "g"): handle(.linkCongested)
            case UInt8(ascii: "r"): handle(.linkDrained)
            default:
                for message in (try? OwnerMessage.read(reader.bytes(8))) ?? [] { handle(.ownerSaid(message)) }
            }
        }
    }
}
