import Foundation
import HeliographServer
import RelayCore
import RelayProtocol

/// A token in one line of a terminal.
enum TokenLine {
    /// `workspace`: its name, if there are several. `isUseKnown`: the running relay has reported who is connected, or none runs.
    static func text(_ entry: TokenRoster.Entry, in workspace: String? = nil, isUseKnown: Bool = true) -> String {
        let token = entry.token
        var parts = [token.id, token.kind.rawValue, token.role.rawValue, time(token.createdAt), VisibleText.line(token.name)]
        if let workspace { parts.append("in \(VisibleText.line(workspace))") }
        if let parent = entry.parent {
            parts.append("by \(VisibleText.line(parent.name)) (\(parent.id)\(parent.revokedAt == nil ? "" : ", revoked"))")
        }
        if token.revokedAt != nil {
            parts.append("revoked")
        } else if token.kind == .unsure {
            parts.append("has to be paired again")
        } else if entry.connections > 0 {
            parts.append("connected now" + from(entry))
        } else {
            let known = entry.lastUse.map { "last used \(time($0.at))\(from(entry))\(isUseKnown ? "" : ", or later")" }
            parts.append(known ?? (isUseKnown ? "never used" : "last use not known"))
        }
        return parts.joined(separator: "  ")
    }

    private static func from(_ entry: TokenRoster.Entry) -> String {
        entry.lastUse?.from.map { " from \(VisibleText.line($0))" } ?? ""
    }

    static func time(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(.iso8601)
    }
}
