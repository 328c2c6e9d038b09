import Glibc
import HeliographClient
import HeliographQRCode
import RelayAccess

/// Shows a pairing link on a terminal.
enum PairingScreen {
    /// The QR code. If a phone could not open the link, what gives the relay an address for phones instead.
    /// `folder`: the relay's data; nil leaves the ways out.
    static func picture(of link: String, folder: String? = DataOption.standard) throws -> String {
        if let mark = link.firstIndex(of: "#"), let relay = RelayAddress(String(link[..<mark])), relay.staysHere {
            guard let folder else { return "" }
            return "This address works on this machine only. \(PhoneWays(address: relay, folder: folder).advice)\n"
        }
        let palette = Palette(isTerminal: isatty(STDOUT_FILENO) == 1, environment: .process)
        return try QRCode(text: link).terminal(coloured: palette.isColoured)
    }
}
