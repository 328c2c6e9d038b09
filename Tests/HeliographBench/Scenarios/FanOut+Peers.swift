/// The same load against other servers, which store nothing and number nothing: one session, at most one delivery each.
extension FanOut {
    func openedOtherMake(_ link: Link) throws(BenchError) {
        switch target.dialect {
        case .heliograph: preconditionFailure("this one says hello")
        case .plain: subscribed(link)
        // The server sends first.
        case .nats: break
        case .mqtt:
            let name = Array("bench-\(link.name)".utf8)
            // MQTT 3.1.1, a clean session, no keep-alive.
            let body = [0, 4] + Array("MQTT".utf8) + [4, 2, 0, 0, 0, UInt8(name.count)] + name
            link.queue([0x10, UInt8(body.count)] + body, opcode: .binary)
            try driver.flush(link)
        }
    }

    func took(_ item: PeerStream.Item, on link: Link) throws(BenchError) {
        switch (item, target.dialect) {
        case (.granted, _): subscribed(link)
        case (.ping, _): link.queue(Array("PONG\r\n".utf8), opcode: .binary)
        case (.greeting, .nats):
            let subscribe = link.role == .client ? "SUB bench 1\r\n" : ""
            link.queue(Array("CONNECT {\"verbose\":false}\r\n\(subscribe)PING\r\n".utf8), opcode: .binary)
        case (.greeting, _):
            guard link.role == .client else { return subscribed(link) }
            // Packet 1: the topic, quality of service 0.
            link.queue([0x82, 10, 0, 1, 0, 5] + Array("bench".utf8) + [0], opcode: .binary)
        case (.event, _): preconditionFailure("events are looked at in place")
        }
        try driver.flush(link)
    }

    func queueForOtherMake(_ count: Int64, of index: Int) {
        let numbers = sessions[index].next..<sessions[index].next + count
        sessions[index].next += count
        for number in numbers {
            var event: [UInt8] = []
            template.append(number, to: &event)
            switch target.dialect {
            case .heliograph, .plain: hosts[0].queue(event)
            case .nats: hosts[0].queue(Array("PUB bench \(event.count)\r\n".utf8) + event + [13, 10], opcode: .binary)
            case .mqtt:
                var packet: [UInt8] = [0x30]
                var length = event.count + 7
                repeat {
                    packet.append(UInt8(length & 0x7F) | (length > 0x7F ? 0x80 : 0))
                    length >>= 7
                } while length > 0
                hosts[0].queue(packet + [0, 5] + Array("bench".utf8) + event, opcode: .binary)
            }
        }
    }

    private func subscribed(_ link: Link) {
        if link.role == .host { becameReady() } else { becameLevel() }
    }
}
