/// Programs whose arguments are programs, scripts, or settings of the shell. A star does not match any of their arguments.
enum ExactPrograms {
    static let names: Set<String> = [
        // Programs that run other commands.
        "sudo", "doas", "su", "pkexec", "runuser", "env", "command", "builtin", "exec", "nohup", "setsid", "timeout", "nice",
        "stdbuf", "xargs", "parallel", "watch", "entr", "strace", "ltrace", "flock", "chroot", "unshare", "nsenter", "ionice",
        "taskset", "chrt", "script", "expect", "screen", "tmux", "at", "batch", "crontab", "systemd-run", "busybox", "toybox",
        "ssh", "scp", "sftp", "rsync", "docker", "podman", "kubectl", "nerdctl", "socat", "nc", "ncat", "npx", "pnpx", "bunx",
        "uvx", "pipx", "time", "gdb", "lldb", "osascript", "open", "xdg-open", "start", "launchctl", "systemctl", "setpriv",
        "prlimit", "ssh-agent", "xvfb-run", "perf", "bwrap", "firejail", "hyperfine", "fakeroot", "faketime", "unbuffer",
        "rlwrap",
        "dbus-run-session", "setarch", "sg", "sem", "start-stop-daemon", "valgrind", "direnv", "nix-shell", "cpulimit",
        "numactl",
        // Programs of ours, which can accept rules.
        "heliograph", "heliograph-hook",
        // Shells.
        "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "pwsh", "nu", "elvish", "xonsh",
        // Programs with a language inside one argument.
        "tar", "gtar", "bsdtar", "awk", "gawk", "mawk", "nawk", "sed", "gsed", "ed", "ex", "vi", "vim", "nvim", "view", "emacs",
        "less", "more", "man",
        // Builtins that change the meaning of later words, or evaluate their operands.
        "eval", "source", ".", "trap", "alias", "unalias", "export", "declare", "typeset", "local", "readonly", "set", "shopt",
        "unset", "enable", "disable", "hash", "rehash", "bind", "bindkey", "complete", "compgen", "compctl", "mapfile",
        "readarray", "read", "let", "getopts", "fc", "history", "setopt", "unsetopt", "autoload", "zmodload", "emulate",
        "functions", "zle", "sched", "wait", "integer", "float", "print", "printf", "vared", "zcompile", "function", "noglob",
        "nocorrect", "repeat", "-", "return", "exit", "logout", "suspend", "tee", "dd", "install", "split", "csplit",
        "uniq", "sqlite3",
    ]

    static func baseName(_ program: String) -> String {
        String(program[(program.lastIndex(of: "/").map(program.index(after:)) ?? program.startIndex)...])
    }
}
