import Glibc
import HeliographClient
import HeliographQRCode
import RelayAccess

/// Shows a pairing link on a terminal.
enum PairingScreen {
    private static let advice = """
        This address works on this machine only. For a phone, give the address by which it reaches this machine: use pair
        --url https://NAME:PORT once, or serve --public-url for good (README, “Your phone”).

        """

    /// The QR code; `advice` instead if a phone could not open the link.
    static func picture(of link: String, advice: String = Self.advice) throws -> String {
        if let mark = link.firstIndex(of: "#"), RelayAddress(String(link[..<mark]))?.staysHere == true { return advice }
        let palette = Palette(isTerminal: isatty(STDOUT_FILENO) == 1, environment: .process)
        return try QRCode(text: link).terminal(coloured: palette.isColoured)
    }
}
