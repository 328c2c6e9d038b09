package import RelayProtocol

/// Redeems a pairing code for a token: `POST RELAY/v1/pair`. Blocks; for a command, not for a daemon.
///
/// Over TLS it asks `curl`, which is everywhere and knows the system's authorities; the code goes through its standard input,
/// where no list of processes shows it. Without TLS it speaks HTTP itself, and to this machine only.
package struct PairingRequest: Sendable {
    package struct Grant: Sendable, Equatable {
        package var token: String
        package var role: PairingRole
        package var name: String
    }

    package var relay: RelayAddress
    package var code: String
    package var name: String
    package var certificateAuthorityFile: String?

    static let timeoutSeconds = 30
    static let responseBytesMax = 64 << 10

    package init(relay: RelayAddress, code: String, name: String, certificateAuthorityFile: String? = nil) {
        self.relay = relay
        self.code = code
        self.name = name
        self.certificateAuthorityFile = certificateAuthorityFile
    }

    package func redeem() throws(HostError) -> Grant {
        let body = JSONWriter.object {
            $0.field("code", code)
            $0.field("name", name)
        }
        let response: (status: Int, body: [UInt8])
        if relay.isTLS {
            response = try CurlPost(url: relay.url + ProtocolVersion.pairPath, authority: certificateAuthorityFile).send(body)
        } else {
            guard relay.isLoopback else {
                throw HostError(.pairing, "\(relay.url) has no TLS: a token would go over the network for all to read")
            }
            response = try PlainPost(host: relay.host, port: relay.port, path: relay.basePath + ProtocolVersion.pairPath).send(
                body)
        }
        return try Self.grant(response.status, response.body)
    }

    static func grant(_ status: Int, _ body: [UInt8]) throws(HostError) -> Grant {
        switch status {
        case 200..<300: break
        case 400..<500:
            throw HostError(
                .pairing, "the relay refused the code (\(status)): it is good once, for ten minutes; ask for another")
        default: throw HostError(.pairing, "the relay answered \(status)")
        }
        do {
            let value = try JSONDocument(parsing: body).root.object()
            return Grant(
                token: try value.string("token", bytesMax: 4096), role: try value.word("role"),
                name: try value.string("name", bytesMax: WireLimits.nameBytesMax))
        } catch { throw HostError(.pairing, "what answered is not a relay of ours") }
    }
}
