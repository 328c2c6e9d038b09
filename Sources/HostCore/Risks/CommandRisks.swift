/// Warnings about a shell command: shapes that destroy, overwrite, publish, or hand over control.
enum CommandRisks {
    /// Programs that run another one; it may begin at any of their next words.
    private static let wrappers: Set<String> = [
        "sudo", "doas", "pkexec", "su", "env", "nohup", "command", "builtin", "exec", "time", "nice", "ionice", "setsid",
        "stdbuf",
        "timeout", "xargs", "parallel", "watch", "ssh", "find", "fd", "flock", "then", "do", "else", "if", "while", "until",
        "!", "{",
        "busybox",
    ]
    private static let containers: Set<String> = ["docker", "podman", "kubectl"]
    /// Words after a wrapper at which the wrapped program may begin.
    private static let wrappedWordsMax = 40
    private static let administrators: Set<String> = ["sudo", "doas", "pkexec", "su"]
    /// Bytes of a long command that are examined, in some 0.1 s; a person still sees all of it.
    private static let bytesMax = 64 << 10

    /// The warnings, each once, in the order of the commands that they are about.
    static func sentences(_ command: String) -> [String] {
        let looked = Array(command.utf8.prefix(bytesMax))
        var found: [String] = []
        func tell(_ sentence: String?) {
            if let sentence, !found.contains(sentence) { found.append(sentence) }
        }
        for command in ShellCommands.all(in: looked) {
            // Assignments to variables precede the program.
            guard let program = command.words.firstIndex(where: { !isAssignment($0) }) else { continue }
            let name = ShellCommands.baseName(command.words[program])
            let arguments = Array(command.words[(program + 1)...])
            if administrators.contains(name) { tell("Runs with the rights of the administrator.") }
            tell(judge(name, arguments, isPiped: command.isPiped))
            let wrapped = wrapped(name, arguments)
            for (place, word) in wrapped.enumerated() {
                tell(judge(ShellCommands.baseName(word), Array(wrapped[(place + 1)...]), isPiped: command.isPiped))
            }
            for (before, word) in zip(command.words, command.words.dropFirst()) {
                guard before == ">" || before == "tee" else { continue }
                tell(PathRisks.isDisk(word) ? ProgramRisks.disk : PathRisks.isDelicate(word) ? PathRisks.delicate : nil)
            }
        }
        if StatementRisks.deletes(in: looked) { tell(StatementRisks.sentence) }
        return found
    }

    private static func judge(_ name: String, _ arguments: [String], isPiped: Bool) -> String? {
        ProgramRisks.sentence(name, ProgramArguments(arguments, isPiped: isPiped))
    }

    /// The words at which a command that the program runs may begin.
    private static func wrapped(_ program: String, _ arguments: [String]) -> [String] {
        if wrappers.contains(program) { return Array(arguments.prefix(wrappedWordsMax)) }
        guard containers.contains(program), let run = arguments.firstIndex(where: { $0 == "exec" || $0 == "run" }) else {
            return []
        }
        return Array(arguments[(run + 1)...].prefix(wrappedWordsMax))
    }

    private static func isAssignment(_ word: String) -> Bool {
        guard let sign = word.utf8.firstIndex(of: UInt8(ascii: "=")), sign != word.utf8.startIndex else { return false }
        return word.utf8[..<sign].allSatisfy { $0 == UInt8(ascii: "_") || ($0 < 0x80 && isWordByte($0)) }
    }

    static func isWordByte(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "_")
    }
}
