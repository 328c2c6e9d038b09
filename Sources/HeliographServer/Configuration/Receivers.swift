import Foundation
import Glibc
import PushWeb
import RelayProtocol

/// Programs and webhooks that get pushes, each by its name, from the file of the setting `receivers`:
///
///     {"receivers": [{"name": "mail", "program": ["/usr/local/bin/mail-push", "relay@example.org", "ada@example.org"],
///                     "environment": {"SMTP_HOST": "localhost"}, "inherits": ["HOME"], "seconds": 20, "workspaces": ["default"]},
///                    {"name": "chat", "url": "https://chat.example/hooks/a1b2", "secret": "whsec_…"}]}
///
/// | field | default | |
/// |---|---|---|
/// | `name` | | 1 to 32 lower-case letters, digits and hyphens: what `heliograph devices add` takes |
/// | `workspaces` | `["default"]` | ids of the workspaces that may use it |
/// | `program` | | path and arguments; run without a shell |
/// | `environment` | none | the program's environment variables |
/// | `inherits` | none | names of variables that it gets from the relay's environment in addition |
/// | `seconds` | 20 | time limit, after which it is killed with all that it has started |
/// | `url`, `secret` | | instead of a program a webhook, and the key that signs its requests: `whsec_` and 24 to 64 bytes in base64
/// |
/// | `address` | none | for a webhook in the own network, or without TLS: the IP address of its host |
struct Receivers: Sendable, Equatable {
    struct Program: Sendable, Equatable {
        /// Path and arguments; `[0]` is an absolute path.
        var command: [String]
        var environment: [String: String]
        /// Names of variables that are copied from the relay's environment.
        var inherited: [String]
        var seconds: Int64

        /// The whole environment of its process.
        func variables(of relay: [String: String]) -> [String: String] {
            inherited.reduce(into: environment) { variables, name in variables[name] = variables[name] ?? relay[name] }
        }
    }

    struct Webhook: Sendable, Equatable {
        let endpoint: WebPushEndpoint
        let secret: WebhookSecret
        /// Set if the operator has given the host's address, which may then be in the own network.
        let added: WebPushServices.Added?
    }

    enum Way: Sendable, Equatable {
        case program(Program)
        case webhook(Webhook)
    }

    struct Entry: Sendable, Equatable {
        var name: String
        var workspaces: [WorkspaceID]
        var way: Way
    }

    let file: String
    let entries: [Entry]

    /// Limit of receivers; each has its own processes and queue.
    static let countMax = 20
    private static let workspacesMax = 1_000
    private static let wordsMax = 100
    private static let variablesMax = 100
    private static let textBytesMax = 4 << 10
    private static let secondsStandard: Int64 = 20
    /// Range of a program's time limit: a push that takes longer is useless, as a person is waited for.
    private static let secondsRange: ClosedRange<Int64> = 1...120
    /// Limit of the file; a longer one is another kind of file.
    private static let bytesMax = 1 << 20

    /// Reason why a workspace may not use this receiver, with the path in the command `device`; nil if it may.
    func fault(in receiver: Receiver, of workspace: WorkspaceID) -> WireError? {
        let names = entries.filter { $0.workspaces.contains(workspace) }.map(\.name)
        guard !names.contains(receiver.name) else { return nil }
        // Receivers of other workspaces are not mentioned.
        let known = names.isEmpty ? "it has none" : "it has: \(names.joined(separator: ", "))"
        return WireError(
            .badValue, at: "$.device.receiver.name", "the relay's operator has set up no receiver of this name here; \(known)")
    }
}

// MARK: - The file

extension Receivers {
    /// Reads the file. Throws an error that names the file and the field: better now than when an approval does not ring.
    static func read(_ given: String) throws(ServerError) -> Receivers {
        // Made absolute, as `doctor` reads it from another folder.
        let path = given.hasPrefix("/") ? given : "\(FileManager.default.currentDirectoryPath)/\(given)"
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue,
            let data = FileManager.default.contents(atPath: path)
        else { throw ServerError(.push, "\(path) cannot be read.") }
        // The file says what runs as the relay's user.
        guard mode & 0o022 == 0 else { throw ServerError(.push, "\(path) can be written by others: chmod go-w \(path)") }
        guard data.count <= bytesMax else { throw ServerError(.push, "\(path) is longer than \(bytesMax) bytes.") }
        do throws(WireError) { return try Receivers(parsing: Array(data), file: path) } catch {
            throw ServerError(.push, "\(path), \(error.path): \(error.message)")
        }
    }

    /// Throws for fields without meaning too, as they were meant to have one.
    init(parsing bytes: [UInt8], file: String) throws(WireError) {
        let root = try JSONDocument(parsing: bytes).root.object()
        try root.allow("receivers")
        var entries: [Entry] = []
        for value in try root.array("receivers", countMax: Self.countMax) {
            let entry = try Entry(from: value)
            guard !entries.contains(where: { $0.name == entry.name }) else {
                throw WireError(.badValue, at: "\(value.path).name", "there is another receiver \(entry.name)")
            }
            entries.append(entry)
        }
        self.init(file: file, entries: entries)
    }

    fileprivate static func texts(_ value: JSONValue, _ key: StaticString, countMax: Int) throws(WireError) -> [String]? {
        guard value.optional(key) != nil else { return nil }
        var texts: [String] = []
        for entry in try value.array(key, countMax: countMax) { texts.append(try text(entry)) }
        return texts
    }

    fileprivate static func text(_ value: JSONValue) throws(WireError) -> String {
        let text = try value.string(bytesMax: textBytesMax)
        guard !text.utf8.contains(0) else { throw WireError(.badValue, at: value.path, "no program is given a null byte") }
        return text
    }
}

extension Receivers.Entry {
    fileprivate init(from value: JSONValue) throws(WireError) {
        let isWebhook = value.optional("url") != nil
        if isWebhook {
            try value.object().allow("name", "workspaces", "url", "secret", "address")
        } else {
            try value.object().allow("name", "workspaces", "program", "environment", "inherits", "seconds")
        }
        name = try value.string("name")
        guard Receiver.isName(name) else {
            throw WireError(.badValue, at: "\(value.path).name", "a name is 1 to 32 lower-case letters, digits and hyphens")
        }
        workspaces = []
        for entry in try Receivers.texts(value, "workspaces", countMax: Receivers.workspacesMax) ?? ["default"] {
            guard let workspace = WorkspaceID(entry) else {
                throw WireError(.badValue, at: "\(value.path).workspaces", "\(entry) is not the id of a workspace")
            }
            workspaces.append(workspace)
        }
        way = isWebhook ? .webhook(try Receivers.Webhook(from: value)) : .program(try Receivers.Program(from: value))
    }
}

extension Receivers.Program {
    fileprivate init(from value: JSONValue) throws(WireError) {
        _ = try value.required("program")
        command = try Receivers.texts(value, "program", countMax: Receivers.wordsMax) ?? []
        guard let path = command.first, path.hasPrefix("/") else {
            throw WireError(.badValue, at: "\(value.path).program", "a program is an absolute path, and its arguments")
        }
        guard unsafe access(path, X_OK) == 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw WireError(.badValue, at: "\(value.path).program[0]", "\(path) cannot be run: \(reason)")
        }
        environment = [:]
        if let variables = value.optional("environment") {
            for (name, text) in try variables.object().members() {
                try Self.check(name, at: text.path)
                environment[name] = try Receivers.text(text)
            }
        }
        inherited = try Receivers.texts(value, "inherits", countMax: Receivers.variablesMax) ?? []
        for name in inherited { try Self.check(name, at: "\(value.path).inherits") }
        guard environment.count <= Receivers.variablesMax else {
            throw WireError(.outOfRange, at: "\(value.path).environment", "at most \(Receivers.variablesMax) variables")
        }
        seconds = try value.optionalInteger("seconds", in: Receivers.secondsRange) ?? Receivers.secondsStandard
    }

    private static func check(_ name: String, at place: String) throws(WireError) {
        let isName = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "=") }
        guard isName else { throw WireError(.badValue, at: place, "this is not the name of a variable") }
    }
}

extension Receivers.Webhook {
    fileprivate init(from value: JSONValue) throws(WireError) {
        let (url, address) = (try value.string("url"), try value.optionalString("address"))
        // Scheme, host and port of the URL.
        let server = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
        added = address.flatMap { WebPushServices.Added(server: "\(server)=\($0)") }
        guard address == nil || added != nil else {
            throw WireError(.badValue, at: "\(value.path).address", "this is no address of a host, such as 192.168.1.5")
        }
        guard let secret = WebhookSecret(try value.string("secret")) else {
            throw WireError(.badValue, at: "\(value.path).secret", "a secret is whsec_ and 24 to 64 bytes in base64")
        }
        self.secret = secret
        let services = WebPushServices(added: added.map { [$0] } ?? [], takesAnyPublic: true)
        do throws(WebPushError) { endpoint = try WebPushEndpoint(webhook: url, of: services) } catch {
            let advice = error.code == .serviceNotAllowed && address == nil ? ", by its \"address\"" : ""
            throw WireError(.badValue, at: "\(value.path).url", error.message + advice)
        }
    }
}

extension Receivers {
    /// The hosts of the webhooks, any of which may be public.
    var services: WebPushServices {
        let added = entries.compactMap { if case .webhook(let webhook) = $0.way { webhook.added } else { nil } }
        return WebPushServices(added: added, takesAnyPublic: true)
    }
}
