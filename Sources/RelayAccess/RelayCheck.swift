internal import Glibc
internal import RelayProtocol

/// Checks that a relay can be reached from here, accepts our token, and has the same time.
package enum RelayCheck {
    /// Greatest tolerated difference of the clocks, in milliseconds: beyond it, times on cards and ages of codes are wrong.
    static let clockDriftMax: Int64 = 5_000

    /// `how`: the command that pairs this machine again.
    package static func findings(
        _ relay: RelayAddress, token: String, certificateAuthorityFile: String?, now: Int64, how: String
    ) -> [Finding] {
        let exchange = HTTPExchange(
            relay: relay, method: .get, path: ProtocolVersion.mePath, bearer: token,
            certificateAuthorityFile: certificateAuthorityFile)
        do throws(HTTPError) {
            let proxy = try exchange.proxies.proxy(for: relay)
            let answer = try exchange.perform()
            let reached = Finding("Relay", .well, "\(relay) can be reached" + (proxy.map { " through the proxy \($0)" } ?? ""))
            switch answer.status {
            case 200:
                let link = link(LinkProbe(relay: relay, certificateAuthorityFile: certificateAuthorityFile))
                return [reached, link] + self.findings(in: answer.body, now: now)
            case 401:
                let isRemoved = PairingRequest.notice(in: answer)?.code == Notice.workspaceRemoved
                let text =
                    isRemoved
                    ? "the relay removed this machine's workspace: its operator did, or nobody had used it for too long"
                    : "the relay does not know this machine's token (any more)"
                return [reached, Finding("Pairing", .wrong, text, mend: how)]
            default:
                return [
                    Finding(
                        "Relay", .wrong, "\(relay) answers with \(answer.status): it is no relay, or a proxy is in the way",
                        mend: "look at the address, and at the proxy in front of the relay")
                ]
            }
        } catch {
            return [Finding("Relay", .wrong, "\(relay) cannot be reached: \(error.message)", mend: advice(error, relay))]
        }
    }

    private static func link(_ probe: LinkProbe) -> Finding {
        do throws(HTTPError) {
            try probe.perform()
            return Finding("Link", .well, "a WebSocket comes through")
        } catch {
            return Finding(
                "Link", .wrong, "requests come through and the link does not: \(error.message)",
                mend: advice(error, probe.relay))
        }
    }

    static func findings(in body: [UInt8], now: Int64) -> [Finding] {
        do throws(WireError) {
            let identity = try Identity(parsing: body)
            let apart = now - identity.at
            let (software, name) = (VisibleText.line(identity.software), VisibleText.line(identity.holder.name))
            let pairing = Finding("Pairing", .well, "the relay (\(software)) knows it as \(name)")
            guard abs(apart) > clockDriftMax else { return [pairing, Finding("Clock", .well, "it agrees with the relay's")] }
            return [
                pairing,
                Finding(
                    "Clock", .doubtful, "it is \(abs(apart) / 1_000) s \(apart > 0 ? "ahead of" : "behind") the relay's",
                    mend: "set both by the network: timedatectl set-ntp true"),
            ]
        } catch {
            return [
                Finding(
                    "Relay", .doubtful, "its answer is not one that this program knows: \(error.message)",
                    mend: "update the relay")
            ]
        }
    }

    private static func advice(_ fault: HTTPError, _ relay: RelayAddress) -> String {
        switch fault.code {
        case .untrusted:
            return "trust its authority with `heliograph host --ca-file FILE`, or give the relay a certificate that is in date"
        case .proxy:
            return "look at HTTPS_PROXY, and name the relay in NO_PROXY if this machine reaches it without a proxy"
        case .local: return "install what is missing"
        case .badAnswer: return "look whether the relay's address is right"
        case .unreachable, .timedOut:
            return "look whether the relay runs (`heliograph doctor` there), and at firewalls between here and there"
        }
    }
}
