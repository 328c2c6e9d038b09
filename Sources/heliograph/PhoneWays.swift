import HeliographHost
import RelayAccess

/// Commands that give this machine's relay an address for phones; those whose programs are installed come first.
struct PhoneWays {
    let sentences: [String]

    var advice: String { (["A phone needs an address that it can reach, by HTTPS:"] + sentences).joined(separator: "\n  ") }

    /// `folder`: the relay's data.
    init(address: RelayAddress?, folder: String) {
        let relay = (try? BackgroundRecord.load())?.part(.relay)
        self.init(address: address, isUp: relay?.value(of: "--data") == folder)
    }

    /// `address`: the relay's address on this machine. `isUp`: it was set up by `heliograph up`.
    init(address: RelayAddress?, isUp: Bool) {
        var port: UInt16 = 8787
        if case .tcp(_, let known, _)? = address?.target { port = known }
        let start = "\(Executable.shown) \(isUp ? "up" : "serve")"
        var ways: [String] = []
        if Tailnet.isInstalled {
            ways.append(
                isUp
                    ? "\(start) --tailscale, for the devices of your tailnet"
                    : "\(Tailnet.command(port: port)), then \(start) --public-url with the address that it prints")
        }
        if InstalledProgram.path(of: "cloudflared") != nil {
            ways.append(
                "cloudflared tunnel --url http://127.0.0.1:\(port), then \(start) --public-url with the address that it prints: another one at each start"
            )
        }
        sentences = ways + ["\(start) --public-url https://NAME, behind a proxy such as Caddy (README, “Your phone”)"]
    }
}
