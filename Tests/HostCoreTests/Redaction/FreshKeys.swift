import Foundation

/// Private keys from the programs that people make theirs with.
enum FreshKeys {
    /// Each prints a key, or writes one to `$KEY`.
    static let commands = [
        "openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048",
        "openssl genrsa -traditional 2048",
        "openssl genrsa -aes256 -passout pass:x 2048",
        "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256",
        "openssl ecparam -name secp384r1 -genkey -noout",
        "openssl genpkey -algorithm ED25519",
        "openssl genpkey -algorithm X25519",
        "ssh-keygen -q -t rsa -b 3072 -N '' -f $KEY",
        "ssh-keygen -q -t ed25519 -N '' -f $KEY",
        "ssh-keygen -q -t ed25519 -N secret -f $KEY",
        "ssh-keygen -q -t ecdsa -N '' -f $KEY",
        "ssh-keygen -q -t rsa -b 2048 -m PEM -N '' -f $KEY",
        "ssh-keygen -q -t rsa -b 2048 -m PKCS8 -N '' -f $KEY",
    ].filter { command in
        ["/usr/bin", "/bin", "/usr/local/bin"].contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(command.split(separator: " ")[0])")
        }
    }

    /// Makes a key; returns its lines.
    static func make(_ command: String) throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("key-\(UUID().uuidString)")
        defer {
            for path in [file.path, file.path + ".pub"] { try? FileManager.default.removeItem(atPath: path) }
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "\(command); [ ! -f \"$KEY\" ] || cat \"$KEY\""]
        process.environment = ["PATH": "/usr/bin:/bin:/usr/local/bin", "KEY": file.path]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
            String.init)
    }
}
