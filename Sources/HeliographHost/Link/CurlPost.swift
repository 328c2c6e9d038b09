internal import Glibc

/// One HTTPS POST by `curl`; the body goes through its standard input.
struct CurlPost {
    var url: String
    /// A PEM file to trust instead of the system's.
    var authority: String?

    func send(_ body: [UInt8]) throws(HostError) -> (status: Int, body: [UInt8]) {
        // `-q` first: a person's .curlrc is not for this.
        var arguments = [
            "curl", "-q", "--silent", "--proto", "=https", "--max-time", String(PairingRequest.timeoutSeconds), "--header",
            "Content-Type: application/json", "--data-binary", "@-", "--write-out", "\n%{http_code}",
        ]
        if let authority { arguments += ["--cacert", authority] }
        let (output, status) = try Self.run(arguments + ["--", url], input: body)
        guard status == 0 else {
            throw HostError(.pairing, "curl could not reach \(url) (its exit status is \(status), see man curl)")
        }
        guard let line = output.lastIndex(of: 10), let code = Int(String(decoding: output[(line + 1)...], as: UTF8.self)) else {
            throw HostError(.pairing, "what answered is not a relay of ours")
        }
        return (code, Array(output[..<line]))
    }

    private static func run(_ arguments: [String], input: [UInt8]) throws(HostError) -> (output: [UInt8], status: Int32) {
        var toChild: [Int32] = [0, 0]
        var fromChild: [Int32] = [0, 0]
        guard unsafe pipe(&toChild) == 0, unsafe pipe(&fromChild) == 0 else {
            throw HostError(.system, "no pipe could be made")
        }
        // One thread: nothing is spawned between the two calls.
        for descriptor in toChild + fromChild { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        // Copies that the child reads before we free them: posix_spawnp returns after exec.
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        var child: pid_t = 0
        let result = unsafe posix_spawnp(&child, "curl", &actions, nil, &pointers, environ)
        unsafe pointers.forEach { unsafe free($0) }
        unsafe posix_spawn_file_actions_destroy(&actions)
        close(toChild[0])
        close(fromChild[1])
        defer { close(fromChild[0]) }
        guard result == 0 else {
            close(toChild[1])
            throw HostError(.pairing, "curl is needed to pair over https, and is not installed")
        }
        // A child that is gone shows as an error here; the body is far smaller than a pipe.
        _ = signal(SIGPIPE, SIG_IGN)
        _ = unsafe input.withUnsafeBytes { unsafe write(toChild[1], $0.baseAddress, $0.count) }
        close(toChild[1])
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while output.count <= PairingRequest.responseBytesMax {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(fromChild[0], $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { break }
            output += buffer[..<count]
        }
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0 && errno == EINTR {}
        return (output, status & 0x7F == 0 ? (status >> 8) & 0xFF : -1)
    }
}
