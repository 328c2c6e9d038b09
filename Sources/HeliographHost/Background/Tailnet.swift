internal import RelayAccess
internal import RelayProtocol

/// This machine's HTTPS address in its tailnet. The program `tailscale` (1.52 or later) serves it and gets the certificate by
/// itself.
package struct Tailnet: Equatable, Sendable {
    /// `https://NAME`
    package let address: String
    private let name: String

    private static let program = "tailscale"
    private static let answerBytesMax = 1 << 20
    private static let secondsMax: Int64 = 30

    package static var isInstalled: Bool { InstalledProgram.path(of: program) != nil }

    /// The command that serves a port of this machine's loopback, in the background and after a restart, as a person would type it.
    package static func command(port: UInt16) -> String { "\(program) serve --bg \(port)" }

    /// Throws an error that says what is to be done first.
    package init() throws(HostError) {
        guard Self.isInstalled else { throw HostError(.notStarted, "tailscale is not installed here (tailscale.com/download)") }
        try self.init(status: Self.run("status", "--json", "--peers=false"))
    }

    /// `status`: the output of `tailscale status --json`.
    init(status: [UInt8]) throws(HostError) {
        let (state, dnsName, domains) = try Self.read(status, of: "status") { root throws(WireError) in
            (
                try root.string("BackendState"), try root.optional("Self")?.optionalString("DNSName") ?? "",
                try root.optional("CertDomains")?.array() ?? []
            )
        }
        guard state == "Running" else { throw HostError(.unreachable, "tailscale does not run here: sudo tailscale up") }
        name = dnsName.last == "." ? String(dnsName.dropLast()) : dnsName
        guard !name.isEmpty, !domains.isEmpty else {
            throw HostError(
                .unreachable,
                "the tailnet gives this machine no certificate: switch on MagicDNS and HTTPS Certificates in its DNS settings"
            )
        }
        address = "https://\(name)"
    }

    // MARK: - What it serves

    /// True if the address leads to this port of this machine's loopback. Throws if it leads elsewhere.
    package func leads(to port: UInt16) throws(HostError) -> Bool {
        guard let target = try target else { return false }
        guard target == Self.target(port) else {
            throw HostError(.refused, "\(address) leads to \(target) already; tailscale serve --https=443 off ends that")
        }
        return true
    }

    /// Directs the address, which leads nowhere, to a port of this machine's loopback.
    package func lead(to port: UInt16) throws(HostError) { _ = try Self.run("serve", "--bg", "\(port)") }

    /// Ends what `lead` began; nothing if the address leads elsewhere by now.
    package func endLeading(to port: UInt16) throws(HostError) {
        guard try target == Self.target(port) else { return }
        _ = try Self.run("serve", "--https=443", "off")
    }

    /// The target of the address; nil if it has none.
    private var target: String? {
        get throws(HostError) { try target(in: Self.run("serve", "status", "--json")) }
    }

    /// `served`: the output of `tailscale serve status --json`.
    func target(in served: [UInt8]) throws(HostError) -> String? {
        try Self.read(served, of: "serve status") { root throws(WireError) -> String? in
            let sites = try root.optional("Web")?.members() ?? []
            guard let site = sites.first(where: { $0.key == "\(name):443" })?.value else { return nil }
            let handlers = try site.optional("Handlers")?.members() ?? []
            // Any other handler than a proxy at the root belongs to somebody too.
            guard let root = handlers.first(where: { $0.key == "/" }) ?? handlers.first else { return nil }
            return try root.value.optionalString("Proxy") ?? root.key
        }
    }

    private static func target(_ port: UInt16) -> String { "http://127.0.0.1:\(port)" }

    // MARK: - The program

    private static func run(_ arguments: String...) throws(HostError) -> [UInt8] {
        let result: ChildProcess.Result
        do throws(HTTPError) {
            result = try ChildProcess.run([program] + arguments, input: [], outputBytesMax: answerBytesMax, seconds: secondsMax)
        } catch { throw HostError(.notStarted, error.message) }
        guard result.exitCode == 0 else {
            let said = String(decoding: result.errors.isEmpty ? result.output : result.errors, as: UTF8.self)
            throw HostError(
                .refused,
                "\(program) \(arguments.joined(separator: " ")): \(said.split(separator: "\n").joined(separator: " "))")
        }
        return result.output
    }

    private static func read<Value>(
        _ bytes: [UInt8], of command: String, _ body: (JSONValue) throws(WireError) -> Value
    ) throws(HostError) -> Value {
        do throws(WireError) { return try body(JSONDocument(parsing: bytes).root.object()) } catch {
            throw HostError(.unreachable, "\(program) \(command) --json: \(error.path): \(error.message)")
        }
    }
}
