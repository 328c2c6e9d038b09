import Foundation

/// Address of a relay's database: `postgresql://…`, as libpq takes it.
///
/// Not secret, because settings are shown and flags are visible to everybody: the password comes by `PGPASSFILE`, or is not needed.
enum StoreAddress {
    static let takes =
        "postgresql://[USER@]HOST[:PORT][,HOST…]/DATABASE[?…], without a password: that comes from the file that $PGPASSFILE names"

    /// Nil for what is none.
    static func read(_ text: String) -> String? {
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://"), !text.contains(where: \.isWhitespace) else {
            return nil
        }
        let rest = text.drop { $0 != ":" }.dropFirst(3)
        let user = rest.contains("@") ? rest.prefix { $0 != "@" } : ""
        // libpq decodes the names of parameters, too.
        return user.contains(":") || (text.removingPercentEncoding ?? text).contains("password=") ? nil : text
    }

    /// True if a text that was refused may have been meant as an address with a password, in either spelling of libpq's.
    static func mayHavePassword(_ text: String) -> Bool {
        text.contains("@") || (text.removingPercentEncoding ?? text).lowercased().contains("password")
    }
}
