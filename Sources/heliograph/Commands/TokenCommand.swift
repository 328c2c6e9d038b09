import ArgumentParser
import Foundation
import HeliographServer
import RelayCore
import RelayProtocol

/// `heliograph token`
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make, list and revoke the tokens of hosts and clients.",
        discussion: "Run it on the relay's machine. Most people want `heliograph pair` instead.",
        subcommands: [Create.self, List.self, Revoke.self])

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a token and print it. It is shown once: the relay keeps only its SHA-256.",
            discussion: "  heliograph token create --role host --name build-server")

        @OptionGroup var data: DataOption

        @OptionGroup var database: DatabaseOption

        @Option(help: "What it is for: client, operator, watcher or host.")
        var role: String

        @Option(help: "What people call that host or client.")
        var name: String

        @Option(help: ArgumentHelp("The workspace that it gives access to. Default: the first.", valueName: "name"))
        var workspace: String?

        @Flag(help: "Print JSON, with the token's id.")
        var json = false

        func validate() throws {
            if PairingRole(rawValue: role) == nil { throw ValidationError("--role is client, operator, watcher or host.") }
            guard (1...WireLimits.nameBytesMax).contains(name.utf8.count) else {
                throw ValidationError("--name has 1 to \(WireLimits.nameBytesMax) bytes.")
            }
            guard Administration.shownName(name) != nil else { throw ValidationError("--name has nothing that shows.") }
        }

        func run() throws {
            try Failure.reporting {
                let administration = try database.open(beside: data)
                let named = try administration.workspace(workspace)
                let name = Administration.shownName(name) ?? name
                let new = try administration.credentials(in: named)
                    .makeToken(PairingRole(rawValue: role) ?? .client, name: name)
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
        static let configuration = CommandConfiguration(
            abstract: "List tokens, the newest first: who let each in, and when it was last used.")

        @OptionGroup var data: DataOption

        @OptionGroup var database: DatabaseOption

        @Flag(help: "Also list revoked tokens.")
        var all = false

        @Flag(help: "Print JSON, one object a line.")
        var json = false

        func run() throws {
            try Failure.reporting {
                let administration = try database.open(beside: data)
                let roster = try administration.roster(isLive: true)
                let workspaces = try administration.workspaces()
                // A single workspace is not mentioned.
                let shown = workspaces.count > 1 ? workspaces : []
                if let silence = roster.silence {
                    Output.remark("which of them are connected, and when they were used last, is not known: \(silence)")
                }
                for entry in roster.entries where all || entry.token.revokedAt == nil {
                    let workspace = shown.first { $0.id == entry.token.workspace }
                    if json {
                        Output.json { writer in
                            entry.write(to: &writer)
                            if let workspace { writer.object("workspace") { workspace.write(to: &$0) } }
                        }
                    } else {
                        print(TokenLine.text(entry, in: workspace?.name, isUseKnown: roster.silence == nil))
                    }
                }
            }
        }
    }

    struct Revoke: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a token and those that it added; connections that use them are closed at once.",
            discussion: """
                A client can let others in, and so can anyone who stole its token. They are listed; --keep-children lets them stay. Phones \
                of a client without another token get no more pushes.

                Works on a full disk, too. Exits with 1 if a relay runs and did not hear of it, and with 7 if the running relay lets nobody in \
                by it, but no disk has that yet.
                """)

        @OptionGroup var data: DataOption

        @OptionGroup var database: DatabaseOption

        @Argument(help: "The token's id, from `heliograph token list`.")
        var id: String

        @Flag(help: "Revoke this one alone, and list those that stay.")
        var keepChildren = false

        func run() throws {
            try Failure.reporting {
                let administration: Administration
                do { administration = try database.open(beside: data) } catch {
                    // A revocation must not fail because of anything that it does not need.
                    guard database.address == nil, RelayServer.isFaultOfMachine(error), !(error is ServerError),
                        let revocation = try Administration.revokeUnopened(id, keepingChildren: keepChildren, in: data.path)
                    else { throw error }
                    return try tell(revocation, nil)
                }
                let before = try administration.roster(isLive: false)
                try tell(administration.revoke(id, keepingChildren: keepChildren), before)
            }
        }

        /// Prints the result. `before`: the list before the revocation; nil if it could not be read.
        private func tell(_ revocation: Administration.Revocation, _ before: TokenRoster?) throws {
            for token in revocation.ended { print("revoked  \(before?[token].map { TokenLine.text($0) } ?? token)") }
            if keepChildren, let before, let entry = before[id] {
                for child in entry.children.compactMap({ before[$0.id] }) { print("stays    \(TokenLine.text(child))") }
            }
            guard !revocation.ended.isEmpty else {
                throw CommandError(.notFound, "There is no such token, or it is revoked already.")
            }
            switch revocation.extent {
            case .stored: break
            case .waiting:
                Output.remark("the disk is full: this is on disk and holds, and goes into the data file when there is room")
            case .unseen:
                Output.remark(
                    "the data file cannot be opened: the revocation is on disk beside it, and holds from the next start on. Whether "
                        + "there is such a token could not be seen")
            case .unwritten(let reason):
                throw CommandError(
                    .unwritten,
                    """
                    NOT on disk: the running relay has shut it out, but its disk does not take that (\(reason)). If the relay ends before \
                    it does, it gets in again. The relay tries every two seconds; `heliograph doctor\(data.flag)` says when it is on disk
                    """)
            }
        }
    }
}
