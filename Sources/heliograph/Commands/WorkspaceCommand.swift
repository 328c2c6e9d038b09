import ArgumentParser
import HeliographHost
import HeliographServer
import RelayAccess
import RelayCore
import RelayProtocol

/// `heliograph workspace`
struct WorkspaceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workspace",
        abstract: "Divide a relay among teams that see nothing of each other.",
        discussion: """
            A workspace has hosts, clients, sessions, budgets and an audit log of its own. A relay begins with one; if you need no other, \
            you can ignore workspaces. Run it on the relay's machine, while the relay runs or not.

              heliograph workspace invite Kitchen            a team, by two links
              heliograph workspace add Kitchen
              heliograph pair --workspace Kitchen
              heliograph pair --workspace Kitchen --role host
            """,
        subcommands: [
            Add.self, Invite.self, List.self, Rename.self, WorkspaceQuota.self, WorkspaceRetention.self, Remove.self,
            WorkspaceDelete.self,
        ])

    /// Throws if the name is not allowed for a workspace.
    private static func check(_ name: String) throws {
        guard Administration.isFit(workspaceName: name) else {
            throw ValidationError(
                "A workspace's name has 1 to \(WireLimits.nameBytesMax) bytes, all of which show, and no blank at either end.")
        }
    }

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add a workspace, with nobody in it.")

        @Argument(help: "What people call it.")
        var name: String

        @OptionGroup var data: DataOption

        @OptionGroup var database: DatabaseOption

        @Flag(help: "Print JSON.")
        var json = false

        func validate() throws { try WorkspaceCommand.check(name) }

        func run() throws {
            try Failure.reporting {
                let workspace = try database.open(beside: data).addWorkspace(name)
                if json { return Output.json { workspace.write(to: &$0) } }
                print("Added \(name) (\(workspace.id)).")
                print("Let somebody in: \(Executable.shown) pair --workspace \(ShellWords.word(name))\(data.flag)")
            }
        }
    }

    struct Invite: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let somebody use this relay, in a workspace of their own.",
            discussion: """
                Adds the workspace, and makes an invitation to send: two codes, one for a phone or browser that also steers agents, one for \
                a machine with agents. Each works once. Whoever is in lets others in. If somebody is in the workspace already, or is \
                invited to it, say --again: another person would see all of it.

                  heliograph workspace invite Kitchen
                  heliograph workspace invite Kitchen --days 30
                """)

        /// Most days of an invitation: as long as a person may be away.
        private static let daysMax = 30

        @Argument(help: "What people call it.")
        var name: String

        @Option(help: "For how many days the links work, from 1 to \(daysMax).")
        var days = 7

        @Option(
            help: ArgumentHelp(
                "The address by which others reach the relay. Default: what the relay last listened on.", valueName: "url"))
        var url: String?

        @Flag(help: "Invite into a workspace that others are in, as operator.")
        var again = false

        @OptionGroup var data: DataOption

        @OptionGroup var database: DatabaseOption

        @Flag(help: "Print JSON.")
        var json = false

        func validate() throws {
            try WorkspaceCommand.check(name)
            guard (1...Self.daysMax).contains(days) else { throw ValidationError("--days takes 1 to \(Self.daysMax).") }
            if let url, PublicURL.read(url) == nil { throw ValidationError("--url takes \(PublicURL.takes).") }
        }

        func run() throws {
            try Failure.reporting {
                let administration = try database.open(beside: data)
                let base = try Pair.base(of: administration, url, database, data)
                if RelayAddress(base)?.staysHere == true {
                    Output.remark("warning: nobody elsewhere reaches \(base): say where they do (--url)")
                }
                Pair.warn(of: base, .operator)
                let known = try administration.workspaces().first { $0.name == name }
                let others = try known.map { try administration.residents(of: $0) } ?? Administration.Residents()
                if !again, !others.isEmpty {
                    let text = """
                        there is a workspace \(VisibleText.line(name)) already, with \(others.sentence): whoever you invite into it \
                        sees all of it and steers its agents. Choose another name, or say --again
                        """
                    throw CommandError(.declined, text)
                }
                let workspace = try known ?? administration.addWorkspace(name)
                let credentials = administration.credentials(in: workspace)
                let lifetime = Int64(days) * 24 * 3_600_000
                let device = try credentials.makePairingCode(.operator, lifetime: lifetime)
                let machine = try credentials.makePairingCode(.host, lifetime: lifetime)
                let invitation = InvitationLink.text(base: base, machine: machine.code, device: device.code)
                if json {
                    return Output.json { writer in
                        writer.object("workspace") { workspace.write(to: &$0) }
                        writer.field("invitation", invitation)
                        writer.field("device", device.link(base: base))
                        writer.field("machine", machine.link(base: base))
                        writer.field("expiresAt", machine.expiresAt)
                    }
                }
                print(
                    """
                    \(VisibleText.line(name)) sees nothing of other workspaces here\(others.isEmpty ? "" : ", and is shared with \(others.sentence)"). The invitation works once, for \(days) \(days == 1 ? "day" : "days"). \
                    On their machine with the agents, with Heliograph installed:

                       heliograph join '\(invitation)'

                    It shows what they scan with their phone.
                    """)
            }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List workspaces with what each takes, the first one first.",
            discussion: """
                Sizes, counts and the last use: never the name of a host, a session, a project or a device. If a stranger registered the \
                workspace, also when, and from which address (for `delete --registered-from`).

                  heliograph workspace list
                  heliograph workspace list --json
                """)

        @OptionGroup var data: DataOption

        @OptionGroup var database: DatabaseOption

        @Flag(help: "Print JSON, one object a line.")
        var json = false

        func run() throws {
            try Failure.reporting {
                let administration = try database.open(beside: data)
                let tokens = try administration.roster(isLive: false).entries.map(\.token).filter { $0.revokedAt == nil }
                let (usage, limits) = (try administration.workspaceUsage(), try administration.workspaceLimits())
                let registrations = try administration.registrations()
                for workspace in try administration.workspaces() {
                    let used = usage[workspace.id] ?? WorkspaceUsage()
                    let own = tokens.filter { $0.workspace == workspace.id }
                    let usedAt = own.map { max($0.createdAt, $0.lastUse?.at ?? 0) }.max()
                    let registration = registrations[workspace.id]
                    let hosts = Set(own.filter { $0.role == .host }.map(\.subject)).count
                    let clients = Set(own.filter { $0.role.isClient }.map(\.subject)).count
                    if json {
                        Output.json { writer in
                            workspace.write(to: &writer)
                            writer.field("hosts", Int64(hosts))
                            writer.field("clients", Int64(clients))
                            writer.field("sessions", used.sessions)
                            writer.field("eventBytes", used.eventBytes)
                            writer.field("pictureBytes", used.pictureBytes)
                            writer.field("usedAt", usedAt)
                            writer.field("registeredAt", registration?.at)
                            writer.field("registeredFrom", registration?.from)
                            writer.object("limits") { (limits[workspace.id] ?? WorkspaceLimits()).write(to: &$0) }
                        }
                    } else {
                        let name = VisibleText.line(workspace.name)
                        let size = "\((used.eventBytes + used.pictureBytes + 1 << 20 - 1) >> 20) MB"
                        print(
                            "\(workspace.id)  \(name)  \(counted(hosts, "host"))  \(counted(clients, "client"))  "
                                + "\(counted(Int(used.sessions), "session"))  \(size)"
                                + (usedAt.map { "  used \(TokenLine.time($0))" } ?? "")
                                + (registration.map { "  registered \(TokenLine.time($0.at)) from \($0.from)" } ?? ""))
                    }
                }
            }
        }

        private func counted(_ count: Int, _ what: String) -> String { "\(count) \(what)\(count == 1 ? "" : "s")" }
    }

    struct Rename: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give a workspace another name.",
            discussion: "  heliograph workspace rename default Garden")

        @Argument(help: "Its name, or its id.")
        var workspace: String

        @Argument(help: "What people call it from now on.")
        var name: String

        @OptionGroup var data: DataOption

        @OptionGroup var database: DatabaseOption

        func validate() throws { try WorkspaceCommand.check(name) }

        func run() throws {
            try Failure.reporting {
                let administration = try database.open(beside: data)
                try administration.renameWorkspace(administration.workspace(workspace), to: name)
            }
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a workspace with all that is in it.",
            discussion: """
                Its tokens are revoked, its peers are disconnected, and its sessions, approvals, pictures, devices and budgets are \
                deleted for good. Its audit log stays, and says that it was removed (`delete` takes that, too). The first workspace cannot be removed. Exits with 1 \
                if a relay runs and did not hear of it: repeat the command with the workspace's id; and with 7 if the data is not deleted \
                within ten seconds, which `heliograph doctor` goes on to say until it is.

                  heliograph workspace remove Kitchen
                """)

        @Argument(help: "Its name, or its id.")
        var workspace: String

        @OptionGroup var options: WorkspaceRemovalOptions

        func run() throws { try options.remove(workspace, erasing: false) }
    }
}
