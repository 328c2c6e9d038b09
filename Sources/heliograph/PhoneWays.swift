import HeliographHost
import RelayAccess

/// Commands that give this machine's relay an address for phones; those whose programs are installed come first.
struct PhoneWays {
    let sentences: [String]

    var advice: String { (["A phone needs an address that it can reach, by HTTPS:"] + sentences).joined(separator: "\n  ") }

    /// `address`: the relay's on this machine. `folder`: the relay's data.
    init(address: RelayAddress?, folder: String) {
        let isUp = (try? BackgroundRecord.load())?.part(.relay)?.value(of: "--data") == folder
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
