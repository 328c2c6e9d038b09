import HeliographPlatform
import PushWeb
import RelayAccess
import RelayProtocol

/// The path of a phone's request to the relay, checked from this machine up to the first obstacle.
struct PhoneDoctor {
    let configuration: ServerConfiguration
    /// Commands that set the relay's address, for the remedy.
    let ways: [String]
    /// The relay's data.
    let folder: String

    private static let seconds: Int64 = 10
    /// Limit of the page: with its modules it has a few hundred kilobytes.
    private static let pageBytesMax = 4 << 20

    /// Blocks for a minute at most.
    func findings() -> [Finding] {
        let (address, first) = address
        var findings = [first]
        guard let address else { return findings }
        for look in [name, relay, page, socket] where findings.last?.state != .wrong { findings.append(look(address)) }
        if findings.last?.state != .wrong { findings.append(WebPushDoctor.ways) }
        return findings
    }

    // MARK: - Steps

    private var address: (RelayAddress?, Finding) {
        let subject = "Address"
        let mend = ways.joined(separator: "; or ")
        guard let url = configuration.publicURL else {
            let text = "the relay has none that a phone could use: it was started without --public-url"
            return (nil, Finding(subject, .wrong, text, mend: mend))
        }
        guard let address = RelayAddress(url) else {
            return (nil, Finding(subject, .wrong, "\(url) is no address", mend: "--public-url https://relay.example"))
        }
        guard !address.staysHere else { return (nil, Finding(subject, .wrong, "\(url) leads a phone to itself", mend: mend)) }
        guard case .tcp(_, _, true) = address.target else {
            let text = "\(url) is not https: a phone's browser keeps no keys and shows no notifications there"
            return (nil, Finding(subject, .wrong, text, mend: mend))
        }
        return (address, Finding(subject, .well, url))
    }

    private func name(_ relay: RelayAddress) -> Finding {
        let subject = "Name"
        guard case .tcp(let host, _, _) = relay.target else { preconditionFailure("the address is one of HTTPS") }
        if let proxy = try? ProxySettings.environment.proxy(for: relay) {
            return Finding(subject, .well, "\(host), which the proxy \(proxy) looks up")
        }
        let addresses = Resolver.addresses(of: host)
        guard let shown = addresses.first else {
            return Finding(
                subject, .wrong, "DNS has no entry for \(host)", mend: "make an entry in DNS for it, or look for a misspelling")
        }
        if addresses.allSatisfy(Loopback.contains) {
            return Finding(
                subject, .doubtful, "\(host) is \(shown) here, which is this machine alone",
                mend: "look it up from another machine, too")
        }
        if addresses.contains(where: PublicAddress.contains) { return Finding(subject, .well, "\(host) is \(shown)") }
        return Finding(
            subject, .doubtful, "\(host) is \(shown): only phones in the same network, or in the same VPN, can reach it",
            mend: "nothing, if your phone is in it when you are away")
    }

    private func relay(_ relay: RelayAddress) -> Finding {
        do throws(HTTPError) {
            let answer = try exchange(relay, ProtocolVersion.mePath).perform()
            guard answer.status == 401 else {
                return Finding(
                    "Relay behind it", .wrong, "\(relay) answers with \(answer.status), which no relay does",
                    mend: "let the proxy forward every path to the relay, \(configuration.host):\(configuration.port)")
            }
            return try isThisRelay(relay)
                ? Finding("Relay behind it", .well, "it answers, and its certificate is trusted")
                : Finding(
                    "Relay behind it", configuration.store == nil ? .wrong : .doubtful,
                    "\(relay) leads to another relay than the one in \(folder)",
                    mend: configuration.store == nil
                        ? "let the proxy lead to \(configuration.host):\(configuration.port)"
                        : "nothing, if it is another node of the same database")
        } catch {
            switch error.code {
            case .untrusted:
                return Finding(
                    "Certificate", .wrong, error.message,
                    mend: "use one of a public authority, with its whole chain, for this name: Caddy gets one by itself")
            default:
                return Finding(
                    "Connection", .wrong, "\(relay) cannot be reached from here: \(error.message)",
                    mend: "look at the proxy and the firewall; some networks cannot reach themselves from inside")
            }
        }
    }

    /// True if the relay that answers at the address is the one whose data is here, as far as that one can be asked.
    private func isThisRelay(_ relay: RelayAddress) throws(HTTPError) -> Bool {
        guard let secret = try? AdminSocket(in: folder).body(of: AdminPath.way) else { return true }
        return try exchange(relay, WayMark.path + String(decoding: secret, as: UTF8.self)).perform().status == 200
    }

    private func page(_ relay: RelayAddress) -> Finding {
        do throws(HTTPError) {
            let answer = try exchange(relay, "/").perform()
            return answer.status == 200
                ? Finding("Page", .well, "it comes")
                : Finding(
                    "Page", .wrong, "\(relay)/ answers with \(answer.status)",
                    mend: "let the proxy forward / as it is, without a login of its own")
        } catch {
            return Finding("Page", .wrong, error.message, mend: "let the proxy forward / as it is")
        }
    }

    /// Tests an upgrade without a token, which a relay refuses in any case: for the page's origin if it is not the relay's own,
    /// else for the token.
    private func socket(_ relay: RelayAddress) -> Finding {
        let subject = "WebSocket"
        var upgrade = exchange(relay, ProtocolVersion.clientPath)
        upgrade.subprotocol = ProtocolVersion.subprotocol
        upgrade.origin = relay.description
        do throws(HTTPError) {
            switch try upgrade.perform().status {
            case 401: return Finding(subject, .well, "it comes through, from the page of this address")
            case 403:
                return Finding(
                    subject, .wrong, "\(relay) leads to a relay that does not know this address for its own",
                    mend: "look where the proxy leads, and restart that relay with --public-url \(relay)")
            case let status:
                return Finding(
                    subject, .wrong, "it is answered with \(status): what is in between does not forward WebSockets",
                    mend: "let the proxy forward Upgrade and Connection (deploy/nginx, deploy/caddy)")
            }
        } catch {
            return Finding(
                subject, .wrong, error.message, mend: "let the proxy forward WebSockets (deploy/nginx, deploy/caddy)")
        }
    }

    private func exchange(_ relay: RelayAddress, _ path: String) -> HTTPExchange {
        var exchange = HTTPExchange(relay: relay, method: .get, path: path)
        exchange.seconds = Self.seconds
        exchange.answerBytesMax = Self.pageBytesMax
        return exchange
    }
}
