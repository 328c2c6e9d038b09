import Foundation
import Glibc
import HeliographPlatform
import RelayProtocol

/// The relay's settings, with their sources. A flag overrides the environment, the environment the file, and all of them the
/// default.
package struct EffectiveSettings: Sendable {
    package enum Source: Sendable, Equatable, CustomStringConvertible {
        case standard
        case file(String)
        case variable(String)
        case flag(String)

        package var description: String {
            switch self {
            case .standard: "default"
            case .file(let path): path
            case .variable(let name): "$\(name)"
            case .flag(let flag): flag
            }
        }
    }

    package struct Entry: Sendable {
        package let setting: Setting
        /// The value as text; nil: no value, as some defaults.
        package let text: String?
        package let source: Source
    }

    /// One for each setting, in the settings' order.
    package let entries: [Entry]
    package let configuration: ServerConfiguration

    /// Name of the file in the data directory.
    package static let fileName = "relay.json"
    /// Limit of a settings file; a longer one is another kind of file.
    private static let bytesMax = 1 << 20

    /// `flags`: those that were given, by key. `environment`: the whole environment; an unknown name is an error only if it looks
    /// like a misspelled one of ours. `file` is read if given, else `relay.json` if there is one.
    package init(
        dataDirectory: String, flags: [String: String], environment: [String: String], file: String? = nil
    ) throws(ServerError) {
        let variables = try Self.variables(in: environment)
        let path = file ?? "\(dataDirectory)/\(Self.fileName)"
        let written = try Self.read(path, isRequired: file != nil)
        var configuration = ServerConfiguration(dataDirectory: dataDirectory)
        var entries: [Entry] = []
        for setting in Settings.all {
            let given: (text: String, source: Source)? =
                if let text = flags[setting.key] {
                    (text, .flag(setting.flag))
                } else if let text = variables[setting.key] {
                    (text, .variable(setting.variable))
                } else if let text = written[setting.key] {
                    (text, .file(path))
                } else {
                    nil
                }
            if let given {
                do throws(SettingValueError) {
                    try setting.apply(given.text, &configuration)
                } catch {
                    throw ServerError(
                        .settings,
                        "\(given.source): \(setting.key) takes \(error.takes), not \(Self.shown(given.text, of: setting))")
                }
                configuration.sources[setting.key] = given.source.description
            }
            entries.append(
                Entry(setting: setting, text: setting.text(configuration), source: given?.source ?? .standard))
        }
        self.entries = entries
        self.configuration = configuration
        try checkTogether()
    }

    /// A refused value as it may be logged and shown.
    private static func shown(_ text: String, of setting: Setting) -> String {
        setting.key == "store" && StoreAddress.mayHavePassword(text)
            ? "what it says, which is not shown as it may have a password" : text.debugDescription
    }

    private func checkTogether() throws(ServerError) {
        guard (configuration.tlsCertificate == nil) == (configuration.tlsKey == nil) else {
            let given = entries.first { $0.text != nil && $0.setting.key.hasPrefix("tls") }
            throw ServerError(
                .settings,
                "\(given?.source ?? .standard): tlsCertificate (\(Settings.named("tlsCertificate").flag)) and tlsKey (\(Settings.named("tlsKey").flag)) go together"
            )
        }
        try checkNode()
    }

    private func checkNode() throws(ServerError) {
        func refuse(_ key: String, _ sentence: String) throws(ServerError) {
            guard let given = entries.first(where: { $0.setting.key == key && $0.text != nil }) else { return }
            throw ServerError(.settings, "\(given.source): \(key) (\(given.setting.flag)) \(sentence)")
        }
        if configuration.store == nil {
            try refuse("advertise", "is for relays on one database: it goes with \(Settings.named("store").flag)")
        }
        if configuration.advertise == nil {
            for key in ["node", "advertiseAuthority"] {
                try refuse(key, "goes with \(Settings.named("advertise").flag)")
            }
        } else if configuration.expectsProxyHeader {
            try refuse(
                "advertise",
                "does not go with \(Settings.named("proxyProtocol").flag): other relays come without a PROXY header; let the proxy write \(Settings.named("proxyHeader").flag) instead"
            )
        }
    }

    // MARK: - Their places

    private static func variables(in environment: [String: String]) throws(ServerError) -> [String: String] {
        var found: [String: String] = [:]
        let names = Settings.all.map(\.variable)
        for (name, text) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix(Setting.prefix) && !text.isEmpty {
            if let setting = Settings.all.first(where: { $0.variable == name }) {
                found[setting.key] = text
            } else if let near = Spelling.nearest(to: name, in: names, distanceMax: 2) {
                throw ServerError(.settings, "$\(name) is no setting; did you mean $\(near)?")
            }
        }
        return found
    }

    private static func read(_ path: String, isRequired: Bool) throws(ServerError) -> [String: String] {
        // A file that cannot be accessed is not treated as missing: its settings would be ignored silently.
        if !isRequired, unsafe access(path, F_OK) != 0, errno == ENOENT { return [:] }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ServerError(.settings, "\(path) cannot be read")
        }
        guard data.count <= bytesMax else { throw ServerError(.settings, "\(path) is longer than \(bytesMax) bytes") }
        do throws(WireError) {
            var found: [String: String] = [:]
            try collect(try JSONDocument(parsing: Array(data)).root.object(), below: "", into: &found)
            return found
        } catch {
            throw ServerError(.settings, "\(path), \(error.path): \(error.message)")
        }
    }

    private static func collect(_ value: JSONValue, below prefix: String, into found: inout [String: String]) throws(WireError)
    {
        for (name, value) in try value.members() {
            let key = prefix + name
            if Settings.all.contains(where: { $0.key == key }) {
                found[key] = try text(of: value)
            } else if value.isObject, Settings.all.contains(where: { $0.key.hasPrefix("\(key).") }) {
                try collect(value, below: "\(key).", into: &found)
            } else {
                let near = Spelling.nearest(to: key, in: Settings.all.map(\.key), distanceMax: max(2, key.count / 3))
                throw WireError(
                    .badValue, at: value.path,
                    "there is no setting \(VisibleText.line(key))\(near.map { "; did you mean \($0)?" } ?? "")")
            }
        }
    }

    private static func text(of value: JSONValue) throws(WireError) -> String {
        switch value.bytes.first ?? 0 {
        case UInt8(ascii: "\""): try value.string()
        case UInt8(ascii: "t"), UInt8(ascii: "f"): try value.bool() ? "true" : "false"
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): String(try value.integer())
        default: throw value.wrongType("a text, a number, true or false")
        }
    }
}
