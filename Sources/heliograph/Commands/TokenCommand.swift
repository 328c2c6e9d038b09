import ArgumentParser
import Foundation
import HeliographServer
import RelayCore
import RelayProtocol

/// `heliograph token`
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make, list and revoke what lets hosts and clients in.",
        discussion: "Run it on the relay's machine. Most people want `heliograph pair` instead.",
        subcommands: [Create.self, List.self, Revoke.self])

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a token and print it. It is shown once: the relay keeps only its SHA-256.",
            discussion: "  heliograph token create --role host --name build-server")

        @OptionGroup var data: DataOption

        @Option(help: "Whom it is for: client or host.")
        var role: String

        @Option(help: "What people call that host or client.")
        var name: String

        @Flag(help: "Print JSON, with the token's id.")
        var json = false

        func validate() throws {
            if PairingRole(rawValue: role) == nil { throw ValidationError("--role is client or host.") }
            guard (1...WireLimits.nameBytesMax).contains(name.utf8.count) else {
                throw ValidationError("--name has 1 to \(WireLimits.nameBytesMax) bytes.")
            }
        }

        func run() throws {
            try Failure.reporting {
                let administration = try Administration(directory: data.path)
                let new = try administration.credentials.makeToken(PairingRole(rawValue: role) ?? .client, name: name)
                if json {
                    Output.json { writer in
                        writer.field("id", new.token.id)
                        writer.field("token", new.secret)
                        writer.field("role", role)
                        writer.field("name", name)
                    }
                } else {
                    print(new.secret)
                }
                try administration.tokensChanged()
            }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List tokens, the newest first.")

        @OptionGroup var data: DataOption

        @Flag(help: "Also the revoked.")
        var all = false

        @Flag(help: "Print JSON, one object a line.")
        var json = false

        func run() throws {
            try Failure.reporting {
                let administration = try Administration(directory: data.path)
                for token in try administration.tokens(includingRevoked: all) {
                    if json {
                        Output.json { writer in
                            writer.field("id", token.id)
                            writer.field("role", token.role.rawValue)
                            writer.field("name", token.name)
                            writer.field("subject", token.subject)
                            writer.field("createdAt", token.createdAt)
                            writer.field("revokedAt", token.revokedAt)
                        }
                    } else {
                        let made = Date(timeIntervalSince1970: Double(token.createdAt) / 1000)
                        let state = token.revokedAt == nil ? "" : "  revoked"
                        print(
                            "\(token.id)  \(token.role)  \(made.formatted(.iso8601))  \(VisibleText.line(token.name))\(state)")
                    }
                }
            }
        }
    }

    struct Revoke: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a token; whoever is connected by it is shown out at once.",
            discussion:
                "Phones of a client without another token are pushed nothing more. Exits with 1 where a relay runs and did not hear of it."
        )

        @OptionGroup var data: DataOption

        @Argument(help: "The token's id, from `heliograph token list`.")
        var id: String

        func run() throws {
            try Failure.reporting {
                let administration = try Administration(directory: data.path)
                let isRevoked = try administration.revoke(id)
                // Also where it was before: the relay may not have heard of it.
                try administration.tokensChanged()
                guard isRevoked else {
                    throw ValidationError("There is no such token, or it is revoked already.")
                }
            }
        }
    }
}
