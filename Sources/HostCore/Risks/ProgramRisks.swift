/// Warnings about a program, by its name and arguments.
enum ProgramRisks {
    typealias Rule = @Sendable (ProgramArguments) -> String?

    static let disk = "Writes over a disk."
    private static let deletes = "Deletes files."
    private static let machine = "Stops services or the machine itself."
    private static let remote = "Deletes or replaces something that runs elsewhere."
    private static let publishes = "Publishes something for others."
    private static let unseen = "Runs text that another command writes, which nobody has seen."
    private static let processes = "Ends other processes."
    private static let accounts = "Changes accounts."
    private static let connection = "Opens a connection for any data."
    private static let firewall = "Opens the firewall."

    static func sentence(_ program: String, _ arguments: ProgramArguments) -> String? { rules[name(of: program)]?(arguments) }

    /// The name without a suffix: `mkfs.ext4` is `mkfs`, and `python3.13` is `python3`.
    private static func name(of program: String) -> String {
        if program.hasPrefix("mkfs.") { return "mkfs" }
        let version = program.dropFirst("python3.".count)
        if program.hasPrefix("python3."), !version.isEmpty, version.utf8.allSatisfy({ (48...57).contains($0) }) {
            return "python3"
        }
        return program
    }

    private static func always(_ sentence: String) -> Rule { { _ in sentence } }

    private static func verbs(_ sentence: String, _ wanted: String...) -> Rule {
        { arguments in arguments.contain(wanted.contains) ? sentence : nil }
    }

    private static let rules: [String: Rule] = {
        var rules: [String: Rule] = [
            "rm": {
                $0.has("rR", "--recursive", "--no-preserve-root") ? "Deletes folders with all that is in them." : deletes
            },
            "unlink": always(deletes), "shred": always("Deletes files so that nothing brings them back."),
            "truncate": always("Empties or cuts files."), "find": verbs("Deletes every file that it finds.", "-delete"),
            "git": GitRisks.sentence, "dd": { $0.contain { $0.hasPrefix("of=") } ? disk : nil }, "chmod": chmod,
            "chown": { $0.has("R", "--recursive") ? "Changes who owns files." : nil },
            "kill": { $0.names("-0", "-l") ? nil : processes }, "source": { $0.names("<()") ? unseen : nil },
            "eval": always("Runs text as a command."), "curl": curl, "scp": copies, "sftp": copies,
            "rsync": { $0.has("", "--delete", "--remove-source-files") ? deletes : copies($0) },
            "systemctl": verbs(machine, "stop", "disable", "mask", "restart", "poweroff", "reboot", "kill"),
            "service": verbs(machine, "stop", "restart"), "kubectl": verbs(remote, "delete", "drain", "replace"),
            "helm": verbs(remote, "uninstall", "delete", "rollback"), "gcloud": verbs(remote, "delete"),
            "az": verbs(remote, "delete", "purge"), "aws": aws,
            "gh": { $0.names("delete") ? remote : $0.names("merge", "release") ? publishes : nil },
            "npm": verbs(publishes, "publish", "unpublish", "deprecate"), "pnpm": verbs(publishes, "publish"),
            "yarn": verbs(publishes, "publish"), "cargo": verbs(publishes, "publish", "yank"),
            "twine": verbs(publishes, "upload"), "gem": verbs(publishes, "push", "yank"),
            "dropdb": always(StatementRisks.sentence),
            "redis-cli": {
                $0.contain { ["flushall", "flushdb"].contains($0.lowercased()) } ? StatementRisks.sentence : nil
            },
            "crontab": { $0.has("r") ? "Deletes what runs by the clock." : nil },
            "iptables": verbs(firewall, "-F", "--flush"), "ufw": verbs(firewall, "disable", "reset"),
        ]
        for name in ["mkfs", "wipefs", "fdisk", "sgdisk", "parted"] { rules[name] = always(disk) }
        for name in ["pkill", "killall"] { rules[name] = always(processes) }
        for name in ["shutdown", "reboot", "poweroff", "halt"] { rules[name] = always(machine) }
        for name in ["nc", "ncat", "socat"] { rules[name] = always(connection) }
        for name in ["passwd", "useradd", "usermod", "userdel", "visudo"] { rules[name] = always(accounts) }
        for name in ["docker", "podman"] { rules[name] = container }
        for name in ["terraform", "tofu"] { rules[name] = verbs(remote, "destroy", "-auto-approve", "--auto-approve") }
        let interpreters = [
            "sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "perl", "ruby", "node", "php",
        ]
        for name in interpreters { rules[name] = interpreter }
        return rules
    }()

    private static let interpreter: Rule = { arguments in
        if arguments.contain({ $0 == "<()" || $0.hasPrefix("$(") || $0.hasPrefix("`") }) { return unseen }
        let readsInput = arguments.words.allSatisfy { $0.hasPrefix("-") } || arguments.names("-", "-s")
        return arguments.isPiped && readsInput && !arguments.has("c") ? unseen : nil
    }

    private static let copies: Rule = { arguments in
        let isElsewhere = arguments.contain { word in
            guard let colon = word.firstIndex(of: ":"), colon != word.startIndex else { return false }
            return !word[..<colon].contains { $0 == "/" || $0.isWhitespace }
        }
        return isElsewhere ? "Copies files to or from another machine." : nil
    }

    private static let curl: Rule = { arguments in
        let sends = arguments.contain { word in
            guard let sign = word.firstIndex(of: "@") else { return false }
            let option = word[..<sign]
            return option.isEmpty || option == "-d" || option.hasPrefix("--data")
        }
        return sends || arguments.has("TF", "--upload-file", "--form") ? "Sends a file to another machine." : nil
    }

    private static let chmod: Rule = { arguments in
        let isWide = arguments.contain { word in
            if word == "777" || word == "0777" { return true }
            guard let plus = word.firstIndex(of: "+") else { return false }
            return word[..<plus].allSatisfy("augo".contains) && word[plus...].contains("s")
        }
        return isWide || arguments.has("R", "--recursive") ? "Changes who may read, write or run files." : nil
    }

    private static let aws: Rule = { arguments in
        arguments.contain { word in ["rm", "rb", "delete", "terminate"].contains(where: word.hasPrefix) } ? remote : nil
    }

    private static let container: Rule = { arguments in
        let deletes =
            arguments.names("prune", "rmi") || (arguments.names("volume") && arguments.names("rm"))
            || (arguments.names("volume", "rm", "down") && arguments.has("fv", "--force", "--volumes"))
        if deletes { return "Deletes containers, images or their data." }
        return arguments.names("push") ? publishes : nil
    }
}
