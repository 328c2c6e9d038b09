import Foundation

/// Address of a relay's database: `postgresql://…`, as libpq accepts it.
///
/// It must not be secret, because settings are shown and flags are visible to everybody: the password is read through `PGPASSFILE`,
/// or is not needed.
enum StoreAddress {
    static let takes =
        "postgresql://[USER@]HOST[:PORT][,HOST…]/DATABASE[?…], without a password: that comes from the file that $PGPASSFILE names"

    /// Nil if the text is not such an address.
    static func read(_ text: String) -> String? {
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://"), !text.contains(where: \.isWhitespace) else {
            return nil
        }
        let rest = text.drop { $0 != ":" }.dropFirst(3)
        let user = rest.contains("@") ? rest.prefix { $0 != "@" } : ""
        // libpq decodes the names of parameters, too.
        return user.contains(":") || (text.removingPercentEncoding ?? text).contains("password=") ? nil : text
    }

    /// True if a refused text may be an address with a password, in either of libpq's forms.
    static func mayHavePassword(_ text: String) -> Bool {
        text.contains("@") || (text.removingPercentEncoding ?? text).lowercased().contains("password")
    }
}
