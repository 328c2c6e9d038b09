import RelayCore
package import RelayProtocol

/// The peers of a workspace, shown before another person is invited into it.
extension Administration {
    package struct Residents {
        fileprivate var hosts: [String] = []
        fileprivate var clients: [String] = []
        /// Pairing codes that may still be used.
        fileprivate var codes = 0

        package init() {}

        package var isEmpty: Bool { hosts.isEmpty && clients.isEmpty && codes == 0 }

        /// Names shown; further ones are only counted.
        private static let namesMax = 3

        /// `1 host (laptop) and 2 clients (Ada's phone, Ada's browser)`
        package var sentence: String {
            let open = codes == 0 ? nil : "\(codes) open code\(codes == 1 ? "" : "s")"
            return [Self.counted(hosts, "host"), Self.counted(clients, "client"), open].compactMap(\.self)
                .joined(separator: " and ")
        }

        private static func counted(_ names: [String], _ what: String) -> String? {
            guard !names.isEmpty else { return nil }
            let shown = names.prefix(namesMax).map(VisibleText.line).joined(separator: ", ")
            return "\(names.count) \(what)\(names.count == 1 ? "" : "s") (\(shown)\(names.count > namesMax ? ", …" : ""))"
        }
    }

    package func residents(of workspace: Named<WorkspaceTag>) throws -> Residents {
        var residents = Residents()
        for token in try store.credentials.tokens(of: workspace.id) where token.revokedAt == nil {
            if token.role == .host { residents.hosts.append(token.name) } else { residents.clients.append(token.name) }
        }
        residents.codes = try store.credentials.openPairingCodes(at: WallClock.milliseconds)
            .count { $0.workspace == workspace.id }
        return residents
    }
}
