import PushAPNs
import RelayProtocol

/// Our teams and keys at Apple, from `push.json`:
///
///     {"teams": [{"team": "ABCDE12345", "key": "KEYID12345", "file": "AuthKey_KEYID12345.p8",
///                 "bundles": ["org.heliograph.app"], "environments": ["production", "sandbox"]}],
///      "hosts": {"devices": {"sandbox": {"host": "localhost", "port": 8443, "address": "127.0.0.1"}}}, "authority":
/// "simulator.pem"}
///
/// | field | default | |
/// |---|---|---|
/// | `teams[].team`, `.key` | | Apple's identifiers: ten capital letters and digits |
/// | `teams[].file` | | the `.p8`; next to `push.json` unless the path is absolute |
/// | `teams[].bundles` | | the apps that this key is for; each is in one team |
/// | `teams[].broadcasts` | none | those of them for which broadcast is enabled at Apple: their cards listen to channels (iOS 18) |
/// | `teams[].environments` | both | a team may be listed twice, with a key for each |
/// | `hosts` | Apple's | for tests: by `devices`, `broadcasts`, `channels`, then by environment |
/// | `authority` | none | for tests: a certificate to trust besides the system's, PEM |
struct PushConfiguration: Equatable {
    struct Team: Equatable {
        var team: String
        var key: String
        /// The path as written in the file.
        var file: String
        var bundles: [String]
        var broadcasts: [String] = []
        var environments: [PushEnvironment]
    }

    var teams: [Team] = []
    var hosts: [APNsService: [PushEnvironment: APNsConfiguration.Host]] = [:]
    var authority: String?

    /// The team of this app; nil if there is none.
    func team(of bundle: String) -> String? { teams.first { $0.bundles.contains(bundle) }?.team }

    /// Configuration of the APNs client. Relative paths are in `folder`, where provider tokens are stored, too.
    func client(in folder: String) -> APNsConfiguration {
        func path(_ file: String) -> String { file.hasPrefix("/") ? file : "\(folder)/\(file)" }
        var keys: [String: [PushEnvironment: APNsKey]] = [:]
        for team in teams {
            for environment in team.environments {
                keys[team.team, default: [:]][environment] = APNsKey(teamID: team.team, keyID: team.key, file: path(team.file))
            }
        }
        let sorted = keys.sorted { $0.key < $1.key }
        var configuration = APNsConfiguration(teams: sorted.map { APNsTeam(teamID: $0.key, keys: $0.value) })
        configuration.hosts.merge(hosts) { apple, given in apple.merging(given) { $1 } }
        configuration.tokenFolder = folder
        configuration.authorityFile = authority.map(path)
        return configuration
    }
}

// MARK: - As JSON

extension PushConfiguration {
    static let teamsMax = 100
    static let bundlesMax = 100

    /// Throws an error with the place of a mistake; fields without meaning are also mistakes, as they were meant to have one.
    init(parsing bytes: [UInt8]) throws(WireError) {
        let root = try JSONDocument(parsing: bytes).root.object()
        try root.allow("teams", "hosts", "authority")
        for entry in try root.array("teams", countMax: Self.teamsMax) {
            let team = try Team(from: entry)
            for (index, bundle) in team.bundles.enumerated() where (self.team(of: bundle) ?? team.team) != team.team {
                throw WireError(.badValue, at: "\(entry.path).bundles[\(index)]", "this app is already in another team")
            }
            for (index, environment) in team.environments.enumerated()
            where teams.contains(where: { $0.team == team.team && $0.environments.contains(environment) }) {
                let message = "this team has a key for \(environment.rawValue) already"
                throw WireError(.badValue, at: "\(entry.path).environments[\(index)]", message)
            }
            teams.append(team)
        }
        if let hosts = root.optional("hosts") { self.hosts = try Self.hosts(from: hosts) }
        authority = try root.optionalString("authority")
    }

    private static func hosts(
        from value: JSONValue
    ) throws(WireError) -> [APNsService: [PushEnvironment: APNsConfiguration.Host]] {
        var hosts: [APNsService: [PushEnvironment: APNsConfiguration.Host]] = [:]
        for (name, entry) in try value.object().members() {
            guard let service = APNsService(rawValue: name) else {
                let words = APNsService.allCases.map(\.rawValue).joined(separator: ", ")
                throw WireError(.badValue, at: entry.path, "this is none of: \(words)")
            }
            for (name, entry) in try entry.object().members() {
                guard let environment = PushEnvironment(rawValue: name) else {
                    throw WireError(.badValue, at: entry.path, "this is neither production nor sandbox")
                }
                try entry.object().allow("host", "port", "address")
                let port = try entry.optionalInteger("port", in: 1...65_535) ?? 443
                hosts[service, default: [:]][environment] = APNsConfiguration.Host(
                    try entry.string("host"), port: UInt16(port), address: try entry.optionalString("address"))
            }
        }
        return hosts
    }

    var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.array("teams", teams.map(\.bytes))
            if !hosts.isEmpty {
                writer.object("hosts") { writer in
                    for (service, hosts) in hosts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                        let entries = hosts.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key.rawValue, $0.value) }
                        writer.raw(
                            dynamic: service.rawValue,
                            JSONWriter.object { writer in
                                for (environment, host) in entries { writer.raw(dynamic: environment, host.bytes) }
                            })
                    }
                }
            }
            writer.field("authority", authority)
        }
    }
}

extension PushConfiguration.Team {
    init(from value: JSONValue) throws(WireError) {
        try value.object().allow("team", "key", "file", "bundles", "broadcasts", "environments")
        self.init(
            team: try Self.name(value, "team"), key: try Self.name(value, "key"), file: try value.string("file"), bundles: [],
            environments: [])
        guard !file.isEmpty else { throw WireError(.badValue, at: "\(value.path).file", "a file has a name") }
        for entry in try value.array("bundles", countMax: PushConfiguration.bundlesMax) {
            let bundle = try entry.string()
            guard Self.isBundle(bundle) else {
                throw WireError(.badValue, at: entry.path, "a bundle id is letters, digits, hyphens and points")
            }
            bundles.append(bundle)
        }
        guard !bundles.isEmpty else {
            throw WireError(.badValue, at: "\(value.path).bundles", "a key that speaks for no app sends nothing")
        }
        if value.optional("broadcasts") != nil {
            for entry in try value.array("broadcasts", countMax: PushConfiguration.bundlesMax) {
                let bundle = try entry.string()
                guard bundles.contains(bundle) else {
                    throw WireError(.badValue, at: entry.path, "this is not one of the bundles next to it")
                }
                broadcasts.append(bundle)
            }
        }
        guard value.optional("environments") != nil else {
            environments = PushEnvironment.allCases
            return
        }
        for entry in try value.array("environments", countMax: PushEnvironment.allCases.count) {
            guard let environment = PushEnvironment(rawValue: try entry.string()), !environments.contains(environment) else {
                throw WireError(.badValue, at: entry.path, "this is neither production nor sandbox, or it is there twice")
            }
            environments.append(environment)
        }
        guard !environments.isEmpty else {
            throw WireError(.badValue, at: "\(value.path).environments", "a key for no environment sends nothing")
        }
    }

    /// A member with one of Apple's identifiers of teams and keys.
    private static func name(_ value: JSONValue, _ key: StaticString) throws(WireError) -> String {
        let name = try value.string(key)
        guard isAppleName(name) else {
            throw WireError(
                .badValue, at: "\(value.path).\(key)", "Apple names teams and keys by ten capital letters and digits")
        }
        return name
    }

    static func isAppleName(_ name: String) -> Bool {
        name.utf8.count == 10
            && name.utf8.allSatisfy {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }

    static func isBundle(_ bundle: String) -> Bool {
        (1...155).contains(bundle.utf8.count)
            && bundle.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789.-".unicodeScalars.contains($0))
            }
    }

    var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.field("team", team)
            writer.field("key", key)
            writer.field("file", file)
            writer.strings("bundles", bundles)
            if !broadcasts.isEmpty { writer.strings("broadcasts", broadcasts) }
            writer.strings("environments", environments.map(\.rawValue))
        }
    }
}

extension APNsConfiguration.Host {
    fileprivate var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.field("host", name)
            writer.field("port", Int64(port))
            writer.field("address", address)
        }
    }
}

extension JSONValue {
    /// Throws if this object has a member with another name.
    func allow(_ names: String...) throws(WireError) {
        for (name, value) in try members() where !names.contains(name) {
            throw WireError(
                .badValue, at: value.path, "this field has no meaning here; known are: \(names.joined(separator: ", "))")
        }
    }
}
