internal import Consent
internal import ConsentKeys
internal import Glibc
package import HeliographHook
internal import HostCore
internal import RelayAccess
internal import RelayProtocol

/// `heliograph host trust`, `devices`, `distrust` and `passkey`: requests to the daemon of this machine.
package enum TrustCall {
    /// An invitation that lets one device join, until it expires or the caller of `wait` goes away.
    package struct Invitation: Sendable, Equatable {
        /// The link's parameter `k`. This host trusts whoever has it.
        package let secret: String
        /// Time of expiry, in milliseconds since 1970.
        package let expiresAt: Int64
        package let host: String
    }

    package struct Device: Sendable, Equatable {
        package let id: String
        /// The code that both screens show.
        package let code: String
        package let name: String
    }

    /// Seconds to wait for a device; longer than an invitation lives.
    private static let waitSeconds: Int64 = 660

    package static let historyWords = SharedHistory.allCases.map(\.rawValue)

    /// Makes an invitation, which replaces an earlier one. `history`: one of `historyWords`, the part of earlier sealed content
    /// that the device may read.
    package static func invite(history: String, _ paths: HostPaths = HostPaths()) throws(HostError) -> Invitation {
        let answer = try call(.post, "/v1/trust", paths, JSONWriter.object { $0.field("history", history) })
        do throws(WireError) {
            return Invitation(
                secret: try answer.string("secret"), expiresAt: try answer.integer("expiresAt"),
                host: try answer.string("host"))
        } catch { throw other(error) }
    }

    /// Waits until the device has joined. Throws if the invitation has expired or was replaced by another.
    package static func wait(_ paths: HostPaths = HostPaths()) throws(HostError) -> Device {
        let answer = try call(.get, "/v1/trust", paths, seconds: waitSeconds)
        do throws(WireError) { return try Device(from: answer.required("device").object()) } catch { throw other(error) }
    }

    /// The devices, one line each, or the daemon's JSON.
    package static func devices(isJSON: Bool, _ paths: HostPaths = HostPaths()) throws(HostError) -> String {
        let answer = try call(.get, "/v1/devices", paths)
        if isJSON { return JSONLine.text(Array(answer.bytes)) }
        do throws(WireError) {
            var lines: [String] = []
            for entry in try answer.array("devices") {
                let device = try Device(from: entry.object())
                let state = try entry.flag("suspended") ? "  suspended: it has to be trusted again" : ""
                lines.append("\(device.code)  \(VisibleText.line(device.name))  \(device.id)\(state)")
                lines += try passkeys(entry)
            }
            let setting = try answer.string("consent")
            let remark =
                setting == ConsentSetting.signed.rawValue
                ? "Only what these devices sign reaches the agents here."
                : "Consent is open: agents here take what the relay brings. “heliograph host trust” changes that."
            let isSealed = try answer.optionalString("content") == ContentSetting.sealed.rawValue
            let reading = isSealed ? ["What the agents here say and do is sealed: these devices alone read it."] : []
            return (lines + [remark] + reading).joined(separator: "\n")
        } catch { throw other(error) }
    }

    /// Ends the trust in a device: nothing that it signs is accepted from now on. `device`: an id as `devices` lists it, or its
    /// code. Returns the device's name.
    package static func distrust(_ device: String, _ paths: HostPaths = HostPaths()) throws(HostError) -> String {
        let body = JSONWriter.object { $0.field("device", device) }
        let answer = try call(.post, "/v1/distrust", paths, body)
        do throws(WireError) { return try answer.string("name") } catch { throw other(error) }
    }

    /// Accepts the passkey with this code, for which a device asked. Returns the device's name and the address of the page.
    package static func takePasskey(
        _ code: String, _ paths: HostPaths = HostPaths()
    ) throws(HostError) -> (device: String, origin: String) {
        let answer = try call(.post, "/v1/passkey", paths, JSONWriter.object { $0.field("code", code) })
        do throws(WireError) { return (try answer.string("name"), try answer.string("origin")) } catch { throw other(error) }
    }

    private static func passkeys(_ device: JSONValue) throws(WireError) -> [String] {
        func line(_ entry: JSONValue) throws(WireError) -> String {
            guard let point = SigningPoint(text: try entry.string("sign")) else {
                throw WireError(.badValue, at: entry.path, "this is no public key")
            }
            return "\(KeyID(of: point, .openSSL).shortCode) at \(VisibleText.line(try entry.string("origin")))"
        }
        var lines: [String] = []
        if device.optional("passkeys") != nil {
            for entry in try device.array("passkeys") { lines.append("   passkey \(try line(entry.object()))") }
        }
        if let asked = device.optional("askedPasskey") {
            let code = try line(asked.object())
            lines.append("   passkey \(code) waits for your yes: heliograph host passkey \(code.prefix { $0 != " " })")
        }
        return lines
    }

    // MARK: - The daemon

    private static func call(
        _ method: HTTPExchange.Method, _ path: String, _ paths: HostPaths, _ body: [UInt8] = Array("{}".utf8),
        seconds: Int64 = 20
    ) throws(HostError) -> JSONValue {
        signal(SIGPIPE, SIG_IGN)
        guard let address = RelayAddress("unix:" + paths.socket) else {
            throw HostError(.badConfiguration, "\(paths.socket) is not a path for a socket")
        }
        var exchange = HTTPExchange(relay: address, method: method, path: path, body: method == .post ? body : [])
        exchange.seconds = seconds
        let answer: HTTPExchange.Answer
        do throws(HTTPError) { answer = try exchange.perform() } catch {
            throw HostError(.unreachable, "no host daemon answers; is `heliograph host` running?")
        }
        let root: JSONValue
        let refusal: String?
        do throws(WireError) {
            root = try JSONDocument(parsing: answer.body).root.object()
            refusal = try root.optionalString("error")
        } catch { throw other(error) }
        if let refusal { throw HostError(.refused, refusal) }
        return root
    }

    private static func other(_: WireError) -> HostError {
        HostError(.system, "the daemon's version is not this program's: restart it")
    }
}

extension TrustCall.Device {
    fileprivate init(from value: JSONValue) throws(WireError) {
        let id = try value.string("id")
        guard let key = KeyID(text: id) else { throw WireError(.badValue, at: value.path + ".id", "this is no id of a key") }
        self.init(id: id, code: key.shortCode, name: try value.string("name"))
    }
}
